"""Operators: what pulls levers by rule, one module or package per class of defect."""
