"""The loops that Numba compiles, each named after the step it takes."""
