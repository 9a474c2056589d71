from math import cos


def height(amplitude: float, phase: float) -> float:
    return amplitude * cos(phase)
