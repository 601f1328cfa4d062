"""Compiled kernels: arrays in, arrays out; no checks, defaults, randomness or printing."""
