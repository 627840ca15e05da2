"""`python -m model`: what it prints, writes and refuses. Mostly in-process, for speed."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from model import Tokenizer, load_model, logit_lens, run_trace
from model.__main__ import main
from tests.checkpoints import edit_tensors

pytest_plugins = ["tests.checkpoints"]
ROOT = Path(__file__).parent.parent
PROMPT = "The cat sat on the mat"


@pytest.fixture
def ask(reading_checkpoint, capsys):
    """Run the command line on the small checkpoint; gives status, stdout and stderr."""

    def run(*argv):
        status = main([*argv, "--model", str(reading_checkpoint)])
        return status, *capsys.readouterr()

    return run


def ask_shell(*argv, **settings):
    """Run the command line as a program of its own."""
    environment = os.environ | settings.pop("env", {})
    command = [sys.executable, "-m", "model", *argv]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, timeout=60, check=False, **settings
    )


# ---------------------------------------------------------------------------------------- text


def test_prints_tokens_lens_next_token_and_checks(ask):
    status, out, err = ask(PROMPT, "--top", "4")
    assert (status, err) == (0, "")
    tokens, lens, following, checks = out.split("\n\n")[1:]
    assert [line.split()[:2] for line in tokens.splitlines()[1:]] == [
        [str(i), str(token)] for i, token in enumerate(Tokenizer().encode(PROMPT))
    ]
    rows = [line.split()[0] for line in lens.splitlines()[2:]]
    assert rows[:5] == ["embed", "blocks.0.attn", "blocks.0.ff", "blocks.1.attn", "blocks.1.ff"]
    assert len(following.splitlines()) == 1 + 4
    assert [float(line.split()[0]) < 1e-5 for line in checks.splitlines()[1:]] == [True] * 3


def test_the_numbers_are_those_of_the_python_interface(ask, reading_checkpoint):
    model = load_model(reading_checkpoint)
    target = Tokenizer().encode(" dog")[0]
    trace = run_trace(model, Tokenizer().encode(PROMPT))
    lens = logit_lens(model, trace, k=1, target=target)
    _, out, _ = ask(PROMPT, "--target", " dog")
    for row, writer in enumerate(lens.writers):
        found = re.search(rf"^{re.escape(writer)} +(\S+) +(\S+) +(\S+) +(\S+) ", out, re.MULTILINE)
        expected = (lens.entropy, lens.kl, lens.rank, lens.target_prob)
        for told, value in zip(found.groups(), expected, strict=True):
            assert float(told) == pytest.approx(value[row, -1], abs=0.0051)
    assert '" dog"' in out


def test_the_model_of_the_environment_is_the_default(reading_checkpoint, monkeypatch, capsys):
    monkeypatch.setenv("GLASSBOX_MODEL", str(reading_checkpoint))
    assert main([PROMPT]) == 0
    assert capsys.readouterr().out.startswith(f"{reading_checkpoint}: 2 blocks, 4 heads, width 16")


def columns_of(line: str) -> int:
    unseen = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in line)
    return len(line) - unseen + sum(unicodedata.east_asian_width(c) in "WF" for c in line)


@pytest.mark.parametrize("columns", [60, 80, 200])
@pytest.mark.parametrize("target", [[], ["--target", " the"]])
def test_lines_fit_the_terminal(ask, monkeypatch, columns, target):
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = ask("東京 🤗 antidisestablishmentarianism SolidGoldMagikarp" + "=" * 64, *target)
    about, _, rest = out.partition("\n\n")
    assert about  # a line as long as the model's path
    assert max(map(columns_of, rest.splitlines())) <= columns


@pytest.mark.parametrize("columns", ["0", "1", "x", "-5"])
def test_a_terminal_of_no_width_is_no_fault(ask, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert ask(PROMPT)[0] == 0


def test_nothing_in_a_token_reaches_the_terminal_unseen(ask):
    _, out, _ = ask("a\x1b[31mb\x07\r\u202e\u200b\u2028 \x00 \t'\"\\")
    assert all(c.isprintable() or c == "\n" for c in out)
    for shown in (r'"\x1b"', r'"\x07"', r'"\r"', r'"\x00"', r'"\t', r"\"", r"\\"):
        assert shown in out


def test_fragments_are_shown_as_bytes_of_their_character(ask):
    _, out, _ = ask("🤗")
    for shown in ("<f0 9f>", "<a4>", "<97>"):
        assert f'{shown} of "🤗"' in out


def test_text_from_right_to_left_is_isolated(ask):
    _, out, _ = ask("שלום")
    assert '"\u2068ש\u2069"' in out


def test_the_special_token_is_told_from_its_letters(ask):
    _, out, _ = ask("<|endoftext|> x", "--bos")
    assert len(re.findall(r" 50256  <\|endoftext\|>", out)) == 2


# ---------------------------------------------------------------------------------------- JSON


def test_json_holds_tokens_lens_and_checks(ask, reading_checkpoint):
    status, out, _ = ask("Hi 🤗", "--json", "--top", "3", "--target", "!")
    told = json.loads(out)
    assert status == 0
    assert out.isascii() and out.count("\n") == 1
    assert told["tokens"] == [
        {"id": 17250, "text": "Hi", "bytes": "4869"},
        {"id": 12520, "text": None, "bytes": "20f09f"},
        {"id": 97, "text": None, "bytes": "a4"},
        {"id": 245, "text": None, "bytes": "97"},
    ]
    model = load_model(reading_checkpoint)
    trace = run_trace(model, [17250, 12520, 97, 245])
    lens = logit_lens(model, trace, k=3, target=0)
    assert [row["writer"] for row in told["lens"]] == list(trace.writers)
    for row, cells in enumerate(told["lens"]):
        for position, cell in enumerate(cells["positions"]):
            at = (row, position)
            assert [guess["id"] for guess in cell["top"]] == lens.ids[at].tolist()
            assert [guess["prob"] for guess in cell["top"]] == pytest.approx(
                lens.probs[at].tolist()
            )
            assert cell["entropy"] == pytest.approx(lens.entropy[at])
            assert cell["kl"] == pytest.approx(lens.kl[at], abs=1e-6)
            assert cell["rank"] == lens.rank[at]
            assert cell["target_prob"] == pytest.approx(lens.target_prob[at])
    assert set(told["checks"]) == {"row_sum", "stream", "lens"}
    assert all(error < 1e-5 for error in told["checks"].values())


def test_a_network_that_overflows_is_refused(reading_checkpoint, tmp_path, capsys):
    folder = shutil.copytree(reading_checkpoint, tmp_path / "overflowing")
    edit_tensors(folder, lambda t: t["transformer.h.0.mlp.c_proj.weight"].fill_(3e38))
    assert main([PROMPT, "--json", "--model", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert "the weights are too large to compute with" in err


def test_json_stays_json_when_the_network_overflows(ask, reading_checkpoint, tmp_path, capsys):
    """At a token other than the one that is read when the model is loaded."""
    folder = shutil.copytree(reading_checkpoint, tmp_path / "overflowing")
    edit_tensors(folder, lambda t: t["transformer.wpe.weight"][1:].fill_(3e38))
    assert main([PROMPT, "--json", "--model", str(folder)]) == 0
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert told["lens"][-1]["positions"][-1]["entropy"] is None


# ----------------------------------------------------------------------------------------- save


def test_save_writes_what_the_python_interface_gives(ask, reading_checkpoint, tmp_path):
    path = tmp_path / "out.safetensors"
    status, out, err = ask(PROMPT, "--save", str(path), "--top", "5", "--bos")
    assert (status, err) == (0, "")
    assert "Logit lens" in out
    model = load_model(reading_checkpoint)
    ids = Tokenizer().encode(PROMPT, bos=True)
    trace = run_trace(model, ids)
    lens = logit_lens(model, trace, k=5)
    with safe_open(path, "pt") as file:
        about = file.metadata()
        saved = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    assert saved.pop("ids").tolist() == ids
    assert torch.equal(saved.pop("residual"), trace.residual)
    assert torch.allclose(saved.pop("logits"), trace.logits, atol=1e-5)
    assert torch.equal(saved.pop("lens.ids"), torch.from_numpy(lens.ids))
    assert torch.equal(saved.pop("lens.probs"), torch.from_numpy(lens.probs))
    for i in range(2):
        assert torch.equal(saved.pop(f"attention.{i}"), trace.attention(i))
    assert not saved
    assert about["prompt"] == PROMPT
    assert about["model"] == str(reading_checkpoint)
    assert json.loads(about["config"])["dmodel"] == 16
    assert json.loads(about["writers"]) == list(trace.writers)


def test_a_saved_file_is_an_ordinary_one_and_may_be_saved_again(ask, tmp_path):
    path = tmp_path / "out.safetensors"
    (tmp_path / "plain").touch()
    for _ in range(2):
        assert ask(PROMPT, "--save", str(path))[0] == 0
        assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode


# ------------------------------------------------------------------------------------- bad input

BAD = {
    "empty": ([""], "the prompt is empty"),
    "top 0": ([PROMPT, "--top", "0"], "--top must be at least 1, not 0"),
    "top negative": ([PROMPT, "--top=-3"], "--top must be at least 1, not -3"),
    "top a word": ([PROMPT, "--top", "ten"], "argument --top: invalid int value: 'ten'"),
    "top above": ([PROMPT, "--top", "50258"], "--top 50,258 is more than the 50,257 tokens"),
    "target split": ([PROMPT, "--target", "xyzzyfoo"], "--target 'xyzzyfoo' is 3 tokens, not one"),
    "target empty": ([PROMPT, "--target", ""], "--target '' is 0 tokens, not one"),
    "target bytes": ([PROMPT, "--target", "\udcff"], "--target is not UTF-8: byte 1 is 0xFF"),
    "prompt bytes": (["ab\udcff"], "the prompt is not UTF-8: byte 3 is 0xFF"),
    "no such folder": ([PROMPT, "--save", "/no/such/file"], "there is no folder /no/such"),
    "save to a folder": ([PROMPT, "--save", "/tmp"], "/tmp exists and is no ordinary file"),
    "save to a device": ([PROMPT, "--save", "/dev/null"], "/dev/null exists and is no ordinary"),
    "unknown option": ([PROMPT, "--nonsense"], "unrecognized arguments: --nonsense"),
    "two prompts": ([PROMPT, "more"], "unrecognized arguments: more"),
    "verify and read": ([PROMPT, "--verify", "mini"], "--verify reads no prompt"),
    "escapes": ([PROMPT, "--save", "/no/\x1b[31m/x"], "there is no folder /no/\\x1b[31m"),
    "no prompt": ([], "the following arguments are required: PROMPT"),
}


@pytest.mark.parametrize(("argv", "reason"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_and_status_2(ask, argv, reason):
    status, out, err = ask(*argv)
    assert (status, out) == (2, "")
    assert reason in err
    assert err.startswith("python -m model: ") and err.count("\n") == 1


def test_too_long_a_prompt_is_told_its_count_and_the_limit(ask):
    status, out, err = ask(" a" * 25)
    assert (status, out) == (2, "")
    assert "25 tokens are more than the 24" in err
    assert ask(" a" * 24)[0] == 0


@pytest.mark.parametrize("model", ["gpt-2", "", "/no/such\nfolder"])
def test_an_unknown_model_is_one_line(capsys, model):
    assert main([PROMPT, "--model", model]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "no model known by name (mini, gpt2" in err and err.count("\n") == 1


def test_a_small_vocabulary_is_told_which_token_it_lacks(checkpoint, capsys):
    assert main([PROMPT, "--model", str(checkpoint)]) == 2
    assert "464 is outside the vocabulary" in capsys.readouterr().err


# ------------------------------------------------------------------------------- standard input


def read_from(monkeypatch, raw: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="ascii"))


def test_a_dash_reads_standard_input_as_it_is(ask, monkeypatch):
    read_from(monkeypatch, "東\r\n".encode())
    status, out, _ = ask("-", "--json")
    assert status == 0
    told = json.loads(out)
    assert told["prompt"] == "東\r\n"
    assert bytes.fromhex("".join(token["bytes"] for token in told["tokens"])) == "東\r\n".encode()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [(b"", "the prompt is empty"), (b"ab\xff", "standard input is not UTF-8: byte 3 is 0xFF")],
)
def test_bad_standard_input_is_one_line(ask, monkeypatch, raw, reason):
    read_from(monkeypatch, raw)
    status, out, err = ask("-")
    assert (status, out) == (2, "")
    assert reason in err and err.count("\n") == 1


# ------------------------------------------------------------------------ as a program of its own


def test_any_encoding_of_the_terminal_will_do(reading_checkpoint):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}  # ASCII, to Python
    done = ask_shell("é 東 ש", "--model", reading_checkpoint, env=plain)
    assert (done.returncode, done.stderr) == (0, b"")
    ids = [int(line.split()[1]) for line in done.stdout.split(b"\n\n")[1].splitlines()[1:]]
    assert ids == Tokenizer().encode("é 東 ש")


def test_bytes_that_are_no_text_are_refused(reading_checkpoint):
    done = ask_shell(b"a\xffb", "--model", reading_checkpoint)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"python -m model: the prompt is not UTF-8: byte 2 is 0xFF\n"


def test_a_reader_who_leaves_is_no_error(reading_checkpoint):
    command = (
        f"{sys.executable} -m model x --json --top 20000 --model {reading_checkpoint} | head -c 1"
    )
    done = subprocess.run(
        command, shell=True, cwd=ROOT, capture_output=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == (b"{", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line(reading_checkpoint):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "model", "x", "--model", reading_checkpoint],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert (
        done.stderr == b"python -m model: the output cannot be written (No space left on device)\n"
    )


def test_help_is_on_stdout(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    out, err = capsys.readouterr()
    assert (end.value.code, err) == (0, "")
    assert "--save FILE" in out


def test_help_and_bad_arguments_do_not_wait_for_pytorch():
    code = """
import sys
from model.__main__ import main
assert main(["x", "--top", "0"]) == 2
print("torch" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=60, check=True
    )
    assert done.stdout == b"False\n"
