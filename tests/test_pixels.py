"""Pictures as bytes: what the browser is sent."""

import base64

import numpy as np

from viz.pixels import as_bytes, lower_triangles


def decoded(text: str) -> list[int]:
    return list(base64.b64decode(text))


def test_shares_become_one_byte_each_and_no_number_becomes_nothing():
    assert decoded(as_bytes(np.array([0, 1, 0.5, 0.001, np.nan]))) == [0, 255, 128, 0, 0]


def test_rounding_cannot_leave_a_byte():
    assert decoded(as_bytes(np.array([1.0000001, -1e-9]))) == [255, 0]


def test_only_the_past_is_sent_row_by_row():
    pattern = np.array([[1, 0, 0], [0.2, 0.8, 0], [0.4, 0.6, 0]], dtype=np.float16)
    assert decoded(lower_triangles(pattern)) == [255, 51, 204, 102, 153, 0]


def test_pictures_follow_one_another():
    pictures = np.stack([np.eye(2), [[1, 0], [1, 0]]])[None]  # (1, 2, 2, 2)
    assert decoded(lower_triangles(pictures)) == [255, 0, 255, 255, 255, 0]
