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


GIVES = "head 5.1 gives {share} of its attention"


def looking_at(source: int, S: int, focus: int) -> np.ndarray:
    pattern = np.tri(S) * 0.01
    pattern[focus, source] = 0.81
    return pattern


def said(source: int, focus: int, tokens, **scores: float) -> str:
    pattern = looking_at(source, len(tokens), focus)
    return words(captions.attention(pattern, labels(*tokens), focus, GIVES, scores))


def test_an_induction_head_is_named_for_what_it_does():
    text = said(2, 4, [" the", " cat", " sat", " on", " cat"], induction=0.78, previous=0.1)
    assert "After ·cat (4), head 5.1 gives 0.81 of its attention to ·sat (2)" in text
    assert "the token that followed ·cat last time" in text
    tokens = [*"abcdabcd"]
    text = said(1, 4, tokens, induction=0.78, previous=0.1)
    assert "Where a token comes again, 4 times here, it is an induction head (score 0.78 of" in text
    assert "comes again, 4 times here, it is a duplicate" in said(0, 4, tokens, duplicate=0.9)
    assert "Over the whole prompt it is a previous" in said(3, 4, tokens, previous=0.9)


def test_one_or_two_copies_make_no_habit():
    tokens = [" the", " cat", " sat", " the", " cat"]
    assert "head (score" not in said(2, 4, tokens, induction=1.0, duplicate=0.9)


def test_what_a_head_does_everywhere_says_more_than_what_it_does_on_copies():
    text = said(3, 4, [*"aaaaa"], induction=1.0, previous=0.9)
    assert "Over the whole prompt it is a previous-token head (score 0.90 of 1)." in text


def test_an_earlier_time_is_not_the_last_one():
    tokens = [" a", " b", " a", " c", " d", " a"]
    assert "the token that followed ·a last time" in said(3, 5, tokens)
    assert "the token that followed ·a before" in said(1, 5, tokens)


def test_the_token_before_is_called_so_also_where_it_followed_a_copy():
    text = said(3, 4, [" a", " b", " a", " c", " a"])
    assert "the token just before it" in text and "comes next again" not in text


def test_other_relations_are_named():
    tokens = [" a", " b", " c", " a"]
    assert "the token just before it" in said(2, 3, tokens)
    assert "an earlier copy of itself" in said(0, 3, tokens)
    assert "itself" in said(3, 3, tokens)
    assert "heads rest" in said(0, 2, tokens)


def test_a_head_that_also_rests_is_named_by_what_it_does():
    text = said(0, 1, [*"abcdabcd"], induction=0.71, first=0.72)
    assert "induction head (score 0.71 of 1); all in all it gives the first token 0.72." in text
    assert "it is parked on the first token (score 0.72 of 1)." in said(
        0, 1, [" a", " b", " c", " d"], first=0.72
    )


def test_a_prompt_too_short_for_habits_has_none():
    assert "it is" not in said(0, 1, [" a", " b", " c"], previous=1.0, first=1.0)


def test_a_model_that_is_certain_does_not_hesitate():
    text = captions.next_token(labels("a", "b"), np.array([1.0, 1e-9]), 1e-6, labels("x")[0])
    assert "it does not hesitate." in text


def test_weak_and_unknown_habits_are_not_named():
    assert " it is " not in said(0, 1, [" a", " b"], induction=np.nan, previous=0.2)
    assert " it is " not in said(0, 1, [" a", " b"])


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


def test_a_stream_may_shrink_or_stay():
    writers, label = ["embed", "blocks.0.attn", "blocks.0.ff"], labels("x")[0]
    text = words(captions.residual(np.array([100, 80, 60.1]), np.ones(3), writers, label))
    assert "At x (0) the stream shrinks from 100 after the embedding to 60.1 at the top." in text
    text = words(captions.residual(np.array([2, 3, 2]), np.ones(3), writers, label))
    assert "the stream has norm 2 both after the embedding and at the top. The largest" in text


def test_a_stream_of_nothing_gets_true_sentences():
    writers, (a, b, c) = ["embed", "blocks.0.attn", "blocks.0.ff"], labels("a", "b", "c")
    none, unknown = np.zeros(3), np.full(3, np.nan)
    text = words(captions.residual(none, none, writers, a))
    assert "has norm 0 both after the embedding and at the top. Nothing is added on the" in text
    text = words(captions.writes(unknown, unknown, writers, a))
    assert text == "At a (0) every writer finds a stream of norm 0, of which nothing is a multiple."
    text = words(captions.writes(np.array([np.nan, 0, 0]), unknown, writers, a))
    assert text == "At a (0) no writer adds anything to a stream above norm 0."
    assert captions.entries(0.0, 0, 0.0, a, 8) == "Every entry of the stream is 0."
    assert captions.sink(np.zeros((3, 3)), writers, [a, b, c]) == ""
    text = words(captions.neurons(np.zeros((3, 32)), [a, b, c], 1))
    assert text == "At b (1), all 32 neurons are at 0."
    assert captions.neuron(none, [a, b, c], 1, "3.7") == "Neuron 3.7 is at 0 at every token."
    text = words(captions.embedding(none, none, a))
    assert "so they weigh the same; norm 0 has no direction, and their sum has norm 0." in text


def test_the_sink_is_told_only_where_it_is():
    flat, writers = np.ones((3, 4)), ["embed", "blocks.0.attn", "blocks.0.ff"]
    assert captions.sink(flat, writers, labels("a", "b", "c", "d")) == ""
    flat[1, 0] = 50
    assert "After 0 attn, a (0) has 50 times" in words(
        captions.sink(flat, writers, labels("a", "b", "c", "d"))
    )
    assert captions.sink(np.ones((3, 1)), writers, labels("a")) == ""


def test_the_lens_tells_when_the_guess_settles():
    first, second = labels(" floor", " mat")
    rows = ["embed", "blocks.0.ff", "blocks.1.ff", "blocks.2.ff"]
    entropy = np.array([9.1, 5, 3, 1.2])
    text = words(captions.lens([second, first, second, second], entropy, rows, first))
    assert "·mat becomes the best guess in block 1 and stays so" in text
    assert "9.1 nats of entropy at embed to 1.2 at the top (0" in text
    assert "every row" in words(captions.lens([second] * 4, entropy, rows, first))


def test_the_lens_names_the_writer_where_every_one_is_shown():
    first, second = labels(" floor", " mat")
    rows = ["embed", "blocks.0.attn", "blocks.0.ff"]
    entropy = np.array([0.1, 4.0, 0.2])
    text = words(captions.lens([first, second, second], entropy, rows, first))
    assert "·mat becomes the best guess after 0 attn" in text
    assert "from 0.1 nats of entropy at embed to 0.2 at the top, by way of 4.0 after 0 attn" in text
    text = words(captions.lens([first, first, second], entropy, rows, first))
    assert "·mat becomes the best guess after 0 ff" in text


def test_the_next_token_is_weighed_against_the_second():
    text = words(
        captions.next_token(labels(" mat", " floor"), np.array([0.6, 0.2]), 1.0, labels("x")[0])
    )
    assert "expects ·mat with probability 0.60, 3.0 times as likely as ·floor" in text
    assert "among 2.72 equally likely tokens" in text


def test_the_best_may_be_as_likely_as_the_second():
    pair, probs = labels(" mat", " floor"), np.array([0.2, 0.199])
    text = words(captions.next_token(pair, probs, 1.0, labels("x")[0]))
    assert "expects ·mat with probability 0.20, as likely as ·floor" in text


def test_a_target_that_never_leads_is_told_where_it_is_closest():
    word, rows = labels("x")[0], ["embed", "blocks.0.attn", "blocks.0.ff"]
    text = words(captions.course(word, np.array([90, 7, 50]), np.zeros(3), rows))
    assert text == "x is at place 91 after embed, never leads, and comes closest after 0 attn" + (
        " (place 8)."
    )
    text = words(captions.course(word, np.array([3993, 4000, 3993]), np.zeros(3), rows))
    assert text == "x is at place 3,994 after embed, comes no closer after it, and never leads."


def test_markup_in_tokens_is_escaped():
    pattern = looking_at(0, 2, 1)
    caption = captions.attention(pattern, labels("<b>", "<script>"), 1, GIVES, {})
    assert "<b>" not in caption
    assert "<script>" not in caption


def test_neurons_are_counted_and_the_strongest_named_with_its_peak():
    after = np.zeros((3, 20))
    after[:, 7] = [4.0, 0.0, 2.0]
    after[2, 3] = 1.0
    text = words(captions.neurons(after, labels("a", "b", "c"), 2))
    assert "At c (2), 2 of 20 neurons are above zero" in text
    assert "Neuron 7 stands furthest from it, at 2; it goes furthest at a (0)" in text
    assert "hold 100% of the squared activation" in text
    assert "its furthest in this prompt" in words(captions.neurons(after, labels("a", "b", "c"), 0))
    assert "peak" not in words(captions.neurons(after[:1], labels("a"), 0))


def test_a_neuron_is_told_by_where_it_is_active():
    tokens = labels("a", "b", "c")
    text = words(captions.neuron(np.array([-0.1, 2.5, 0.3]), tokens, 2, "3.7"))
    assert "Neuron 3.7 is above zero at 2 of 3 tokens and strongest at b (1) with 2.5" in text
    assert "at c (2) it stands at 0.3." in text
    alone = words(captions.neuron(np.array([1.0]), labels("a"), 0, "3.7"))
    assert alone == "Neuron 3.7 is above zero at 1 of 1 token and strongest at a (0) with 1."


def test_a_neuron_that_never_fires_is_called_silent():
    text = words(captions.neuron(np.array([-0.1, -0.16]), labels("a", "b"), 0, "3.7"))
    assert "above zero at none of 2 tokens: it is silent here" in text
    assert "−0.16, at b (1)." in text


def test_where_no_neuron_fires_the_one_that_writes_most_is_named():
    text = words(captions.neurons(np.array([[-0.01, -0.16, -0.1]]), labels("a"), 0))
    assert "none of the neurons is above zero. Neuron 1 stands furthest from it, at −0.16" in text


def test_gelu_names_the_largest_input_even_where_all_are_negative():
    before = np.array([-5.0, -0.5, -3.0])
    text = words(captions.gelu(before, np.array([-1e-6, -0.154, -0.004]), labels("a")[0]))
    assert "the largest, −0.50, as −0.15" in text


def test_pushes_name_three_tokens_each_way():
    text = words(captions.pushes(labels("a", "b", "c", "d"), labels("w", "x", "y", "z"), 2.5))
    assert text == "When active, it speaks for a, b, c rather than w, x, y."
    text = words(captions.pushes(labels("a"), labels("w"), -0.16))
    assert text.endswith("rather than w; below zero, as here, faintly for the opposite.")


def test_a_head_says_what_it_does_for_the_token_it_reads():
    a, b, c = labels("a", "b", "c")
    text = words(captions.head_write("3.1", a, 2.0, (b, 3.5), (c, -1.25), read=(c, -1.25)))
    assert "moves the logit of b by +3.50, that of c by −1.25, and that of c (2)" in text


def test_gelu_is_set_against_relu():
    before, after = np.array([-3.0, 2.0, -0.001, 1.0]), np.array([-0.004, 1.95, -0.0005, 0.84])
    text = words(captions.gelu(before, after, labels("a")[0]))
    assert "2 of 4 inputs (50%) are negative" in text
    assert "The lowest, −3.00, comes out as 0.00, the largest, 2.00, as 1.95" in text
    assert "ReLU would give 0.00 and 2.00" in text
    before = np.append(np.full(767, -1.0), 1.0)
    text = words(captions.gelu(before, before, labels("a")[0]))
    assert "767 of 768 inputs (over 99%) are negative" in text


def test_the_summands_of_the_embedding_are_compared():
    text = words(captions.embedding(np.array([3.0, 0.0]), np.array([0.0, 4.0]), labels("a")[0]))
    assert "the token’s row has norm 3, the position’s 4, so the position weighs more" in text
    assert "nearly at right angles to each other, and their sum has norm 5." in text
    along = captions.embedding(np.array([2.0, 0.0]), np.array([1.0, 0.0]), labels("a")[0])
    assert "with cosine 1.00" in along


def test_the_nearest_token_stands_beside_the_typical_one():
    near, cosines = labels(" dog", " pet"), np.array([0.62, 0.4])
    text = words(captions.nearest(near, cosines, 0.07, labels(" cat")[0], unseen=False))
    assert "Nearest to ·cat stands ·dog with cosine 0.62; the typical token has 0.07" in text
    assert "how far above that a token stands" in text
    untrained = words(captions.nearest(near, cosines, 0.07, labels(" cat")[0], unseen=True))
    assert "never trained on ·cat" in untrained


def test_positions_are_compared_with_their_neighbours():
    learned = np.array([[1, 0.2, 0.9], [0.2, 1, 0.4], [0.9, 0.4, 1]])
    fixed = np.array([[1, 0.8, 0.5], [0.8, 1, 0.8], [0.5, 0.8, 1]])
    text = captions.positions(learned, fixed, 0)
    assert "Neighbours have cosine 0.30 on average in the learned table and 0.80" in text
    assert "Most like position 0 is, learned, position 2 with 0.90." in text
    assert captions.positions(np.eye(1), np.eye(1), 0) == "There is one position only."
