"""Operators: pull levers by rule, one module or package per class of defect."""
