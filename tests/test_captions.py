"""What captions say of arrays made by hand."""

import re

import numpy as np

from viz import captions
from viz.labels import token_label


def labels(*texts: str):
    seen = {}
    return [
        token_label(
            i, seen.setdefault(text, len(seen)), text.encode(), group=i, group_text=text,
            special=False,
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip


def words(caption: str) -> str:
    return re.sub(r"<[^>]+>", "", caption)


def looking_at(source: int, S: int, focus: int) -> np.ndarray:
    pattern = np.tri(S) * 0.01
    pattern[focus, source] = 0.81
    return pattern


def said(source: int, focus: int, tokens, **scores: float) -> str:
    pattern = looking_at(source, len(tokens), focus)
    return words(captions.attention(pattern, labels(*tokens), focus, "5.1", scores))


def test_an_induction_head_is_named_for_what_it_does():
    text = said(2, 4, [" the", " cat", " sat", " on", " cat"], induction=0.78, previous=0.1)
    assert "After ·cat (4), head 5.1 gives 0.81 of its attention to ·sat (2)" in text
    assert "the token that followed ·cat last time" in text
    assert "an induction head (score 0.78 of 1)" in text


def test_other_relations_are_named():
    tokens = [" a", " b", " c", " a"]
    assert "the token just before it" in said(2, 3, tokens)
    assert "an earlier copy of itself" in said(0, 3, tokens)
    assert "itself" in said(3, 3, tokens)
    assert "heads rest" in said(0, 2, tokens)


def test_weak_and_unknown_habits_are_not_named():
    assert "Over the whole prompt" not in said(0, 1, [" a", " b"], induction=np.nan, previous=0.2)
    assert "Over the whole prompt" not in said(0, 1, [" a", " b"])


def test_the_only_token_reads_itself():
    assert "itself" in said(0, 0, [" a"])


def test_the_stream_and_its_largest_writer():
    writers = ["embed", "blocks.0.attn", "blocks.0.ff"]
    text = words(
        captions.residual(
            np.array([4.12, 8, 187]), np.array([4.12, 5, 180]), writers, labels("x")[0]
        )
    )
    assert "from 4.12 after the embedding to 187 at the top" in text
    assert "The largest addition on the way is 0 ff with a norm of 180" in text


def test_the_sink_is_told_only_where_it_is():
    flat = np.ones((3, 4))
    assert captions.sink(flat, labels("a", "b", "c", "d")) == ""
    flat[1, 0] = 50
    assert "50 times" in words(captions.sink(flat, labels("a", "b", "c", "d")))
    assert captions.sink(np.ones((3, 1)), labels("a")) == ""


def test_the_lens_tells_when_the_guess_settles():
    first, second = labels(" floor", " mat")
    rows = ["embed", "blocks.0.ff", "blocks.1.ff", "blocks.2.ff"]
    entropy = np.array([9.1, 5, 3, 1.2])
    text = words(captions.lens([second, first, second, second], entropy, rows, first))
    assert "·mat becomes the best guess after 1 ff and stays so" in text
    assert "9.1 nats" in text
    assert "every row" in words(captions.lens([second] * 4, entropy, rows, first))


def test_the_next_token_is_weighed_against_the_second():
    text = words(
        captions.next_token(labels(" mat", " floor"), np.array([0.6, 0.2]), 1.0, labels("x")[0])
    )
    assert "expects ·mat with probability 0.60, 3.0 times as likely as ·floor" in text
    assert "among 2.72 equally likely tokens" in text


def test_markup_in_tokens_is_escaped():
    pattern = looking_at(0, 2, 1)
    caption = captions.attention(pattern, labels("<b>", "<script>"), 1, "0.0", {})
    assert "<b>" not in caption
    assert "<script>" not in caption
