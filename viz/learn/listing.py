"""Python source as HTML, with each component's name in that component's colour."""

import html
import io
import keyword
import tokenize
from textwrap import dedent

# The names of model/gpt.py and model/transformer.py, by the kind of component they belong to.
KINDS = {
    **dict.fromkeys(("wte", "wpe", "InputEmbedding", "embedding", "table"), "embed"),
    **dict.fromkeys(("PositionalEncoding", "positions", "sinusoids"), "embed"),
    **dict.fromkeys(("attn", "wq", "wk", "wv", "wo", "attention", "split_heads"), "attn"),
    **dict.fromkeys(("CausalSelfAttention", "MultiHeadAttention", "cross_attn"), "attn"),
    **dict.fromkeys(("ff", "w1", "w2", "MLP", "FeedForward", "gelu", "relu"), "ff"),
    **dict.fromkeys(("norm", "norm_1", "norm_2", "LayerNorm", "LayerNormalization"), "norm"),
    **dict.fromkeys(("lm_head", "projection", "Projection", "log_softmax"), "head"),
}


def listing(source: str) -> str:
    """`source`, whole and unchanged but for its indentation, as marked-up text for a <pre>.

    Raises:
        tokenize.TokenError: if `source` is no Python.
    """
    source = dedent(source).rstrip("\n") + "\n"
    starts = _line_starts(source)
    parts, done = [], 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = _kind(token)
        if kind is None:
            continue
        start, stop = (starts[row - 1] + column for row, column in (token.start, token.end))
        parts += [html.escape(source[done:start]), _span(kind, source[start:stop])]
        done = stop
    return "".join([*parts, html.escape(source[done:])]).rstrip("\n")


def _line_starts(source: str) -> list[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _kind(token: tokenize.TokenInfo) -> str | None:
    """The CSS class of one token; None for what is plain."""
    if token.type in (tokenize.COMMENT, tokenize.STRING):
        return "quiet"
    if token.type == tokenize.NAME:
        return "word" if keyword.iskeyword(token.string) else KINDS.get(token.string)
    return None


def _span(kind: str, text: str) -> str:
    return f'<span class="gl-{kind}">{html.escape(text)}</span>'
