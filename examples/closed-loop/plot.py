"""Draws the success of each step as an SVG: `plot.py PICTURE.svg NAME=STEPS.jsonl …`."""

import json
import sys

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 360, 56, 24, 150, 48
COLOURS = ["#0b6e4f", "#b3541e", "#6b4fa0", "#3a6ea5"]
SMOOTHED_OVER = 3
TITLE = f"successful rollouts in a batch (line: mean of {SMOOTHED_OVER})"


def smoothed(values):
    """The mean of each value and those before it."""
    windows = [values[max(0, i + 1 - SMOOTHED_OVER) : i + 1] for i in range(len(values))]
    return [sum(window) / len(window) for window in windows]


def read(path):
    rows = [json.loads(line) for line in open(path)]
    return [(row["step"], row["success"]) for row in rows if row["success"] is not None]


def text(x, y, words, **attributes):
    given = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{given}>{words}</text>'


def draw(series):
    last = max(step for points in series.values() for step, _ in points)
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    x, y = (lambda step: LEFT + wide * step / last), (lambda share: TOP + high * (1 - share))
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<path d="M{LEFT} {y(share):.1f}h{wide}" stroke="#d8d8d8"/>')
        parts.append(text(LEFT - 8, y(share) + 4, f"{100 * share:.0f} %", text_anchor="end"))
    for step in range(0, last + 1, max(1, round(last / 6))):
        parts.append(text(x(step), HEIGHT - BOTTOM + 20, step, text_anchor="middle"))
    parts.append(text(LEFT + wide / 2, HEIGHT - 8, "steps of the trainer", text_anchor="middle"))
    parts.append(text(LEFT, TOP - 8, TITLE))
    for colour, (name, points) in zip(COLOURS, series.items(), strict=False):
        means = smoothed([success for _, success in points])
        line = " ".join(f"{x(step):.1f},{y(mean):.1f}" for (step, _), mean in zip(points, means, strict=True))
        dots = [f'<circle cx="{x(step):.1f}" cy="{y(success):.1f}" r="2.5" fill="{colour}"/>' for step, success in points]
        parts += [f'<g opacity="0.45">{"".join(dots)}</g>', f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>']
        parts.append(text(x(points[-1][0]) + 8, y(means[-1]) + 4, name, fill=colour))
    frame = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13" fill="#333"'
    body = "\n".join(parts)
    return f'<svg {frame}>\n<title>{TITLE}</title>\n<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n{body}\n</svg>\n'


if __name__ == "__main__":
    picture, *named = sys.argv[1:]
    with open(picture, "w") as file:
        file.write(draw({name: read(path) for name, path in (one.split("=", 1) for one in named)}))
