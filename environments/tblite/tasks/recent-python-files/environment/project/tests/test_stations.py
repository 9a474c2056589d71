from tidepool.stations import STATIONS


def test_known() -> None:
    assert "harlingen" in STATIONS
