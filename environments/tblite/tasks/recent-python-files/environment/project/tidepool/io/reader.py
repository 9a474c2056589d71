def read(path: str) -> list[str]:
    with open(path) as handle:
        return handle.readlines()
