"""Code that pulls levers by rule, with one module or package per class of defect."""
