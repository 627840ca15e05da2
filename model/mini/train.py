"""Train the built-in model: `python -m model.mini.train --minutes 60`.

The learning rate follows the time used, so any budget ends with a finished model. A run that was
stopped goes on from its checkpoint.
"""

import argparse
import dataclasses
import itertools
import json
import logging
import math
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.config import GPTConfig
from model.gpt import GPT, init_weights
from model.mini.asset import FOLDER, about_asset, load_compact, save_asset
from model.mini.corpus import Batch, Vocabulary, batches, build_vocabulary, usual_in_stories
from model.mini.shared_row import example_rows, settle_shared_row
from model.tokenizer import Tokenizer

log = logging.getLogger(__name__)
ASTRAY = 5e-4  # of the probability may go to tokens that never follow
COPY = 0.7  # how much of what it reads an untrained head writes
SHAPE = {"dmodel": 192, "N": 6, "H": 6, "max_seq_len": 256, "dropout": 0.0}


@dataclass(frozen=True)
class Plan:
    """Everything that decides how a run goes."""

    minutes: float = 60.0  # of work, see Run.clock
    rows: int = 4  # rows in a batch
    peak: float = 2.0e-3  # highest learning rate
    floor: float = 0.02  # share of it at the end
    warmup: float = 0.02  # share of the budget
    drill: float = 0.13  # share of the budget, at the start, spent on repeated random tokens
    decay: float = 0.1  # weight decay, of matrices only
    unseen: float = 0.005  # share of inputs that the shared row replaces
    answer: float = 4.0  # how often a token of an answer counts; any other counts once
    astray: float = 1.0  # weight of what is given to tokens that never follow
    seed: str = "mini"
    report: int = 50  # steps between two lines of the log
    save: float = 2.0  # minutes between two checkpoints
    workers: int = 2  # threads that share a batch on a CPU


@dataclass
class Progress:
    """How far a run is."""

    step: int = 0
    seconds: float = 0.0
    tokens: int = 0
    loss: float = math.nan  # mean cross-entropy since the last report


class Examples(NamedTuple):
    """Rows as training reads them.

    Attributes:
        inputs: (B, S) compact ids.
        targets: (B, S) what follows each.
        counts: (B, S) how often each target counts.
        barred: (B, S, vocabsize) which tokens never follow; of width 0 if that is not known.
    """

    inputs: Tensor
    targets: Tensor
    counts: Tensor
    barred: Tensor


def learning_rate(plan: Plan, done: float) -> float:
    """Warm-up, then a cosine down to the floor, at the share `done` of the budget."""
    if done < plan.warmup:
        return plan.peak * max(done / plan.warmup, 0.01)
    along = min((done - plan.warmup) / (1 - plan.warmup), 1.0)
    return plan.peak * (plan.floor + (1 - plan.floor) * 0.5 * (1 + math.cos(math.pi * along)))


def make_optimizer(model: GPT, plan: Plan) -> torch.optim.AdamW:
    """AdamW that decays matrices, but neither embeddings, norms nor biases."""
    decayed = [p for n, p in model.named_parameters() if p.dim() == 2 and n.startswith("blocks")]
    chosen = {id(p) for p in decayed}
    others = [p for p in model.parameters() if id(p) not in chosen]
    groups = [
        {"params": decayed, "weight_decay": plan.decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=plan.peak, betas=(0.9, 0.95), fused=True)


def hide_some(inputs: Tensor, vocabulary: Vocabulary, share: float) -> Tensor:
    """Inputs with a few tokens replaced by the shared row, so that unseen tokens do no harm."""
    return inputs.masked_fill(torch.rand(inputs.shape) < share, vocabulary.shared)


def losses_of(model: GPT, part: Examples, vocabulary: Vocabulary) -> tuple[Tensor, Tensor]:
    """Mean cross-entropy in nats over GPT-2's whole vocabulary, and as such a mean what goes
    `astray`.

    The shared row counts once for each token it stands for: adding the logarithm of their number
    to its logit is the same as repeating it. So the model learns to give all of them together next
    to nothing. Places where the shared row itself would be the target teach nothing.
    """
    repeats = torch.zeros(vocabulary.shared + 1, device=part.inputs.device)
    repeats[vocabulary.shared] = math.log(vocabulary.untrained)
    logits = (model(part.inputs).float() + repeats).flatten(0, 1)  # (B * S, vocabsize)
    lse, targets = logits.logsumexp(dim=-1), part.targets.flatten()
    each = lse - logits.gather(1, targets[:, None])[:, 0]
    counts = part.counts.flatten() * (targets != vocabulary.shared)
    lost = astray(logits, lse, part.barred.flatten(0, 1))
    return (each * counts).sum() / counts.sum(), lost.sum() / counts.sum()


def astray(logits: Tensor, lse: Tensor, barred: Tensor) -> Tensor:
    """How far the probability of all barred tokens together is above ASTRAY, in nats, for those of
    n positions that bar any.

    Its slope stays the same however small that probability is, so it goes on falling where the
    push of cross-entropy has died away.

    Args:
        logits: (n, vocabsize).
        lse: (n,) their log-sum-exps.
        barred: (n, vocabsize).
    """
    told = barred.any(dim=-1)
    if not told.any():
        return logits.new_zeros(0)
    share = logits[told].masked_fill(~barred[told], -math.inf).logsumexp(dim=-1) - lse[told]
    return (share - math.log(ASTRAY)).relu()


def fused_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """What CausalSelfAttention.attention gives, without its (S, S) tensors and its dropout.

    The network spells them out so that they can be seen; training, which looks at none, is a
    quarter faster without them in fp32. In bf16 on a CPU it is a sixth slower.
    """
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def half_precision_pays(device: torch.device) -> bool:
    """On a GPU, and on a CPU that multiplies bf16 itself; on others it is slower than fp32."""
    return device.type == "cuda" or torch.cpu.get_capabilities().get("avx512_bf16", False)


def gradients(run: "Run", part: Examples) -> tuple[float, tuple[Tensor, ...]]:
    """The cross-entropy on some rows, and the whole loss's gradient for each parameter."""
    device = run.model.wte.weight.device
    here = Examples(*(tensor.to(device) for tensor in part))
    with torch.autocast(device.type, torch.bfloat16, enabled=half_precision_pays(device)):
        entropy, lost = losses_of(run.model, here, run.vocabulary)
        loss = entropy + run.plan.astray * lost
    return entropy.item(), torch.autograd.grad(loss, tuple(run.model.parameters()))


def train_step(run: "Run", batch: Batch) -> float:
    """One step on rows of S + 1 tokens; the cross-entropy before it.

    The rows are dealt out to threads that each compute alone: on a busy machine
    they wait for one another once a step instead of once an operation.
    """
    whole = Examples(
        inputs=hide_some(batch.ids[:, :-1], run.vocabulary, run.plan.unseen),
        targets=batch.ids[:, 1:],
        counts=1 + (run.plan.answer - 1) * batch.answers[:, 1:].float(),
        barred=batch.barred[:, :-1],
    )
    size = -(-len(batch.ids) // run.plan.workers)
    parts = zip(*(tensor.split(size) for tensor in whole), strict=True)
    results = list(run.pool.map(lambda part: gradients(run, Examples(*part)), parts))
    losses, grads = zip(*results, strict=True)
    for parameter, shares in zip(run.model.parameters(), zip(*grads, strict=True), strict=True):
        parameter.grad = sum(shares) / len(shares)
    torch.nn.utils.clip_grad_norm_(run.model.parameters(), 1.0)
    run.optimizer.step()
    return sum(losses) / len(losses)


@dataclass
class Run:
    """A model in training, with all it needs to stop and go on."""

    model: GPT
    vocabulary: Vocabulary
    plan: Plan
    optimizer: torch.optim.AdamW
    pool: ThreadPoolExecutor
    progress: Progress = field(default_factory=Progress)
    before: dict | None = None  # what is known of the model that this one started from

    @property
    def done(self) -> float:
        """Share of the budget used."""
        return self.progress.seconds / (60 * self.plan.minutes)

    def clock(self) -> float:
        """Seconds of work: each worker's processor time, so that pauses and neighbours are free.

        A GPU works beside the processor, so there the wall's clock counts.
        """
        if self.model.wte.weight.is_cuda:
            return time.monotonic()
        return time.process_time() / self.plan.workers

    def save(self, path: Path) -> None:
        """Write a checkpoint, replacing an older one in one move."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".new")
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": dataclasses.asdict(self.progress),
            "ids": self.vocabulary.ids,
        }
        torch.save(state, draft)
        os.replace(draft, path)  # noqa: PTH105

    def restore(self, path: Path) -> None:
        """Go on from a checkpoint.

        Raises:
            ValueError: if it was trained on other tokens.
        """
        state = torch.load(path, map_location=self.model.wte.weight.device)
        if tuple(state["ids"]) != self.vocabulary.ids:
            raise ValueError(f"{path} was trained on other tokens: start anew or keep the corpus")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])

    def export(self, folder: Path) -> None:
        """Write the model as the built-in one."""
        about = {
            "corpus": "this project's own generator, model/mini/corpus.py",
            "minutes": round(self.progress.seconds / 60, 1),
            "steps": self.progress.step,
            "tokens": self.progress.tokens,
            "loss": round(self.progress.loss, 4),
            "seed": self.plan.seed,
            "astray": self.plan.astray,
            "device": str(self.model.wte.weight.device),
            "torch": torch.__version__,
        }
        if self.before:
            about["before"] = self.before
        save_asset(self.model, self.vocabulary.ids, folder, about)


def start_run(plan: Plan, vocabulary: Vocabulary, shape: dict, device: str) -> Run:
    """A fresh model of `shape` and its optimiser, on `device`.

    From here on each of torch's operations has one thread, in the whole process.
    """
    config = GPTConfig(vocabsize=len(vocabulary.ids) + 1, **shape)
    model = GPT(config)
    generator = torch.Generator().manual_seed(0)
    init_weights(model, generator)
    # A row of GPT-2's 0.02 is too short to tell tokens apart in so narrow a stream: rows of length
    # 1 learned to copy several times faster.
    for table in (model.wte, model.wpe):
        table.weight.data.normal_(0.0, config.dmodel**-0.5, generator=generator)
    # The same holds for the layers: GPT-2's 0.02 suits its 768 inputs, not these.
    for layer in model.blocks.modules():
        if isinstance(layer, nn.Linear):
            layer.weight.data *= config.dmodel**-0.5 / 0.02
    for block in model.blocks:
        if device != "cpu" or not half_precision_pays(torch.device(device)):
            block.attn.attention = fused_attention
        # Each head starts by writing what it reads, so that all it has to learn is where to look:
        # twice as fast. After Trockman and Kolter (2023), https://arxiv.org/abs/2305.09828.
        block.attn.wo.weight.data = COPY * block.attn.wv.weight.data.T.clone()
    model.to(device).train()
    torch.set_num_threads(1)  # the pool's threads are the parallel ones
    pool = ThreadPoolExecutor(plan.workers, initializer=torch.set_num_threads, initargs=(1,))
    return Run(model, vocabulary, plan, make_optimizer(model, plan), pool)


@torch.no_grad()
def start_from(run: Run, folder: Path) -> None:
    """Give a fresh run the weights of a built-in model of its shape, saved in `folder`.

    Tokens that are new begin as rows like the others: random, with their mean and spread.
    """
    state, ids = load_compact(folder)
    old, table = state["wte.weight"], run.model.wte.weight
    rows = old[:-1].mean(0) + old[:-1].std(0) * torch.randn(
        table.shape, generator=torch.Generator().manual_seed(0)
    )
    rows[run.vocabulary.lookup[ids]] = old[:-1]
    rows[run.vocabulary.shared] = old[-1]
    run.model.load_state_dict({**state, "wte.weight": rows, "lm_head.weight": rows})
    run.before = about_asset(folder)


def drilled(run: Run) -> float:
    """Share of the drill that is over. Whoever has learned to look back learns the rest faster."""
    return run.done / run.plan.drill if run.plan.drill else 1.0


def train(run: Run, data: Iterator[Batch], steps: int | None = None) -> Iterator[Progress]:
    """Train until the budget or `steps` is used up; progress after every report."""
    plan, progress, losses, clock = run.plan, run.progress, [], run.clock
    for batch in itertools.islice(data, steps):
        began = clock()
        for group in run.optimizer.param_groups:
            group["lr"] = learning_rate(plan, run.done)
        losses.append(train_step(run, batch))
        progress.step += 1
        progress.tokens += batch.ids[:, 1:].numel()
        progress.seconds += clock() - began
        if progress.step % plan.report == 0 or run.done >= 1:
            progress.loss = sum(losses) / len(losses)
            losses.clear()
            yield progress
        if run.done >= 1:
            return


def keep_records(run: Run, reports: Iterator[Progress], folder: Path, export: Path | None) -> None:
    """Follow a run: a log line each report, a checkpoint and an export every few minutes."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = run.progress.seconds
    with (folder / "log.jsonl").open("a") as lines:
        for progress in reports:
            rate = learning_rate(run.plan, run.done)
            speed = progress.tokens / progress.seconds
            record = {**dataclasses.asdict(progress), "rate": rate, "tokens_per_second": speed}
            lines.write(json.dumps(record) + "\n")
            lines.flush()
            log.info(
                "step %d  %.0f%%  loss %.4f  rate %.2e  %.0f tokens/s",
                *(progress.step, 100 * run.done, progress.loss, rate, speed),
            )
            if progress.seconds - saved >= 60 * run.plan.save or run.done >= 1:
                saved = progress.seconds
                run.save(folder / "checkpoint.pt")
                if export:
                    run.export(export)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m model.mini.train", description=__doc__)
    parser.add_argument("--minutes", type=float, default=Plan.minutes, help="time to train")
    parser.add_argument("--blocks", type=int, default=SHAPE["N"], help="N")
    parser.add_argument("--width", type=int, default=SHAPE["dmodel"], help="dmodel")
    parser.add_argument("--heads", type=int, default=SHAPE["H"], help="H")
    parser.add_argument("--rows", type=int, default=Plan.rows, help="rows in a batch")
    parser.add_argument("--peak", type=float, default=Plan.peak, help="highest learning rate")
    parser.add_argument("--drill", type=float, default=Plan.drill, help="share of it to drill")
    parser.add_argument("--start", type=Path, help="a built-in model to go on from, with new words")
    parser.add_argument("--seed", default=Plan.seed, help="decides the corpus")
    parser.add_argument("--run", type=Path, default=Path("runs/mini"), help="log and checkpoint")
    parser.add_argument("--export", type=Path, default=FOLDER, help="where the model goes")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    plan = Plan(
        minutes=args.minutes,
        rows=args.rows,
        peak=args.peak,
        drill=args.drill,
        seed=args.seed,
        workers=1 if device == "cuda" else Plan.workers,
    )
    tokenizer = Tokenizer()
    vocabulary = build_vocabulary(tokenizer)
    log.info("%d trained tokens", len(vocabulary.ids))
    shape = SHAPE | {"N": args.blocks, "dmodel": args.width, "H": args.heads}
    run = start_run(plan, vocabulary, shape, device)
    if args.start:
        start_from(run, args.start)
    if (args.run / "checkpoint.pt").exists():
        run.restore(args.run / "checkpoint.pt")
    torch.manual_seed(run.progress.step)  # decides which inputs are hidden
    # A resumed run draws new batches rather than the ones it has seen.
    seed = f"{plan.seed} from step {run.progress.step}"
    size = run.model.config.max_seq_len + 1
    data = batches(
        seed,
        tokenizer,
        vocabulary,
        plan.rows,
        size,
        drilled=lambda: drilled(run),
        usual=usual_in_stories(tokenizer, vocabulary),
    )
    keep_records(run, train(run, data), args.run, args.export)
    log.info("making the shared row quiet")
    settle_shared_row(run.model, example_rows(tokenizer, vocabulary), vocabulary)
    run.export(args.export)


if __name__ == "__main__":
    main()
