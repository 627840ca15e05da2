"""Architecture drawings in the language of Explore's diagram: boxes on a stream, bottom to top.

Each is a tree of SVG elements for assets/learn_drawing.js. Lengths follow the size of the type, so
the same drawing serves the page and the hall.
"""

from dataclasses import dataclass
from typing import Any

from viz.labels import magnitude

Element = dict[str, Any]

# A column of boxes, in sizes of the type: three are as wide as a hall's picture can be.
WIDE = 17.08
GUTTER = 3.2  # left of the boxes, for how often they are repeated
BOX = 8.4
FRAME = 14.1  # around the repeated boxes and what became of each


@dataclass(frozen=True)
class Row:
    """One box of a column."""

    label: str
    kind: str  # embed, attn, ff, norm or head: its colour
    mark: str = ""  # what became of it, kept, changed, removed or new
    section: str = ""  # the section a click leads to


@dataclass(frozen=True)
class Column:
    """A stream with its boxes, bottom first."""

    reads: str  # what enters at the bottom
    gives: str  # what leaves at the top
    rows: tuple[Row, ...]
    frame: tuple[int, int]  # first row and the one after the last that are repeated
    times: str  # how often: "× 6"


def element(tag: str, attributes: dict[str, Any], *children: "Element | str") -> Element:
    """One SVG element; strings among the children are text, never markup."""
    return {"tag": tag, "attributes": attributes, "children": list(children)}


def text(x: float, y: float, content: str, kind: str = "", anchor: str = "start") -> Element:
    """One line of text, its baseline at y."""
    return element("text", {"x": x, "y": y, "class": kind, "text-anchor": anchor}, content)


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "wire") -> Element:
    """A straight line."""
    return element("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "class": kind})


def rect(x: float, y: float, width: float, height: float, kind: str, **extra) -> Element:
    """A rectangle by its upper left corner."""
    place = {"x": x, "y": y, "width": max(width, 0), "height": max(height, 0), "class": kind}
    return element("rect", place | extra)


def box(row: Row, x: float, y: float, width: float, size: float) -> Element:
    """A named box centred at x, y; one with a section is a button."""
    height = size + 8
    button = {"role": "button", "data-name": row.section} if row.section else {}
    said = f"{row.label}{', ' + row.mark if row.mark else ''}"
    label = {"aria-label": f"{said}: go to its section"} if row.section else {}
    return element(
        "g",
        {"class": f"box {row.kind} {row.mark}"} | button | label,
        rect(x - width / 2, y - height / 2, width, height, "face", rx=4),
        text(x, y + 0.35 * size, row.label, anchor="middle"),
    )


def drawing(title: str, width: float, height: float, shapes: list[Element]) -> dict[str, Any]:
    """One finished drawing; `title` is its name for screen readers."""
    return {"title": title, "width": width, "height": height, "shapes": shapes}


def columns(title: str, parts: list[Column], size: float, links: tuple = ()) -> dict[str, Any]:
    """Columns side by side. links: pairs (column, (column, row)): a wire from the
    top of the one to a box of the other."""
    wide, step = WIDE * size, size + 14
    rows = max(len(part.rows) for part in parts)
    height = (rows + 2) * step
    shapes: list[Element] = []
    for i, part in enumerate(parts):
        shapes += _column(part, i * wide, height, size)
    for start, end in links:
        shapes.insert(
            0, _link(len(parts[start].rows), start * wide, end, wide=wide, height=height, size=size)
        )
    return drawing(title, wide * len(parts), height, shapes)


def _column(part: Column, left: float, height: float, size: float) -> list[Element]:
    step, width = size + 14, BOX * size
    x = left + GUTTER * size + width / 2
    heights = [height - (i + 1.5) * step for i in range(len(part.rows))]
    first, stop = part.frame
    low, high = heights[first] + step / 2, heights[stop - 1] - step / 2
    shapes = [
        rect(left + (GUTTER - 0.3) * size, high, FRAME * size, low - high, "frame quiet", rx=6),
        line(x, height - step, x, heights[-1] - step / 2, "spine"),
        # Beside the lowest box: a wire from another column enters further up.
        text(left + (GUTTER - 0.5) * size, heights[first] + 0.35 * size, part.times, "name", "end"),
        text(x, height - 0.4 * size, part.reads, "muted", "middle"),
        text(x, heights[-1] - 0.75 * step, part.gives, "muted", "middle"),
    ]
    for row, y in zip(part.rows, heights, strict=True):
        shapes.append(box(row, x, y, width, size))
        at = left + (GUTTER + 0.4) * size + width
        shapes.append(text(at, y + 0.35 * size, row.mark, f"mark {row.mark}"))
    return shapes


def _link(
    rows: int, left: float, end: tuple[int, int], *, wide: float, height: float, size: float
) -> Element:
    """From the top of the column at `left` into the side of a box (column, row) of another."""
    step, (column, row) = size + 14, end
    x, right = left + (GUTTER + BOX / 2) * size, column * wide
    top, across = height - (rows + 1) * step, height - (row + 1.5) * step
    turn = right + 0.6 * size
    path = f"M{x} {top} V{top - 0.4 * step} H{turn} V{across} H{right + GUTTER * size}"
    return element("path", {"class": "wire", "d": path})


def stack(
    *, N: int, H: int, dmodel: int, height: float, size: float, widest: int = 1600
) -> dict[str, Any]:
    """A whole GPT, its N blocks as thin rows: attention left of the stream, MLP right of it.

    In one picture lengths compare: rows are as long as the stream is wide, and the MLP is drawn
    twice as long as the attention because it has twice the weights.
    """
    width, step = 25 * size, size + 14
    x, unit = 0.4 * width, 0.6 * width * min(1, dmodel / widest) ** 0.5
    low, high = height - 1.6 * step, 2.4 * step
    pitch = min(2.6 * size, (low - high) / N)
    high = low - pitch * N
    thick = max(1.5, 0.72 * pitch)
    shapes = [
        rect(x - 3 - dmodel / 250, high - step, 6 + dmodel / 125, low - high + step, "stream")
    ]
    for i in range(N):
        y = low - (i + 0.5) * pitch - thick / 2
        shapes += _thin_row(x, y, unit, thick, H)
    embed, norm, head = (
        Row(label, kind)
        for label, kind in (("wte + wpe", "embed"), ("norm", "norm"), ("lm_head", "head"))
    )
    shapes += [
        box(embed, x, low + 0.75 * step, 9 * size, size),
        box(norm, x, high - 0.7 * step, 9 * size, size),
        box(head, x, high - 1.7 * step, 9 * size, size),
        text(x + 0.9 * unit + size, low - 0.3 * size, "block 0", "muted"),
    ]
    if N > 1 and low - high > 3 * size:
        shapes.append(text(x + 0.9 * unit + size, high + size, f"block {N - 1}", "muted"))
    label = f"{N} blocks of {H} heads on a stream {dmodel} wide"
    return drawing(label, width, height, shapes)


def _thin_row(x: float, y: float, unit: float, thick: float, H: int) -> list[Element]:
    """One block: H heads side by side, then the MLP."""
    gap, attn, ff = 8, 0.45 * unit, 0.9 * unit
    head = attn / H
    heads = [
        rect(x - gap - attn + h * head, y, head - (1 if head > 3 else 0.4), thick, "solid attn")
        for h in range(H)
    ]
    return [*heads, rect(x + gap, y, ff, thick, "solid ff")]


def block_flow(
    norms: dict[str, float], shapes: dict[str, str], size: float, stretch: float
) -> dict[str, Any]:
    """One block, opened: what flows through it at one token, and the shapes on the way.

    Args:
        norms: L2 norms at the token, by name: enters, norm_1, attn, middle, norm_2, ff, leaves.
        shapes: written shapes, by name: stream, attn, ff.
        stretch: 1 for the lowest drawing whose lines of text do not touch.
    """
    up = size * stretch
    width, height = 35 * size, 15 * up
    x, first, second = 5.5 * size, 14.5 * size, 28 * size
    drawn = [rect(x - 5, up, 10, height - 2.6 * up, "stream")]
    for base, norm, work in ((height - 3.4 * up, "norm_1", "attn"), (5.7 * up, "norm_2", "ff")):
        drawn += _branch(x, second, base, base - 3.4 * up, size)
        named = f"{norm} · {magnitude(norms[norm])}"
        drawn += [
            box(Row(named, "norm"), first, base, 10 * size, size),
            box(Row(work, work), second, base, 6 * size, size),
            text(first - 5 * size, base - 3.4 * up - 0.5 * size, f"+ {magnitude(norms[work])}"),
            text(second, base + 1.75 * size, shapes[work], "muted", "middle"),
        ]
    for name, y in (("enters", height - 2 * up), ("middle", 7.5 * up), ("leaves", 1.7 * up)):
        drawn.append(text(x - size, y, magnitude(norms[name]), "number", "end"))
    drawn.append(text(x - 5, height - 0.4 * up, f"stream {shapes['stream']}", "muted"))
    enters, leaves = magnitude(norms["enters"]), magnitude(norms["leaves"])
    said = f"One block: the stream enters with norm {enters} and leaves with {leaves}"
    return drawing(said, width, height, drawn)


def _branch(x: float, work: float, base: float, add: float, size: float) -> list[Element]:
    """From the stream through norm and module, and back into the stream at a +."""
    path = f"M{x} {base} H{work} V{add} H{x}"
    cross = f"M{x - 0.35 * size} {add} h{0.7 * size} M{x} {add - 0.35 * size} v{0.7 * size}"
    return [
        element("path", {"class": "wire", "d": path}),
        element("circle", {"class": "plus", "cx": x, "cy": add, "r": 0.65 * size}),
        element("path", {"class": "plus", "d": cross}),
    ]
