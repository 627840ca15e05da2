"""The built-in model: its corpus, its training on a tiny scale, and the asset that ships."""

import itertools
import json
import math
import re
from itertools import pairwise
from random import Random

import pytest
import torch

from model import GPTConfig, Tokenizer
from model.gpt import GPT, CausalSelfAttention, causal_mask, init_weights
from model.mini.asset import (
    FOLDER,
    about_asset,
    load_asset,
    runs_of,
    save_asset,
    save_scores,
    shipped_scores,
    trained_ids,
)
from model.mini.corpus import (
    DRILL,
    Lesson,
    Part,
    Vocabulary,
    batches,
    draw_item,
    draw_story,
    drill_row,
    held_out_items,
    is_held_out,
    lessons,
    one_run,
    random_tokens,
    shuffled_runs,
    task_document,
    usual_in_stories,
)
from model.mini.curves import POINTS, Curve, appended, read_log, shipped_curves, thinned
from model.mini.evaluate import (
    OPENING,
    blocks_needed,
    evaluate,
    given_astray,
    joined_words,
    last_states,
    odd_stories,
    told_story,
)
from model.mini.shared_row import log_odds, readings, settle_shared_row
from model.mini.skills import FAMILIES
from model.mini.stories import cast, plots, told, with_prepositions
from model.mini.train import (
    ASTRAY,
    Examples,
    Plan,
    astray,
    drilled,
    fused_attention,
    hide_some,
    keep_records,
    learning_rate,
    losses_of,
    start_from,
    start_run,
    train,
)
from model.mini.usual import Usual
from model.mini.words import GIRLS
from model.trace import run_trace

EXAMPLES = json.loads((FOLDER.parent / "examples.json").read_text(encoding="utf-8"))
TINY = {"dmodel": 32, "N": 2, "H": 2, "max_seq_len": 32, "dropout": 0.0}


@pytest.fixture(scope="module", autouse=True)
def threads_as_before():
    """Training gives each operation one thread; the tests after these get theirs back."""
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer()


def whole_text(parts) -> str:
    return "".join(part.text for part in parts)


@pytest.fixture(scope="module")
def vocabulary(tokenizer):
    rng = Random("test")
    documents = (whole_text(task_document(rng)) + draw_story(rng) for _ in range(100))
    text = " ".join(documents)
    return Vocabulary(tuple(sorted({*tokenizer.encode(text), tokenizer.end_of_text})))


@pytest.fixture(scope="module")
def shipped():
    return load_asset()


# The corpus.


def test_the_same_seed_gives_the_same_batches(tokenizer, vocabulary):
    def drawn(seed):
        drawn = itertools.islice(batches(seed, tokenizer, vocabulary, 2, 64), 3)
        return torch.stack([batch.ids for batch in drawn])

    assert torch.equal(drawn("a"), drawn("a"))
    assert not torch.equal(drawn("a"), drawn("b"))


@pytest.mark.parametrize("family", FAMILIES)
def test_items_are_prompts_with_an_answer(family, tokenizer):
    rng = Random(family)
    for _ in range(200):
        prompt, answer, rest = draw_item(rng, family)
        assert prompt and prompt == prompt.rstrip()
        assert answer[0] == " " or answer == '."'
        ids = tokenizer.encode(prompt)
        assert tokenizer.encode(prompt + answer)[: len(ids)] == ids  # the cut is a token's edge
        assert rest == rest.rstrip() and "  " not in prompt + answer + rest


@pytest.mark.parametrize("family", FAMILIES)
def test_held_out_items_are_never_trained_on(family):
    held_out = {item.prompt for item in held_out_items(family, 50)}
    rng = Random("training")
    assert held_out
    assert held_out.isdisjoint(draw_item(rng, family).prompt for _ in range(500))


def test_a_row_goes_on_where_it_was_asked():
    """Else the model would learn that a row may end at any place."""
    rng = Random("rows")
    for _ in range(100):
        assert "".join(draw_item(rng, "letters"))[-1] in "Zz"
        words = "".join(draw_item(rng, "repeated_words")).replace(",", "").split()
        assert words[: len(words) // 2] * 2 == words


def test_answers_are_marked(tokenizer, vocabulary):
    """Each counts more in the loss, cut into tokens as after its prompt alone."""
    parts = [Part("( hat"), Part(" )", is_answer=True), Part(".")]
    assert [part for part in lessons(parts, tokenizer) if part.is_answer] == [
        Lesson(tokenizer.encode(" )")[0], is_answer=True)  # not " )." in one
    ]
    batch = next(batches("answers", tokenizer, vocabulary, 20, 128))
    assert batch.answers.shape == batch.ids.shape == (20, 128)
    assert 0.01 < batch.answers.float().mean() < 0.2
    parts = task_document(Random("answers"))
    assert [part.is_answer for part in parts] == [False, True] * (len(parts) // 2) + [False]


def test_stories_are_split_too():
    rng = Random("stories")
    assert not any(is_held_out(draw_story(rng)) for _ in range(50))
    assert all(is_held_out(draw_story(rng, held_out=True)) for _ in range(5))


def test_every_plot_can_be_told():
    rng = Random("plots")
    for title in plots():
        for _ in range(30):
            text = " ".join(told(rng, title, cast(rng)))
            assert "{" not in text and "_" not in text


def test_stories_are_told_in_plain_english():
    rng = Random("english")
    text = "\n\n".join(draw_story(rng) for _ in range(400))
    slips = r"\b[Aa] (?!one)[aeiou]|\b(\w+) \1\b|\b[Ii]n (the|a) (island|lake|farm)\b"
    assert not re.search(slips, text, re.IGNORECASE)


def test_places_get_their_prepositions():
    text = "In a lake far away was an inn. He sat in the island, in the market, in the box."
    told_right = "At a lake far away was an inn. He sat on the island, at the market, in the box."
    assert with_prepositions(text) == told_right


def test_a_story_fits_the_context(tokenizer):
    rng = Random("length")
    assert max(len(tokenizer.encode(draw_story(rng))) for _ in range(300)) <= 255


def test_random_tokens_come_again():
    for seed in range(50):
        run = random_tokens(Random(seed), list(range(100)))
        size = len(set(run))
        assert run == run[:size] * (len(run) // size) and len(run) >= 2 * size


# What may follow in a story.


def followers_of(usual, ids):
    """The tokens that may follow each position; None where nothing is barred."""
    rows = usual.barred(torch.tensor(ids))
    return [set((~row).nonzero()[:, 0].tolist()) if row.any() else None for row in rows]


def test_the_longest_context_decides_what_may_follow():
    usual = Usual([[1, 2, 3], [4, 2, 5]] * 400, size=9)
    assert followers_of(usual, [4, 2]) == [{2}, {5}]
    assert followers_of(usual, [7, 2]) == [None, {3, 5}]  # nobody has seen what comes after 7
    assert followers_of(usual, [2]) == [{3, 5}]


def test_a_context_that_has_shown_too_little_is_not_relied_on():
    often, rarely = [[1, 2]] * 700, [[3, 4]] * 5
    usual = Usual([*often, *rarely], size=9)
    assert followers_of(usual, [1, 3]) == [{2}, None]
    # One follower in 700 was seen once only: less than MISSING, so the context stands.
    assert followers_of(Usual([*often, [1, 7]], size=9), [1]) == [{2, 7}]
    assert followers_of(Usual([*often, *([1, n] for n in (6, 7, 8))], size=9), [1]) == [None]


def test_stories_bar_what_never_follows_and_nothing_else_does(tokenizer, vocabulary):
    usual = usual_in_stories(tokenizer, vocabulary, stories=10_000)
    data = batches("told", tokenizer, vocabulary, 8, 257, usual=usual)
    for batch in itertools.islice(data, 3):
        told = batch.barred.any(-1)
        assert 0.1 < told.float().mean() < 0.7
        assert not batch.barred[:, :-1].gather(2, batch.ids[:, 1:, None]).any()
        assert batch.barred[told].float().mean() > 0.9
        assert not told[batch.ids == len(vocabulary.ids) - 1].any()  # any document may begin
    opening = vocabulary.lookup[torch.tensor(tokenizer.encode(f"{OPENING}, there was a little"))]
    may = ~usual.barred(opening)[-1]
    girl, why = (vocabulary.lookup[tokenizer.encode(word)[0]] for word in (" girl", " because"))
    assert may[girl] and not may[why] and not may[vocabulary.shared]


def test_what_goes_astray_is_told_in_nats_above_the_limit():
    share = torch.tensor([0.2, ASTRAY / 2, 0.5])
    logits = torch.stack([share / 2, share / 2, 1 - share], dim=-1).log()
    barred = torch.tensor([[True, True, False]] * 2 + [[False] * 3])
    lost = astray(logits, logits.logsumexp(-1), barred)
    assert lost.tolist() == pytest.approx([math.log(0.2 / ASTRAY), 0.0], abs=1e-5)
    unknown = torch.zeros(3, 0, dtype=torch.bool)
    assert len(astray(logits, logits.logsumexp(-1), unknown)) == 0


# Training.


def make_run(vocabulary, **changes):
    return start_run(Plan(minutes=5, report=10, warmup=0.001, **changes), vocabulary, TINY, "cpu")


def test_the_rate_warms_up_and_comes_down():
    plan = Plan(peak=1.0, warmup=0.1, floor=0.02)
    rates = [learning_rate(plan, done) for done in (0.0, 0.05, 0.1, 0.5, 1.0, 1.5)]
    assert rates == pytest.approx([0.01, 0.5, 1.0, rates[3], 0.02, 0.02])
    assert 0.02 < rates[3] < 1.0


def test_the_shared_row_counts_once_for_each_token_it_stands_for(vocabulary):
    """The compact loss is the loss of the spread-out model over GPT-2's whole vocabulary."""
    whole = Vocabulary(vocabulary.ids[:40], whole=vocabulary.ids[40])
    model = GPT(GPTConfig(vocabsize=41, **TINY))
    init_weights(model, torch.Generator().manual_seed(1))
    compact = torch.randint(0, 40, (2, 9), generator=torch.Generator().manual_seed(2))
    inputs, targets = compact[:, :-1], compact[:, 1:]
    table = model.wte.weight[whole.lookup]  # (whole, dmodel)
    logits = model.norm(model.stream(inputs)) @ table.T
    ids = torch.tensor(whole.ids)
    full = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[targets].flatten())
    unknown = torch.zeros(*targets.shape, 0, dtype=torch.bool)
    part = Examples(inputs, targets, torch.ones(targets.shape), unknown)
    compact_loss, lost = losses_of(model, part, whole)
    assert lost == 0
    assert compact_loss.item() == pytest.approx(full.item(), rel=1e-5)


def test_an_answer_counts_more_and_an_untrained_target_not_at_all(vocabulary):
    model = GPT(GPTConfig(vocabsize=len(vocabulary.ids) + 1, **TINY))
    init_weights(model, torch.Generator().manual_seed(1))
    inputs, targets = torch.tensor([[1, 2, 3]]), torch.tensor([[4, 5, vocabulary.shared]])
    barred = torch.zeros(*inputs.shape, vocabulary.shared + 1, dtype=torch.bool)
    barred[0, 0] = True  # everything, so all of the probability goes astray there

    def losses(*counts):
        part = Examples(inputs, targets, torch.tensor([counts]), barred)
        return [loss.item() for loss in losses_of(model, part, vocabulary)]

    (one, _), (other, _) = losses(1.0, 0.0, 9.0), losses(0.0, 1.0, 9.0)
    both, lost = losses(1.0, 4.0, 9.0)
    assert both == pytest.approx((one + 4 * other) / 5, rel=1e-5) and one != other
    assert lost == pytest.approx(-math.log(ASTRAY) / 5, rel=1e-4)


def test_training_attends_as_the_network_does():
    attention = CausalSelfAttention(GPTConfig(vocabsize=9, **TINY))
    q, k, v = torch.randn(3, 2, 2, 7, 16, generator=torch.Generator().manual_seed(0))
    expected = attention.attention(q, k, v, causal_mask(7))
    assert torch.allclose(fused_attention(q, k, v, causal_mask(7)), expected, atol=1e-5)


def test_hidden_inputs_are_the_shared_row(vocabulary):
    inputs = torch.zeros(50, 50, dtype=torch.long)
    hidden = hide_some(inputs, vocabulary, 0.2)
    assert set(hidden.unique().tolist()) == {0, vocabulary.shared}
    assert 0.1 < (hidden == vocabulary.shared).float().mean() < 0.3


def test_a_few_steps_reduce_the_loss_and_a_checkpoint_goes_on(tokenizer, vocabulary, tmp_path):
    run = make_run(vocabulary)
    data = batches("steps", tokenizer, vocabulary, 4, 33)
    losses = [progress.loss for progress in train(run, data, steps=30)]
    assert losses[-1] < losses[0] - 0.5
    run.save(tmp_path / "checkpoint.pt")

    again = make_run(vocabulary)
    again.restore(tmp_path / "checkpoint.pt")
    assert again.progress == run.progress
    torch.manual_seed(0)
    batch = next(data)
    for continued in (run, again):
        torch.manual_seed(0)  # the same inputs are hidden
        list(train(continued, [batch], steps=1))
    assert again.progress.step == 31
    for one, other in zip(run.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_run_can_go_on_from_a_model_with_fewer_words(tokenizer, vocabulary, tmp_path):
    fewer = Vocabulary(vocabulary.ids[::2])
    first = make_run(fewer)
    first.export(tmp_path)
    run = make_run(vocabulary)
    start_from(run, tmp_path)
    known = list(fewer.ids)
    old, new = first.model.wte.weight, run.model.wte.weight
    assert torch.allclose(new[vocabulary.lookup[known]], old[:-1], atol=1e-3)  # stored in fp16
    assert torch.allclose(new[vocabulary.shared], old[fewer.shared], atol=1e-3)
    fresh = new[vocabulary.lookup[list(vocabulary.ids[1::2])]]
    assert fresh.std().item() == pytest.approx(old[:-1].std().item(), rel=0.1)
    assert len(fresh.unique(dim=0)) == len(fresh)
    assert run.model.lm_head.weight is run.model.wte.weight
    run.export(tmp_path / "next")
    assert runs_of(about_asset(tmp_path / "next")) == [
        about_asset(tmp_path / "next"),
        about_asset(tmp_path),
    ]


def test_a_run_without_drill_begins_with_the_corpus(vocabulary):
    assert drilled(make_run(vocabulary, drill=0.0)) == 1


def test_a_run_starts_with_drill(vocabulary):
    run = make_run(vocabulary)
    assert drilled(run) == 0
    run.progress.seconds = 60 * run.plan.minutes * run.plan.drill
    assert drilled(run) == pytest.approx(1)


def test_a_run_of_the_drill_comes_over_and_over():
    for seed in range(50):
        row = one_run(Random(seed), list(range(10_000)), 65, 8)
        assert len(row) == 65
        assert any(row[-30:] == row[-30 - period : -period] for period in range(2, 9))


def test_shuffled_runs_come_in_another_order_each_time():
    for seed in range(50):
        row = shuffled_runs(Random(seed), list(range(10_000)), 129)
        assert len(row) == 129 and len(set(row)) <= 6 * 4
        # Inside a run a token always has the same follower, so some have just one.
        followers = {token: set() for token in row}
        for token, follower in itertools.pairwise(row):
            followers[token].add(follower)
        assert any(len(each) == 1 for each in followers.values())


@pytest.mark.parametrize("stage", DRILL, ids=lambda stage: f"{stage.size} tokens")
def test_each_stage_of_the_drill_has_rows_of_its_size(tokenizer, vocabulary, stage):
    assert len(drill_row(Random(0), list(range(100)), stage)) == stage.size
    done = stage.until - 0.001
    rows = next(batches("x", tokenizer, vocabulary, 4, 257, drilled=lambda: done)).ids
    assert rows.shape == (4 * 257 // stage.size, stage.size)


def test_a_checkpoint_of_other_tokens_is_refused(vocabulary, tmp_path):
    run = make_run(vocabulary)
    run.vocabulary = Vocabulary((vocabulary.ids[0] + 1, *vocabulary.ids[1:]))
    run.save(tmp_path / "checkpoint.pt")
    with pytest.raises(ValueError, match="other tokens"):
        make_run(vocabulary).restore(tmp_path / "checkpoint.pt")


def test_a_run_stops_at_its_budget(tokenizer, vocabulary):
    run = make_run(vocabulary)
    run.progress.seconds = 60 * run.plan.minutes - 1e-6
    reports = list(train(run, batches("end", tokenizer, vocabulary, 2, 33)))
    assert [progress.step for progress in reports] == [1]


def test_the_shared_row_is_made_quiet_and_nothing_else_changes(tokenizer, vocabulary):
    model = make_run(vocabulary).model
    model.norm.bias.data.fill_(2.0)  # a direction all streams share, as training gives them
    model.wte.weight.data[vocabulary.shared].abs_()  # and a row that points along it
    rows = next(batches("quiet", tokenizer, vocabulary, 16, 32)).ids
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}

    unseen = rows.masked_fill(torch.arange(32) % 8 == 7, vocabulary.shared)

    def untrained(rows, below=False) -> float:
        row = model.wte.weight[vocabulary.shared].detach()
        read = readings(model, rows, vocabulary, below)
        return log_odds(row, *read, vocabulary).sigmoid().max().item()

    # Tens of thousands of tokens against hundreds, none of them learned.
    assert min(untrained(rows), untrained(unseen), untrained(rows, below=True)) > 0.5
    settle_shared_row(model, [rows], vocabulary)
    assert untrained(rows) < 1e-4
    assert untrained(unseen) < 1e-3  # also after a word the model has never seen
    assert untrained(rows, below=True) < 1e-3  # and where the lens reads the stream below the top
    for name, tensor in model.state_dict().items():
        same = tensor == before[name]
        if name in ("wte.weight", "lm_head.weight"):
            same = same[:-1]
        assert same.all()


# The asset.


def test_an_asset_loads_as_it_was_saved(vocabulary, tmp_path):
    model = GPT(GPTConfig(vocabsize=len(vocabulary.ids) + 1, **TINY)).eval()
    save_asset(model, vocabulary.ids, tmp_path, {"seed": "test"})
    loaded = load_asset(tmp_path)
    assert trained_ids(tmp_path) == set(vocabulary.ids)
    assert about_asset(tmp_path) == {"seed": "test"}
    assert loaded.config.vocabsize == 50257 and not loaded.training
    assert loaded.lm_head.weight is loaded.wte.weight
    ids = list(vocabulary.ids[:20])
    with torch.no_grad():
        logits = loaded(torch.tensor([ids]))
        compact = model(vocabulary.lookup[ids][None])
    assert logits[..., list(vocabulary.ids)] == pytest.approx(compact[..., :-1], abs=0.02)
    untrained = next(i for i in range(50257) if i not in set(vocabulary.ids))
    assert logits[..., untrained] == pytest.approx(compact[..., -1], abs=0.02)


def test_the_shipped_asset_is_small_and_whole(shipped):
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 10_000_000
    assert shipped.config.vocabsize == 50257 and shipped.config.max_seq_len == 256
    assert all(parameter.isfinite().all() for parameter in shipped.parameters())
    assert all(parameter.dtype == torch.float32 for parameter in shipped.parameters())
    assert about_asset()["tokens"] > 1_000_000


def test_states_are_those_of_a_trace(shipped, tokenizer):
    prompts = [tokenizer.encode(text) for text in ("The cat sat on the", "one, two,")]
    states = last_states(shipped, prompts)
    for ids, found in zip(prompts, states.unbind(1), strict=True):
        residual = run_trace(shipped, ids).residual[::2, -1]
        assert torch.allclose(found, residual, atol=1e-4)


def best_guess(model, ids: list[int]) -> int:
    state = last_states(model, [ids])[-1, 0]
    return model.lm_head(model.norm(state)).argmax().item()


ANSWERED = [(e["text"], e["answer"]) for e in EXAMPLES if "answer" in e]


@pytest.mark.parametrize(
    ("prompt", "answer"), [*ANSWERED, ("one, two, three, four,", " five"), ("3 + 4 =", " 7")]
)
@pytest.mark.parametrize("bos", [False, True])
def test_the_examples_of_the_page_come_out(shipped, tokenizer, prompt, answer, bos):
    best = best_guess(shipped, tokenizer.encode(prompt, bos=bos))
    assert tokenizer.decode([best]) == answer


def test_a_story_names_its_girl(shipped, tokenizer):
    prompt = "Once upon a time, there was a little girl named"
    best = best_guess(shipped, tokenizer.encode(prompt))
    assert tokenizer.decode([best]).strip() in GIRLS


@pytest.fixture(scope="module")
def measured(shipped):
    return evaluate(shipped, trained_ids(), items=15, stories=5)


def test_the_shipped_asset_is_what_it_is_meant_to_be(measured):
    right = [family["accuracy"] for family in measured["families"].values()]
    assert measured["mean_accuracy"] > 0.9
    assert sum(accuracy >= 0.95 for accuracy in right) >= 16
    assert sum(accuracy >= 0.8 for accuracy in right) >= 0.8 * len(right)
    assert min(right) > 0.5
    assert measured["story_loss"] < 0.6
    assert measured["untrained"] < 1e-3
    assert given_astray(load_asset(), trained_ids(), stories=10, read=20_000) < 0.005
    assert measured["heads"]["induction"]["score"] > 0.5
    assert measured["heads"]["previous"]["score"] > 0.5


def test_the_recorded_scores_are_those_of_the_shipped_asset(measured):
    recorded = shipped_scores()
    assert recorded["families"].keys() == FAMILIES.keys()
    for name, best in measured["heads"].items():
        assert recorded["heads"][name]["head"] == best["head"]
        assert recorded["heads"][name]["score"] == pytest.approx(best["score"], abs=0.01)
    assert recorded["mean_accuracy"] == pytest.approx(measured["mean_accuracy"], abs=0.03)
    assert recorded["about"]["tokens"] == about_asset()["tokens"]


def test_answers_emerge_at_different_depths(measured, shipped):
    """What the page promises: families that the lens knows early, and others only near the top."""
    depths = [f["blocks"] for f in measured["families"].values() if f["accuracy"] > 0.9]
    assert all(0 <= depth <= shipped.config.N for depth in depths)
    assert max(depths) - min(depths) > 1.5


def test_the_blocks_an_answer_needs():
    right = torch.tensor([[1, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 0]]).bool()
    assert blocks_needed(right) == pytest.approx((3 + 2 + 1) / 3)  # the last is wrong at the top
    assert blocks_needed(right[:3, :1]) is None


def test_scores_are_kept_rounded(tmp_path):
    save_scores({"a": {"b": 0.123456}, "items": 100, "none": 1e-9}, tmp_path)
    assert shipped_scores(tmp_path) == {"a": {"b": 0.1235}, "items": 100, "none": 1e-9}


def test_a_told_story_depends_on_its_seed_alone(shipped):
    first, again, other = (told_story(shipped, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert first.startswith(OPENING) and len(first.split()) > 20
    assert "<|endoftext|>" not in first
    assert first.startswith(told_story(shipped, 1, tokens=3))


def test_an_odd_story_joins_words_as_the_corpus_does_not(monkeypatch):
    assert joined_words('"No," said Tom.') == set(
        pairwise(['"', "No", ",", '"', "said", "Tom", "."])
    )
    told = ["Once upon a time, there was a little girl", "Once upon a time, there was a grape girl"]
    monkeypatch.setattr("model.mini.evaluate.told_story", lambda _, seed, tokens: told[seed])
    monkeypatch.setattr("model.mini.evaluate.draw_story", lambda rng: told[0])
    assert odd_stories(None, drawn=2, read=3, tokens=8) == {"told": 0.5, "new": 0.0}


def test_a_model_that_knows_nothing_gives_nearly_all_astray():
    model = GPT(GPTConfig(vocabsize=50257, **TINY))
    for parameter in model.parameters():
        parameter.data.zero_()  # so that every token is as likely as any other
    share = given_astray(model, frozenset(range(50257)), stories=2, read=2000)
    assert 0.95 < share < 1


def test_a_curve_is_the_log_thinned(tokenizer, vocabulary, tmp_path):
    run = make_run(vocabulary)
    data = batches("curve", tokenizer, vocabulary, 2, 33)
    keep_records(run, train(run, data, steps=30), tmp_path, None)
    curve = read_log("tiny", tmp_path)
    records = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert curve.name == "tiny" and len(records) == 3
    assert curve.losses == tuple(round(record["loss"], 3) for record in records)
    assert list(curve.minutes) == sorted(curve.minutes)
    with (tmp_path / "log.jsonl").open("a") as log:  # stopped, and gone on from the second line
        log.writelines(json.dumps(record) + "\n" for record in records[2:])
    assert read_log("tiny", tmp_path) == curve
    both = read_log("twice", tmp_path, tmp_path)
    assert both.losses == 2 * curve.losses
    assert both.minutes[-1] == pytest.approx(2 * curve.minutes[-1], abs=0.011)


def test_a_curve_has_so_many_points_at_most():
    long = Curve("long", tuple(range(POINTS + 1)), tuple(range(0, 2 * POINTS + 2, 2)))
    short = thinned(long)
    assert len(short.minutes) == POINTS // 2 + 1
    assert short.minutes[:2] == (1, 3) and short.losses[:2] == (1, 5)
    assert (short.minutes[-1], short.losses[-1]) == (POINTS, 2 * POINTS)
    assert thinned(short) == short


def test_a_later_run_goes_on_where_a_curve_ends():
    curve = Curve("a", (1.0, 2.0), (5.0, 4.0))
    assert appended(curve, Curve("a", (0.5, 1.5), (3.0, 2.0))) == Curve(
        "a", (1.0, 2.0, 2.5, 3.5), (5.0, 4.0, 3.0, 2.0)
    )


def test_the_shipped_curves_fall(shipped):
    curves = shipped_curves()
    minutes = sum(run["minutes"] for run in runs_of(about_asset()))
    assert curves[0].minutes[-1] == pytest.approx(minutes, abs=0.2)
    assert curves[0].losses[-1] < curves[0].losses[0] / 2
    for curve in curves:
        assert len(curve.minutes) == len(curve.losses) <= POINTS


def test_the_shapes_that_are_compared_had_the_same_time(shipped):
    _, first, *others = shipped_curves()
    assert others
    for other in others:
        assert other.minutes[-1] == pytest.approx(first.minutes[-1], abs=0.1)
        assert other.losses[-1] > first.losses[-1]  # the first is the shape that was chosen
