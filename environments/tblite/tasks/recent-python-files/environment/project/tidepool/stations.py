STATIONS = {"vlissingen": 51.44, "harlingen": 53.17}
