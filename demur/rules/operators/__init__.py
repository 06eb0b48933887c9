"""Code that pulls levers by rule, one module for a class of defect, and the contract of this code."""
