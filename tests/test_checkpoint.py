"""Folders, the hub and names: what loads is what transformers loads, the rest gets a sentence."""

import http.server
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

from model import CheckpointError, load_model
from model.checkpoint import NAMES
from model.hub import PUBLISHED
from model.mini.asset import FOLDER
from tests.checkpoints import (
    SMALL,
    edit_config,
    edit_tensors,
    logits_of_transformers,
    random_gpt2,
)

pytest_plugins = ["tests.checkpoints"]
ROOT = Path(__file__).parent.parent
WEIGHTS = "model.safetensors"


def run_python(code: str, **environment) -> str:
    """Run `code` in a Python of its own, offline and with an empty hub cache unless told."""
    settings = {"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": "/nonexistent", "GLASSBOX_MODEL": ""}
    environment = os.environ | settings | environment
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ----------------------------------------------------------------------- what is right must load


def untied(folder):
    random_gpt2(**SMALL, tie_word_embeddings=False).save_pretrained(folder)


def apart_though_said_tied(folder):
    untied(folder)
    edit_config(folder, tie_word_embeddings=True)


def table_twice(folder):
    edit_tensors(
        folder, lambda t: t.update({"lm_head.weight": t["transformer.wte.weight"].clone()})
    )


def sharded(folder):
    (folder / WEIGHTS).unlink()
    random_gpt2(**SMALL).save_pretrained(folder, max_shard_size="20KB")
    assert not (folder / WEIGHTS).exists()


def bfloat16(folder):
    random_gpt2(**SMALL).to(torch.bfloat16).save_pretrained(folder)


def float16(folder):
    random_gpt2(**SMALL).to(torch.float16).save_pretrained(folder)


def without_head_and_prefix(folder):
    random_gpt2("GPT2Model", **SMALL).save_pretrained(folder)


def with_second_head(folder):
    random_gpt2("GPT2DoubleHeadsModel", **SMALL, num_labels=1).save_pretrained(folder)


def old_buffers(folder):
    """As in the files of 2019, which kept each block's causal mask."""
    mask = torch.ones(24, 24).tril().view(1, 1, 24, 24)
    buffers = {
        f"transformer.h.{i}.attn.{name}": value.clone()
        for i in range(2)
        for name, value in {"bias": mask, "masked_bias": torch.tensor(-1e4)}.items()
    }
    edit_tensors(folder, lambda t: t.update(buffers))


def old_config(folder):
    """As in the files of 2019: no activation, no n_inner, n_ctx beside n_positions."""
    edit_config(folder, activation_function=..., n_inner=..., scale_attn_weights=..., n_ctx=24)


def other_name_for_the_gelu(folder):
    edit_config(folder, activation_function="gelu_pytorch_tanh", n_inner=128)


GOOD = [
    untied,
    apart_though_said_tied,
    table_twice,
    sharded,
    bfloat16,
    float16,
    without_head_and_prefix,
    with_second_head,
    old_buffers,
    old_config,
    other_name_for_the_gelu,
    lambda folder: None,
]


@pytest.mark.parametrize("change", GOOD, ids=lambda change: change.__name__)
def test_agrees_with_transformers(checkpoint, change):
    change(checkpoint)
    ids = torch.randint(0, 97, (2, 24), generator=torch.Generator().manual_seed(1))
    expected = logits_of_transformers(checkpoint, ids)
    found = load_model(checkpoint)(ids)
    assert (found - expected).abs().max() <= 1e-5 * expected.abs().max()


def test_agrees_with_transformers_at_full_shape(full_shape_checkpoint):
    ids = torch.randint(0, 50257, (1, 32), generator=torch.Generator().manual_seed(1))
    expected = logits_of_transformers(full_shape_checkpoint, ids)
    model = load_model(full_shape_checkpoint)
    assert sum(weight.numel() for weight in model.parameters()) == 124_439_808
    assert (model(ids) - expected).abs().max() <= 1e-5 * expected.abs().max()


def test_a_loaded_model_is_ready_to_run(checkpoint):
    model = load_model(checkpoint)
    assert not any(module.training for module in model.modules())
    assert all(weight.dtype == torch.float32 for weight in model.parameters())
    assert all(
        weight.is_contiguous() and weight.device.type == "cpu" for weight in model.parameters()
    )
    assert not any(weight.requires_grad for weight in model.parameters())
    assert torch.equal(model.mask, torch.ones(24, 24).tril().bool())


@pytest.mark.parametrize(
    ("change", "tied"), [(untied, False), (table_twice, True), (old_config, True)]
)
def test_the_head_is_the_table_unless_the_file_has_another(checkpoint, change, tied):
    change(checkpoint)
    model = load_model(checkpoint)
    assert (model.lm_head.weight is model.wte.weight) == tied


@pytest.mark.parametrize(("change", "apart"), [(untied, True), (table_twice, False)])
def test_a_head_of_its_own_counts_in_the_memory_asked_for(checkpoint, change, apart, monkeypatch):
    change(checkpoint)
    asked = []
    monkeypatch.setattr("model.folder.shortage", lambda parameters: asked.append(parameters) or "")
    model = load_model(checkpoint)
    assert asked == [model.config.parameters + apart * model.wte.weight.numel()]


def test_a_model_in_use_does_not_lean_on_its_file(checkpoint):
    model, ids = load_model(checkpoint), torch.arange(10)[None]
    before = model(ids)
    (checkpoint / WEIGHTS).write_bytes(b"")
    assert torch.equal(model(ids), before)


def test_memory_stays_close_to_one_copy_and_transformers_is_not_needed(full_shape_checkpoint):
    code = f"""
import resource, sys
import torch
from model import load_model
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
model = load_model({str(full_shape_checkpoint)!r})
print((peak() - before) * 1024 / sum(4 * w.numel() for w in model.parameters()))
print("transformers" in sys.modules)
"""
    copies, needed = run_python(code).split()
    assert float(copies) < 1.15
    assert needed == "False"


# ------------------------------------------------------------------- what is wrong gets a sentence


def rename(old, new):
    return lambda folder: (folder / old).rename(folder / new)


def write(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def config(**changes):
    return lambda folder: edit_config(folder, **changes)


def tensors(change):
    return lambda folder: edit_tensors(folder, change)


def cut(folder):
    whole = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(whole[: len(whole) // 2])


def directory_instead(name):
    def change(folder):
        (folder / name).unlink()
        (folder / name).mkdir()

    return change


def pipe_instead(name):
    def change(folder):
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return change


class Evil:
    """Unpickling one of these leaves a file behind."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return Path.touch, (self.trace,)


def only_a_pickle(folder):
    (folder / WEIGHTS).unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(folder / "opened")))


def shard_missing(folder):
    sharded(folder)
    sorted(folder.glob("model-*.safetensors"))[1].unlink()


def shard_elsewhere(folder):
    (folder / WEIGHTS).rename(folder.parent / "x.safetensors")
    index = {"weight_map": {"wte.weight": "../x.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def index_without_map(folder):
    (folder / WEIGHTS).unlink()
    (folder / "model.safetensors.index.json").write_text("{}")


FC = "transformer.h.1.mlp.c_fc.weight"

BAD = {
    "no config": (rename("config.json", "c.json"), "checkpoint has no config.json"),
    "config not JSON": (write("config.json", b"{'a': 1"), "config.json is not JSON (Expecting"),
    "config not UTF-8": (write("config.json", b"\xff\xfe\xff"), "config.json is not JSON"),
    "config nested too deep": (write("config.json", b"[" * 10**5), "config.json is not JSON"),
    "config a list": (write("config.json", b"[1]"), "config.json holds a list where"),
    "config a pipe": (pipe_instead("config.json"), "config.json cannot be read (it is no regular"),
    "config unreadable": (directory_instead("config.json"), "config.json cannot be read"),
    "another model": (config(model_type="llama"), "config.json: model_type is 'llama'"),
    "no model type": (config(model_type=...), "config.json: model_type is None"),
    "a classifier": (
        config(architectures=["GPT2ForSequenceClassification"]),
        "architectures is ['GPT2ForSequenceClassification']",
    ),
    "architectures odd": (config(architectures=5), "architectures is 5"),
    "architectures no list": (
        config(architectures="GPT2LMHeadModel"),
        "architectures is 'GPT2LMHeadModel'; it must be a list of names",
    ),
    "size missing": (config(n_embd=...), "config.json: n_embd is missing"),
    "size a text": (config(n_layer="2"), "config.json: n_layer is '2'"),
    "size a fraction": (config(vocab_size=97.0), "config.json: vocab_size is 97.0"),
    "size a truth": (config(n_head=True), "config.json: n_head is True"),
    "size zero": (config(n_positions=0), "config.json: n_positions is 0"),
    "size negative": (config(n_head=-4), "config.json: n_head is -4"),
    "heads uneven": (config(n_head=5), "n_embd 32 does not split into n_head 5 heads"),
    "exact GELU": (config(activation_function="gelu"), "activation_function is 'gelu'"),
    "ReLU": (config(activation_function="relu"), "activation_function is 'relu'"),
    "other epsilon": (config(layer_norm_epsilon=1e-6), "layer_norm_epsilon is 1e-06"),
    "narrow MLP": (config(n_inner=64), "n_inner is 64; this network computes None or 128 only"),
    "unscaled": (config(scale_attn_weights=False), "scale_attn_weights is False"),
    "scaled by depth": (
        config(scale_attn_by_inverse_layer_idx=True),
        "scale_attn_by_inverse_layer_idx is True",
    ),
    "cross-attention": (config(add_cross_attention=True), "add_cross_attention is True"),
    "no weights": (rename(WEIGHTS, "w.safetensors"), "checkpoint has no model.safetensors"),
    "only a pickle": (only_a_pickle, "has only pytorch_model.bin, a pickle"),
    "weights cut short": (cut, "model.safetensors is cut short or no safetensors file"),
    "weights garbage": (write(WEIGHTS, b"version https://git-lfs"), "(23 bytes; "),
    "weights empty": (write(WEIGHTS, b""), "(0 bytes; "),
    "weights a pipe": (pipe_instead(WEIGHTS), "model.safetensors cannot be read (it is no regular"),
    "weights unreadable": (directory_instead(WEIGHTS), "model.safetensors cannot be read"),
    "tensor missing": (
        tensors(lambda t: t.pop(FC)),
        "1 of 28 tensors are missing from the weights, first h.1.mlp.c_fc.weight",
    ),
    "head missing": (config(tie_word_embeddings=False), "1 of 29 tensors are missing"),
    "tensor misshapen": (
        tensors(lambda t: t.update({FC: t[FC].T.contiguous()})),
        "h.1.mlp.c_fc.weight has shape (128, 32), config.json asks for (32, 128)",
    ),
    "head misshapen": (
        tensors(lambda t: t.update({"lm_head.weight": torch.zeros(98, 32)})),
        "lm_head.weight has shape (98, 32), config.json asks for (97, 32)",
    ),
    "vocabulary misstated": (config(vocab_size=50257), "wte.weight has shape (97, 32)"),
    "context misstated": (config(n_positions=10**12), "wpe.weight has shape (24, 32)"),
    "too few blocks": (config(n_layer=3), "says n_layer 3, the weights beside it have 2 blocks"),
    "too many blocks": (config(n_layer=1), "says n_layer 1, the weights beside it have 2 blocks"),
    "absurdly many": (config(n_layer=10**9), "says n_layer 1000000000, the weights"),
    "there twice": (
        tensors(lambda t: t.update({"wte.weight": torch.zeros(97, 32)})),
        "wte.weight is there twice; which one counts?",
    ),
    "no place": (
        tensors(lambda t: t.update({"transformer.h.0.attn.lora_A": torch.zeros(2)})),
        "1 of 29 tensors have no place in GPT-2, first h.0.attn.lora_A",
    ),
    "whole numbers": (
        tensors(lambda t: t.update({FC: t[FC].to(torch.int8)})),
        "h.1.mlp.c_fc.weight is stored as I8",
    ),
    "not a number": (
        tensors(lambda t: t[FC][3:5, 7].fill_(torch.nan)),
        "2 of 4,096 numbers in h.1.mlp.c_fc.weight are not finite",
    ),
    "infinities of both signs": (
        tensors(
            lambda t: t["transformer.wte.weight"][:2, 0].copy_(torch.tensor([1, -1]) * torch.inf)
        ),
        "2 of 3,104 numbers in wte.weight are not finite",
    ),
    "beyond fp32": (
        tensors(lambda t: t.update({FC: torch.full((32, 128), 1e300, dtype=torch.float64)})),
        "4,096 of 4,096 numbers in h.1.mlp.c_fc.weight are not finite",
    ),
    "finite, but no answer is": (
        tensors(lambda t: [x.mul_(1e20) for x in t.values()]),
        "97 of 97 logits are not finite",
    ),
    "one step from overflow": (
        tensors(lambda t: t["transformer.wte.weight"].mul_(1e17)),
        "the weights are too large to compute with: after one token the norm of the stream is 3e+1",
    ),
    "shard missing": (shard_missing, "'model-00002-of-"),
    "shard elsewhere": (shard_elsewhere, "'../x.safetensors' is not beside it"),
    "index empty": (index_without_map, "has no weight_map"),
}


@pytest.mark.parametrize(("change", "reason"), BAD.values(), ids=BAD.keys())
def test_refuses_with_the_file_and_the_reason(checkpoint, change, reason):
    change(checkpoint)
    with pytest.raises(CheckpointError) as refusal:
        load_model(checkpoint)
    assert reason in str(refusal.value)
    assert str(checkpoint) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_large_finite_numbers_are_no_fault(checkpoint):
    """Their sum overflows, where nothing else does: at positions that are not read."""
    edit_tensors(checkpoint, lambda t: t["transformer.wpe.weight"][20:].fill_(3e38))
    load_model(checkpoint)


def test_the_folder_of_the_built_in_model_is_the_built_in_model():
    model = load_model(FOLDER)
    assert torch.equal(model.wte.weight, load_model("mini").wte.weight)
    with pytest.raises(CheckpointError):
        load_model("no such\0folder")


def test_a_pickle_is_never_opened(checkpoint):
    only_a_pickle(checkpoint)
    with pytest.raises(CheckpointError):
        load_model(checkpoint)
    assert not (checkpoint / "opened").exists()


def test_a_file_is_answered_with_its_folder(checkpoint):
    with pytest.raises(CheckpointError, match="is a file: name the folder it lies in"):
        load_model(checkpoint / WEIGHTS)


@pytest.mark.parametrize("source", ["gpt-2", "", "no/such/folder", "x" * 5000, "~nobody", "a\0b"])
def test_an_unknown_word_is_answered_with_the_names(source):
    with pytest.raises(CheckpointError, match=re.escape(f"({', '.join(NAMES)})")):
        load_model(source)


# ------------------------------------------------------------------------------------- the hub


def fill_cache(cache: Path, checkpoint: Path) -> None:
    """Lay `checkpoint` into a hub cache as openai-community/gpt2."""
    repository = cache / "models--openai-community--gpt2"
    shutil.copytree(checkpoint, repository / "snapshots" / ("0" * 40))
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)


def test_a_cached_model_needs_no_network_and_is_the_default(checkpoint, tmp_path):
    fill_cache(tmp_path / "cache", checkpoint)
    code = """
from model.checkpoint import cached, default_source, load_model
print(cached("gpt2"), cached("distilgpt2"), default_source(), load_model("gpt2").config.N)
"""
    # Not offline: a hub that cannot be reached would show if it were asked.
    settings = {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": "http://127.0.0.1:1"}
    found = run_python(code, HF_HUB_CACHE=str(tmp_path / "cache"), **settings)
    assert found.split() == ["True", "False", "gpt2", "2"]


def test_the_default_without_gpt2_is_the_built_in_model_or_what_the_environment_says():
    code = "from model.checkpoint import default_source; print(default_source())"
    assert run_python(code).strip() == "mini"
    assert run_python(code, GLASSBOX_MODEL="/some/folder").strip() == "/some/folder"


STATUS = {"gpt2": 404, "gpt2-medium": 401, "gpt2-large": 503, "gpt2-xl": 403, "distilgpt2": 200}


class Hub(http.server.BaseHTTPRequestHandler):
    """Has distilgpt2 and nothing else, and answers the other names with a status each."""

    folder: Path  # where distilgpt2 lies

    def do_HEAD(self):
        self._answer()

    def do_GET(self):
        self.wfile.write(self._answer())

    def _answer(self) -> bytes:
        _, _, name, *_, file = self.path.split("/")
        content = (self.folder / file).read_bytes() if name == "distilgpt2" else b""
        self.send_response(STATUS[name])
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hash(content)}"')
        self.send_header("X-Repo-Commit", "0" * 40)
        self.end_headers()
        return content

    def log_message(self, *_):
        pass


ASK_EACH = """
from model.checkpoint import CheckpointError, load_model
from model.hub import PUBLISHED
import json
told = {}
for name in PUBLISHED:
    try:
        told[name] = load_model(name).config.N
    except CheckpointError as error:
        told[name] = str(error)
print(json.dumps(told))
"""


def test_the_hub_s_answers_become_models_or_sentences(checkpoint, tmp_path):
    Hub.folder = checkpoint
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        hub = f"http://127.0.0.1:{server.server_port}"
        cache = str(tmp_path / "cache")
        told = json.loads(
            run_python(ASK_EACH, HF_ENDPOINT=hub, HF_HUB_CACHE=cache, HF_HUB_OFFLINE="0")
        )
        server.shutdown()
    assert told["distilgpt2"] == 2
    assert f"{hub} does not have it (HTTP 404): check HF_ENDPOINT" in told["gpt2"]
    assert f"{hub} refuses access (HTTP 401): check HF_TOKEN" in told["gpt2-medium"]
    assert f"{hub} answers HTTP 503: try again later" in told["gpt2-large"]


def test_no_network_is_one_sentence_at_once():
    told = json.loads(run_python(ASK_EACH, HF_ENDPOINT="http://127.0.0.1:1", HF_HUB_OFFLINE="0"))
    assert set(told) == set(PUBLISHED)
    for name, sentence in told.items():
        assert (
            f"{name} is not on this machine, and http://127.0.0.1:1 cannot be reached" in sentence
        )
        assert "check the network and try again; the built-in model, mini" in sentence


def test_offline_is_told_apart():
    told = json.loads(run_python(ASK_EACH))
    assert all("HF_HUB_OFFLINE forbids fetching it" in sentence for sentence in told.values())
