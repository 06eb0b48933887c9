"""ASK: DSPy signatures and modules, and the language models behind them. Imports levers only."""
