"""Pictures of attention in as few characters as the browser needs to draw them."""

import base64

import numpy as np


def as_bytes(shares: np.ndarray) -> str:
    """Values from 0 to 1 as one byte each, 255 for 1, in base64."""
    pixels = np.nan_to_num(shares * 255).round().clip(0, 255).astype(np.uint8)
    return base64.b64encode(pixels.tobytes()).decode()


def lower_triangles(patterns: np.ndarray) -> str:
    """(..., T, T) causal patterns as bytes, row by row, without the future, where all is 0."""
    rows, columns = np.tril_indices(patterns.shape[-1])
    return as_bytes(patterns[..., rows, columns])
