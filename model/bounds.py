"""Numbers a person may choose, held against their limits in one sentence."""

import operator


def within(value: int, name: str, low: int, high: int) -> int:
    """`value` as an int.

    Raises:
        ValueError: if it is not `low` to `high`.
        TypeError: if it is no whole number.
    """
    value = operator.index(value)
    if not low <= value <= high:
        raise ValueError(f"{name} must be {low} to {high:,}, not {value:,}.")
    return value
