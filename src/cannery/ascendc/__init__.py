"""Ascend C in C++ on the virtual core: headers, translation, compilation, and the bridge to the instructions.

`include` has what a program includes; `headers` makes the rest of it from the table of instructions. Every instruction
of a program comes through one function, `cannery_call` of `runtime.cpp`, to the handlers in `operations`.
"""
