"""Fingerprints, the proof made of them, and the comparison with transformers."""

import hashlib
import json
import math
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from model import GPT2_SIZES, load_model
from model.__main__ import main
from model.agreement import differences
from model.folder import checkpoint_layout
from model.proof import MISSING, VALUES, fingerprints, openai_release, prove
from model.verify import verify
from tests.checkpoints import edit_tensors

PREFIX = "transformer."


def blob(raw: bytes) -> str:
    """As git names a file's content."""
    return hashlib.sha1(b"blob " + str(len(raw)).encode() + b"\0" + raw).hexdigest()


def release_of(folder: Path) -> dict[str, dict]:
    """Fingerprints of a folder's tensors, taken from its file by other means than the code's."""
    table = {}
    for key, tensor in load_file(folder / "model.safetensors").items():
        name, raw = key.removeprefix(PREFIX), tensor.numpy().tobytes()
        hashes = {"sha1": blob(raw)}
        if name == "wte.weight":
            half = len(raw) // 2
            hashes = {"sha1_first_half": blob(raw[:half]), "sha1_second_half": blob(raw[half:])}
        shape = {"shape": list(tensor.shape)}
        table["wpe" if name == "wpe.weight" else name] = shape | hashes
    return table


def test_a_fingerprint_is_git_s():
    values = torch.tensor([[1.0, -2.0], [0.5, 3.0]])
    raw = b"\0\0\x80\x3f\0\0\0\xc0\0\0\0\x3f\0\0\x40\x40"  # little-endian fp32, in C order
    assert fingerprints(values) == [blob(raw)]
    assert fingerprints(values.T.contiguous().T) == [blob(raw)]
    assert fingerprints(values, 2) == [blob(raw[:8]), blob(raw[8:])]


def test_the_release_has_the_tensors_of_gpt2_small():
    table, config = openai_release(), GPT2_SIZES["gpt2"]
    shapes = {name: tuple(entry["shape"]) for name, entry in table.items()}
    expected = {item.name: item.shape for item in checkpoint_layout(config)}
    expected["wpe"] = expected.pop("wpe.weight")
    assert shapes == expected
    assert len(shapes) == 148
    assert sum(map(math.prod, shapes.values())) == 124_439_808


def test_what_is_loaded_is_what_was_saved_bit_for_bit(checkpoint):
    assert prove(load_model(checkpoint), release_of(checkpoint)).holds


BITS = ["wte.weight", "wpe.weight", "h.0.attn.c_attn.weight", "h.1.mlp.c_fc.bias", "ln_f.weight"]


@pytest.mark.parametrize("name", BITS)
def test_one_changed_bit_is_told_by_its_tensor(checkpoint, name):
    release = release_of(checkpoint)

    def flip(tensors):
        bits = tensors[PREFIX + name].view(torch.int32).flatten()
        bits[-1] ^= 1

    edit_tensors(checkpoint, flip)
    (changed,) = prove(load_model(checkpoint), release).different
    assert (changed.name, changed.verdict) == (name.replace("wpe.weight", "wpe"), VALUES)


def test_a_smaller_network_lacks_tensors_and_has_others(checkpoint):
    verdicts = [tensor.verdict for tensor in prove(load_model(checkpoint)).different]
    assert len(verdicts) == 148
    assert verdicts.count(MISSING) == 10 * 12


def test_a_head_of_its_own_is_not_in_the_release(checkpoint):
    release = release_of(checkpoint)
    edit_tensors(
        checkpoint, lambda t: t.update({"lm_head.weight": t[PREFIX + "wte.weight"].clone() + 1})
    )
    (extra,) = prove(load_model(checkpoint), release).different
    assert (extra.name, extra.verdict) == ("lm_head.weight", "not in the release")


def test_half_precision_is_not_the_release(checkpoint):
    release = release_of(checkpoint)
    edit_tensors(checkpoint, lambda t: t.update({k: v.half() for k, v in t.items()}))
    different = prove(load_model(checkpoint), release).different
    assert len(different) > 20  # zeros and ones survive


def test_verify_says_so_in_words(checkpoint):
    release = release_of(checkpoint)
    text, holds = verify(str(checkpoint), release=release)
    assert holds
    assert text.startswith(f"{checkpoint} is OpenAI's release of GPT-2 Small, bit for bit: all 28")
    edit_tensors(checkpoint, lambda t: t[PREFIX + "h.0.ln_1.bias"].add_(1e-6))
    text, holds = verify(str(checkpoint), release=release)
    assert not holds
    assert "1 of 28 tensors are not the same" in text
    assert f"  {'h.0.ln_1.bias':<24} (32,)          other values" in text


def test_differences_from_transformers_are_small_and_told_when_they_are_not(checkpoint):
    found = {each.what: each for each in differences(load_model(checkpoint), checkpoint)}
    assert set(found) == {"logits", "hidden states", "attention"}
    assert all(each.largest <= 1e-5 * each.scale for each in found.values())
    model = load_model(checkpoint)
    edit_tensors(checkpoint, lambda t: t[PREFIX + "h.0.ln_1.weight"].mul_(2))
    assert all(each.largest > 0.01 for each in differences(model, checkpoint))


def test_the_command_line_verifies_and_its_status_says_the_outcome(checkpoint, capsys):
    assert main(["--verify", str(checkpoint)]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert "is not OpenAI's release of GPT-2 Small: 148 of 148 tensors" in out
    assert "  and 128 more" in out
    assert "Against transformers" in out


@pytest.mark.parametrize(
    ("source", "reason"),
    [("mini", "there is no release to verify it with"), ("/no/such", "is no folder and no model")],
)
def test_what_cannot_be_verified_is_one_line_and_status_2(source, reason, capsys):
    assert main(["--verify", source]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert reason in err


def test_the_fingerprints_are_an_asset_of_the_repository():
    path = Path(__file__).parents[1] / "assets" / "gpt2_small_tensor_sha1.json"
    assert set(json.loads(path.read_text())) == {"what", "how", "checked", "tensors"}
