"""What stands out in a picture, in words, from its numbers.

Each function takes the arrays its picture shows and returns one or two sentences as HTML, in which
only the tokens are marked up and all of their text is escaped.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from viz.labels import TokenLabel, decimals, magnitude, percent, probability, writer_label

# How a head that scores high on each measure is called in the literature.
ROLES = {
    "induction": "an induction head",
    "previous": "a previous-token head",
    "duplicate": "a duplicate-token head",
    "first": "parked on the first token",
    "current": "a head that reads its own position",
}
FOLLOWED = "the token that followed"
ON_COPIES = {"induction", "duplicate"}  # these are means over tokens that stood before
ROLE_FROM = 0.4  # mean attention from which a head's habit is worth a name
FEW_COPIES = 3  # tokens that stood before, below which a mean over them is no habit
FEW = 4  # tokens, below which all heads look alike: the one before is the first one, or oneself


def at(label: TokenLabel) -> str:
    """A token with its position: `·mat` (5)."""
    return f"{label.html} ({label.position})"


def attention(
    pattern: np.ndarray,
    labels: Sequence[TokenLabel],
    focus: int,
    gives: str,
    scores: Mapping[str, float],
) -> str:
    """Where one head looks from the position in focus, and what it does over the whole prompt.

    Args:
        pattern: (S, S).
        gives: who looks, and how much: "head 5.1 gives {share} of its attention".
        scores: this head's scores by name, NaN if unknown; empty for several heads pooled.
    """
    row = pattern[focus]
    source = int(row.argmax())
    relation = _relation(labels, focus, source)
    share = probability(float(row[source]))
    given = gives.format(share=share)
    first = f"After {at(labels[focus])}, {given} to {at(labels[source])}{relation}."
    again = len(labels) - len({label.id for label in labels})
    if FOLLOWED in relation:
        first += f" To copy it is to guess that {labels[source].html} comes next again."
    return f"{first} {_habit(scores, again) if len(labels) >= FEW else ''}".strip()


def head_write(
    head: str,
    label: TokenLabel,
    norm: float,
    up: tuple[TokenLabel, float],
    down: tuple[TokenLabel, float],
    *,
    read: tuple[TokenLabel, float],
) -> str:
    """What one head adds at the token in focus, and the next tokens it favours and disfavours.

    Args:
        norm: of the vector it adds; up, down: the token pushed most each way, and the change of its
            logit against the mean token's.
        read: the token it reads most, and the change of that one's logit.
    """
    return (
        f"At {at(label)}, head {head} adds a vector of norm {magnitude(norm)}. Against the mean "
        f"token it moves the logit of {up[0].html} by {_change(up[1])}, that of {down[0].html} by "
        f"{_change(down[1])}, and that of {at(read[0])}, which it reads most, by "
        f"{_change(read[1])}. One more makes a token e ≈ 2.7 times as likely beside the others."
    )


def residual(
    norms: np.ndarray, writes: np.ndarray, writers: Sequence[str], label: TokenLabel
) -> str:
    """How the stream of one token grows or shrinks, and who writes most.

    Args:
        norms, writes: (2N+1,) for the token in focus.
    """
    largest = 1 + int(np.nanargmax(writes[1:]))
    most = (
        f"The largest addition on the way is {writer_label(writers[largest])} with a norm of "
        f"{magnitude(writes[largest])}."
    )
    added = most if writes[largest] else "Nothing is added on the way."
    return f"At {at(label)} the stream {_from_to(norms[0], norms[-1])}. {added}"


def writes(ratio: np.ndarray, cosine: np.ndarray, writers: Sequence[str], label: TokenLabel) -> str:
    """The write that changes the stream most at the token in focus, and those that erase.

    Args:
        ratio, cosine: (2N+1,) of each write against the stream it is added to; NaN where there is
            none, as in row 0.
    """
    if np.isnan(ratio).all():
        return (
            f"At {at(label)} every writer finds a stream of norm 0, of which nothing is a multiple."
        )
    largest = int(np.nanargmax(ratio))
    if not ratio[largest]:
        return f"At {at(label)} no writer adds anything to a stream above norm 0."
    against = int((cosine[1:] < -0.1).sum())
    return (
        f"At {at(label)}, {writer_label(writers[largest])} adds {ratio[largest]:.2f} times the "
        f"norm it finds, with a cosine of {_change(cosine[largest])}. {against} of "
        f"{len(writers) - 1} writers point against the stream (cosine below −0.1)."
    )


def entries(value: float, dimension: int, share: float, label: TokenLabel, dmodel: int) -> str:
    """The largest entry of the stream, and how much of its vector's length it makes up alone.

    Args:
        share: of the squared length, 0 to 1.
    """
    if not value:
        return "Every entry of the stream is 0."
    return (
        f"The largest entry is {magnitude(value)}, dimension {dimension} of {at(label)}: one of "
        f"{dmodel:,} numbers, it makes up {percent(share)} of that vector’s squared length "
        f"({1 / dmodel:.1%} would be its even share)."
    )


def sink(norms: np.ndarray, writers: Sequence[str], labels: Sequence[TokenLabel]) -> str:
    """A sentence on the first position where its stream is far larger than the others', or ''.

    Args:
        norms: (2N+1, S)
    """
    if norms.shape[1] < 3:
        return ""
    typical = np.median(norms[:, 1:], axis=1)
    ratios = norms[:, 0] / np.where(typical > 0, typical, np.inf)  # nothing is typical of nothing
    row = int(np.nanargmax(ratios))
    if ratios[row] < 3:
        return ""
    return (
        f"After {writer_label(writers[row])}, {at(labels[0])} has {magnitude(ratios[row])} times "
        "the norm of a typical position: "
        "the first token serves heads as a place to look when they have nothing to read."
    )


def lens(
    best: Sequence[TokenLabel], entropy: np.ndarray, rows: Sequence[str], label: TokenLabel
) -> str:
    """When the final guess becomes the best one, and how the doubt shrinks.

    Args:
        best: the best token in each of R rows; entropy: (R,) nats, for the token in focus.
        rows: their writers; label: the token in focus.
    """
    settled = len(best) - 1
    while settled > 0 and best[settled - 1].id == best[-1].id:
        settled -= 1
    when = (
        "is the best guess in every row shown"
        if settled == 0
        else f"becomes the best guess {_when(rows, settled)} and stays so to the top"
    )
    return f"Having read {at(label)}, {best[-1].html} {when}. {_doubt(entropy, rows)}"


def course(word: TokenLabel, ranks: np.ndarray, probs: np.ndarray, rows: Sequence[str]) -> str:
    """When the target first leads, and how it gets there.

    Args:
        ranks, probs: (R,) of the target, bottom of the stream first.
    """
    leads = np.flatnonzero(ranks == 0)
    start = f"{word.html} is at place {ranks[0] + 1:,} after {writer_label(rows[0])}"
    if not len(leads):
        best = int(ranks.argmin())
        if best == 0:
            return f"{start}, comes no closer after it, and never leads."
        closest = f"{writer_label(rows[best])} (place {ranks[best] + 1:,})"
        return f"{start}, never leads, and comes closest after {closest}."
    first = int(leads[0])
    return (
        f"{start} and first leads {_when(rows, first)}. At the top it is at place "
        f"{ranks[-1] + 1:,} with probability {probability(float(probs[-1]))}."
    )


def next_token(
    words: Sequence[TokenLabel],
    probs: np.ndarray,
    entropy: float,
    label: TokenLabel,
    after: str = "",
) -> str:
    """How sure the model is of its best guess.

    Args:
        words: k best tokens; probs: (k,); entropy: of the whole distribution, nats.
        after: the writer whose row of the lens this is; empty for the model's own answer.
    """
    if len(words) < 2:
        return f"After {at(label)} the only token listed is {words[0].html}."
    ratio = probs[0] / max(float(probs[1]), 1e-12)
    times = f"{ratio:.1f} times " if ratio < 100 else "over 100 times "
    lead = "" if times == "1.0 times " else times
    who = f"the stream after {after} points to" if after else "the model expects"
    return (
        f"After {at(label)} {who} {words[0].html} with probability "
        f"{probability(float(probs[0]))}, {lead}as likely as {words[1].html}. The "
        f"{len(words)} best share {probability(float(probs.sum()))}; {_hesitation(entropy)}."
    )


def neurons(after: np.ndarray, labels: Sequence[TokenLabel], focus: int) -> str:
    """How many neurons answer to the token in focus, and which most.

    Args:
        after: (S, dff) activations after the GELU.
    """
    values = after[focus]
    if not values.any():
        return f"At {at(labels[focus])}, all {len(values):,} neurons are at 0."
    best = int(np.abs(values).argmax())
    peak = int(np.abs(after[:, best]).argmax())
    squares = np.sort(np.square(values, dtype=np.float64))[::-1]
    share = squares[:10].sum() / squares.sum()
    fire = int((values > 0).sum())
    how_many = f"{fire:,} of {len(values):,} neurons are" if fire else "none of the neurons is"
    return (
        f"At {at(labels[focus])}, {how_many} above zero. Neuron {best} stands furthest from "
        f"it, at {magnitude(float(values[best]))}"
        f"{_peak(peak, focus, labels)}. The 10 strongest hold {percent(share)} of the squared "
        "activation."
    )


def neuron(after: np.ndarray, labels: Sequence[TokenLabel], focus: int, name: str) -> str:
    """Where one neuron is most active.

    Args:
        after: (S,) its activations after the GELU; name: block and neuron, "3.172".
    """
    peak = int(after.argmax())
    here = magnitude(float(after[focus]))
    if not after.any():
        return f"Neuron {name} is at 0 at every token."
    if after[peak] <= 0:
        lowest = int(after.argmin())
        return (
            f"Neuron {name} is above zero at none of {_tokens(len(after))}: it is silent here. "
            f"Below zero GELU leaves at most −0.17, and most of it, "
            f"{magnitude(float(after[lowest]))}, at {at(labels[lowest])}."
        )
    return (
        f"Neuron {name} is above zero at {int((after > 0).sum()):,} of {_tokens(len(after))} and "
        f"strongest at {at(labels[peak])} with {magnitude(float(after[peak]))}"
        f"{'' if peak == focus else f'; at {at(labels[focus])} it stands at {here}'}."
    )


def pushes(up: Sequence[TokenLabel], down: Sequence[TokenLabel], here: float) -> str:
    """What a neuron raises and lowers most; tokens strongest first.

    here: its activation at the token in focus, after the GELU.
    """
    raised, lowered = (", ".join(word.html for word in words[:3]) for words in (up, down))
    said = f"When active, it speaks for {raised} rather than {lowered}"
    return f"{said}." if here > 0 else f"{said}; below zero, as here, faintly for the opposite."


def gelu(before: np.ndarray, after: np.ndarray, label: TokenLabel) -> str:
    """On which side of zero the inputs of one token lie, and what GELU makes of them.

    Args:
        before, after: (dff,)
    """
    negative = before < 0
    loudest, lost = int(before.argmax()), int(before.argmin())
    return (
        f"At {at(label)}, {int(negative.sum()):,} of {len(before):,} inputs "
        f"({percent(negative.mean())}) are negative. The lowest, {decimals(before[lost])}, comes "
        f"out as {decimals(after[lost])}, the largest, {decimals(before[loudest])}, as "
        f"{decimals(after[loudest])}; ReLU would give {decimals(max(before[lost], 0))} and "
        f"{decimals(max(before[loudest], 0))}."
    )


def embedding(wte: np.ndarray, wpe: np.ndarray, label: TokenLabel) -> str:
    """How the two summands of one token compare.

    Args:
        wte, wpe: (dmodel,)
    """
    what, where = float(np.linalg.norm(wte)), float(np.linalg.norm(wpe))
    cosine = float(wte @ wpe) / max(what * where, 1e-30)
    longer = "the token weighs more" if what > where else "the position weighs more"
    more = longer if what != where else "they weigh the same"
    angle = "nearly at right angles" if abs(cosine) < 0.15 else f"with cosine {decimals(cosine)}"
    stand = f"they stand {angle} to each other" if what and where else "norm 0 has no direction"
    return (
        f"At {at(label)} the token’s row has norm {magnitude(what)}, the position’s "
        f"{magnitude(where)}, so {more}; {stand}, and their sum has norm "
        f"{magnitude(float(np.linalg.norm(wte + wpe)))}."
    )


def nearest(
    words: Sequence[TokenLabel],
    cosines: np.ndarray,
    typical: float,
    label: TokenLabel,
    unseen: bool,
) -> str:
    """What the nearest tokens are, and how near that is.

    Args:
        words, cosines: k tokens, nearest first; typical: the median over all tokens.
        unseen: the model was not trained on the token.
    """
    if unseen:
        return f"This model was never trained on {label.html}, so what is near it means nothing."
    return (
        f"Nearest to {label.html} stands {words[0].html} with cosine {decimals(cosines[0])}; the "
        f"typical token has {decimals(typical)}: what counts is how far above that a token stands."
    )


def positions(learned: np.ndarray, fixed: np.ndarray, focus: int) -> str:
    """How alike neighbours are in the learned table and in the sinusoids.

    Args:
        learned, fixed: (P, P) cosines between positions.
    """
    if len(learned) < 2:
        return "There is one position only."
    near, old = (float(np.diagonal(table, offset=1).mean()) for table in (learned, fixed))
    others = np.where(np.arange(len(learned)) == focus, -np.inf, learned[focus])
    return (
        f"Neighbours have cosine {decimals(near)} on average in the learned table and "
        f"{decimals(old)} among the sinusoids, where it depends on the distance alone. Most like "
        f"position {focus} is, learned, position {int(others.argmax())} with "
        f"{decimals(others.max())}."
    )


def _from_to(start: float, end: float) -> str:
    """How the norm of a stream goes from its start to its end."""
    low, high = magnitude(start), magnitude(end)
    if low == high:
        return f"has norm {low} both after the embedding and at the top"
    way = "grows" if end > start else "shrinks"
    return f"{way} from {low} after the embedding to {high} at the top"


def _when(rows: Sequence[str], index: int) -> str:
    """`after 3 attn`; `in block 3` where only the block's end is shown, so either may have done it.

    Args:
        rows: the writers shown, bottom of the stream first.
    """
    block, _, part = rows[index].rpartition(".")
    if part == "ff" and index and rows[index - 1] != f"{block}.attn":
        return f"in block {block.removeprefix('blocks.')}"
    return f"after {writer_label(rows[index])}"


def _doubt(entropy: np.ndarray, rows: Sequence[str]) -> str:
    """How the entropy goes up the stream: its ends, and its height if that lies between them."""
    high, ends = int(entropy.argmax()), max(float(entropy[0]), float(entropy[-1]))
    over = (
        f", by way of {entropy[high]:.1f} {_when(rows, high)}" if entropy[high] > ends + 1 else ""
    )
    return (
        f"The doubt goes from {entropy[0]:.1f} nats of entropy at {writer_label(rows[0])} to "
        f"{entropy[-1]:.1f} at the top{over} (0 would be certainty)."
    )


def _hesitation(entropy: float) -> str:
    among = float(np.exp(entropy))
    if among < 1.005:
        return "it does not hesitate"
    return f"it hesitates as among {magnitude(among)} equally likely tokens"


def _relation(labels: Sequence[TokenLabel], focus: int, source: int) -> str:
    """How the token read relates to the token reading, as a clause."""
    if source == focus:
        return ", itself"
    if 0 < source < focus - 1 and labels[source - 1].id == labels[focus].id:
        since = (label.id for label in labels[source : focus - 1])
        when = "before" if labels[focus].id in since else "last time"
        return f", {FOLLOWED} {labels[focus].html} {when}"
    if source == focus - 1:
        return ", the token just before it"
    if labels[source].id == labels[focus].id:
        return ", an earlier copy of itself"
    if source == 0:
        return ", the first token, where heads rest when they find nothing to read"
    return ""


def _habit(scores: Mapping[str, float], again: int) -> str:
    """What a head does over the prompt; where it rests with nothing to do comes last.

    again: how many tokens have stood before; some scores are means over them alone, and say less.
    """
    high = {name: scores[name] for name in ROLES if scores.get(name, np.nan) >= ROLE_FROM}
    rests = high.pop("first", None)
    everywhere = {name: score for name, score in high.items() if name not in ON_COPIES}
    candidates = everywhere or (high if again >= FEW_COPIES else {})
    if not candidates and rests:
        return f"Over the whole prompt it is {ROLES['first']} (score {rests:.2f} of 1)."
    if not candidates:
        return ""
    name = max(candidates, key=candidates.__getitem__)
    copies = f"Where a token comes again, {again:,} times here,"
    where = copies if name in ON_COPIES else "Over the whole prompt"
    rest = f"; all in all it gives the first token {rests:.2f}" if rests else ""
    return f"{where} it is {ROLES[name]} (score {high[name]:.2f} of 1){rest}."


def _peak(peak: int, focus: int, labels: Sequence[TokenLabel]) -> str:
    """Where in the prompt a neuron goes furthest from zero, as a clause."""
    if len(labels) == 1:
        return ""
    return (
        ", its furthest in this prompt"
        if peak == focus
        else f"; it goes furthest at {at(labels[peak])}"
    )


def _tokens(count: int) -> str:
    return f"{count:,} token{'s' if count != 1 else ''}"


def _change(value: float) -> str:
    """What is added or taken away, with its sign."""
    return decimals(value, signed=True)
