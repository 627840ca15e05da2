"""What is known of GPT-2 Small's real weights, where they are on this machine.

They are looked for in GLASSBOX_MODEL, then in the hub's cache; nothing is fetched.
"""

import os
from collections.abc import Iterable

import pytest
import torch
import torch.nn.functional as F

from model import GPT, GPT2_SIZES, Tokenizer, load_model, run_trace
from model.agreement import differences
from model.checkpoint import cached, folder_of
from model.circuits import attention_between, direct_effects, repetition_scores
from model.proof import prove

pytestmark = pytest.mark.real_weights
STORE = "When John and Mary went to the shops, John gave the bag to"


@pytest.fixture(scope="module")
def source() -> str:
    """Where the weights are."""
    named = os.environ.get("GLASSBOX_MODEL")
    if not named and not cached("gpt2"):
        pytest.skip("OpenAI's weights are neither in GLASSBOX_MODEL nor in the hub's cache")
    return named or "gpt2"


@pytest.fixture(scope="module")
def gpt2(source) -> GPT:
    """GPT-2 Small as OpenAI released it."""
    model = load_model(source)
    if model.config != GPT2_SIZES["gpt2"]:
        pytest.skip(f"{source} is not of GPT-2 Small's shape")
    if source != "gpt2" and not prove(model).holds:
        pytest.skip(f"{source} does not hold OpenAI's weights")
    return model


def ids_of(text: str, bos: bool) -> list[int]:
    return Tokenizer().encode(text, bos=bos)


def ranked(scores: torch.Tensor) -> list[str]:
    """Heads by their score, the highest first."""
    order = scores.flatten().argsort(descending=True).tolist()
    return [f"{place // scores.shape[1]}.{place % scores.shape[1]}" for place in order]


def of(scores: torch.Tensor, heads: Iterable[str]) -> list[float]:
    return [scores[tuple(map(int, head.split(".")))].item() for head in heads]


def test_every_tensor_is_openai_s_bit_for_bit(gpt2):
    assert prove(gpt2).different == ()


def test_logits_states_and_attention_are_transformers(gpt2, source):
    pytest.importorskip("transformers")
    found = {each.what: each.largest for each in differences(gpt2, folder_of(source))}
    assert found["logits"] < 1e-4
    assert found["attention"] < 1e-5


def test_loss_on_hello_world(gpt2):
    """TransformerLens' acceptance test."""
    ids = torch.tensor(ids_of("Hello world!", bos=True))
    logits = run_trace(gpt2, ids).logits
    assert F.cross_entropy(logits[:-1], ids[1:]).item() == pytest.approx(5.331855774, abs=4e-5)


def test_last_layer_s_mean_attention_in_a_known_sentence(gpt2):
    """The values printed in transformers issue 2975."""
    trace = run_trace(gpt2, ids_of("hello, this is Tom .", bos=False))
    row = trace.attention(11).mean(dim=0)[-1]
    expected = [0.6496, 0.0758, 0.0439, 0.0328, 0.0853, 0.1125]
    assert row.tolist() == pytest.approx(expected, abs=2e-4)


def test_heads_that_act_on_repetition(gpt2):
    """Wang et al. 2022: previous-token, duplicate-token and induction heads."""
    scores = repetition_scores(gpt2)
    assert ranked(scores["previous"])[0] == "4.11"
    assert min(of(scores["induction"], ["5.5", "6.9"])) > 0.5
    assert min(of(scores["duplicate"], ["0.1", "3.0"])) > 0.3


def test_heads_that_move_names(gpt2):
    """Wang et al. 2022; order and sign as in TransformerLens' demonstration."""
    trace = run_trace(gpt2, ids_of(STORE, bos=True))
    mary, john = (Tokenizer().encode(name)[0] for name in (" Mary", " John"))
    effects = direct_effects(gpt2, trace, len(trace.ids) - 1, mary, john)
    assert set(ranked(effects)[:2]) == {"9.9", "9.6"}
    assert min(of(effects, ["9.9", "9.6", "10.0"])) > 0
    assert max(of(effects, ["10.7", "11.10"])) < 0
    assert Tokenizer().decode([int(trace.logits[-1].argmax())]) == " Mary"


def test_heads_that_look_at_the_name_said_twice(gpt2):
    """Wang et al. 2022: S-inhibition heads look from the end to the second mention."""
    ids = ids_of(STORE, bos=True)
    john = Tokenizer().encode(" John")[0]
    second = max(i for i, token in enumerate(ids) if token == john)
    looks = attention_between(run_trace(gpt2, ids), len(ids) - 1, second)
    others = looks.flatten().median().item()
    assert min(of(looks, ["7.3", "7.9", "8.6", "8.10"])) > 5 * others


def test_one_enormous_number_at_the_first_position(gpt2):
    trace = run_trace(gpt2, ids_of(STORE, bos=False))
    size = trace.residual.abs()
    value, place = size[:, 0].flatten().max(dim=0)
    assert int(place) % trace.config.dmodel == 447
    assert 2000 < value < 4000
    assert size[:, 1:].max() < value / 3


def test_most_heads_rest_on_the_first_token(gpt2):
    trace = run_trace(gpt2, ids_of(STORE, bos=False))
    patterns = torch.stack([trace.attention(i) for i in range(12)])  # (N, H, S, S)
    assert (patterns[:, :, -1].argmax(dim=-1) == 0).float().mean() > 0.5
