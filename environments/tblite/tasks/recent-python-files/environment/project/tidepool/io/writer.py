def write(path: str, rows: list[str]) -> None:
    with open(path, "w") as handle:
        handle.writelines(rows)
