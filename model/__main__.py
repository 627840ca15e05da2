"""The command line: `python -m model "PROMPT"` prints the tokens and the logit lens.

Whatever the input, it ends with an answer, or with one line on stderr and exit status 2.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from model.tokenizer import Tokenizer, printable

PROGRAM = "python -m model"
DIFFERENT, BAD_INPUT, INTERRUPTED, NOBODY_READS = 1, 2, 130, 141  # the last two as shells do


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Usage errors end like all others: one line, not the whole usage."""
        raise ValueError(f"{message} ({PROGRAM} --help tells more)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a letter gets its number
            stream.reconfigure(errors="backslashreplace")
    try:
        args = _parser().parse_args(argv)
        if args.verify is not None:
            if args.prompt is not None:
                raise ValueError(f"--verify reads no prompt ({PROGRAM} --help tells more)")
            return _verify(args.verify)
        _write(_answer(args))
    except BrokenPipeError:
        return NOBODY_READS
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, OSError) as error:
        print(f"{PROGRAM}: {printable(' '.join(str(error).split()))}", file=sys.stderr)
        return BAD_INPUT
    return 0


def _parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="Run GPT-2 on a prompt and show what it would say after each layer.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("prompt", metavar="PROMPT", nargs="?",
        help="the text to read; - takes standard input as it is")  # fmt: skip
    add("--model", metavar="MODEL", help="mini, gpt2, gpt2-medium, gpt2-large, gpt2-xl, "
        "distilgpt2 or a folder saved by transformers "
        "(default: GLASSBOX_MODEL, else gpt2 if it is on this machine, else mini)")  # fmt: skip
    add("--bos", action="store_true", help="put <|endoftext|> in front, as in GPT-2's training")
    add("--target", metavar="TOKEN", help='a token to follow through the layers, like " Mary"')
    add("--top", metavar="K", type=int, default=10, help="guesses to tell (default: %(default)s)")
    add("--json", action="store_true", help="print one JSON object, with the lens at every token")
    add("--save", metavar="FILE", type=Path, help="write the tensors to a safetensors file")
    add("--verify", metavar="MODEL", help="instead of reading a prompt, tell whether MODEL is "
        "OpenAI's release, bit for bit, and how far it is from transformers")  # fmt: skip
    return parser


def _answer(args: argparse.Namespace) -> str:
    """What to print. All that is cheap to check is checked before the model is loaded."""
    if args.prompt is None:
        raise ValueError(f"the following arguments are required: PROMPT ({PROGRAM} --help tells)")
    prompt = _prompt(args.prompt)
    ids = Tokenizer().encode(prompt, bos=args.bos)
    if not ids:
        raise ValueError("the prompt is empty: give the model something to read")
    if args.top < 1:
        raise ValueError(f"--top must be at least 1, not {args.top}")
    target = None if args.target is None else _target(args.target)
    return _report(args, prompt, ids, target)


def _verify(source: str) -> int:
    from model.verify import verify

    text, holds = verify(source, _show_progress)
    _write(text)
    return 0 if holds else DIFFERENT


def _report(args: argparse.Namespace, prompt: str, ids: list[int], target: int | None) -> str:
    # Only here, since they bring PyTorch, which takes a second or two.
    from model.checkpoint import default_source, load_model
    from model.report import as_json, check_destination, make_report, save
    from model.terminal import as_text

    if args.save:
        check_destination(args.save)
    source = default_source() if args.model is None else args.model
    model = load_model(source, _show_progress)
    if args.top > model.config.vocabsize:
        raise ValueError(
            f"--top {args.top:,} is more than the {model.config.vocabsize:,} tokens the model knows"
        )
    everywhere = args.json or args.save is not None
    report = make_report(
        model, source, prompt, ids, k=args.top, target=target, everywhere=everywhere
    )
    if args.save:
        save(report, args.save)
    if args.json:
        return as_json(report)
    return as_text(report, width=max(60, shutil.get_terminal_size().columns))


def _show_progress(here: int, size: int) -> None:
    """How far a download is, on one line of the terminal; nothing where nobody watches."""
    if sys.stderr is not None and sys.stderr.isatty():
        end = "\r" if here < size else "\n"
        print(f"fetched {here / 1e6:,.0f} of {size / 1e6:,.0f} MB", end=end, file=sys.stderr)


def _prompt(argument: str) -> str:
    if argument == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed")
        return _decoded(sys.stdin.buffer.read(), "standard input")
    return _argument(argument, "the prompt")


def _target(argument: str) -> int:
    """The id of the one token that --target names."""
    ids = Tokenizer().encode(_argument(argument, "--target"))
    if len(ids) != 1:
        hint = " (most words begin with their space)" if len(ids) > 1 else ""
        raise ValueError(f"--target {argument!r} is {len(ids)} tokens, not one{hint}")
    return ids[0]


def _argument(argument: str, name: str) -> str:
    """A command-line word as text; under some locales Python hands it over as raw bytes."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return _decoded(os.fsencode(argument), name)
    return argument


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not UTF-8: byte {error.start + 1} is 0x{raw[error.start]:02X}"
        ) from None


def _write(text: str) -> None:
    """Print `text`; raises BrokenPipeError if nobody reads, ValueError if it cannot be written."""
    try:
        print(text, flush=True)
    except OSError as error:
        # Python would try the same again when it ends, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise ValueError(f"the output cannot be written ({error.strerror})") from None


if __name__ == "__main__":
    sys.exit(main())
