from tidepool.harmonics import height


def test_zero() -> None:
    assert height(1.0, 0.0) == 1.0
