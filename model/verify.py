"""`python -m model --verify`: is it OpenAI's release, and does it compute as transformers does?"""

from collections.abc import Iterator, Mapping

from model import agreement
from model.checkpoint import BUILT_IN, folder_of, load_model
from model.files import CheckpointError
from model.hub import Tell
from model.proof import Proof, prove

LISTED = 20  # tensors told by name


def verify(
    source: str, tell: Tell = lambda *_: None, release: Mapping[str, dict] | None = None
) -> tuple[str, bool]:
    """What is found, as text, and whether the weights are the release's, bit for bit.

    Args:
        source: a published model or a folder; fetched first if it is not here, telling `tell`.
        release: the fingerprints to expect; OpenAI's GPT-2 Small unless given.
    Raises:
        CheckpointError: if the model cannot be had.
    """
    if source == BUILT_IN:
        raise CheckpointError("mini is made by this project: there is no release to verify it with")
    model, folder = load_model(source, tell), folder_of(source)
    proof = prove(model, release)
    lines = [*_proof(source, proof), ""]
    version = agreement.available()
    if version is None:
        lines.append("transformers is not installed, so nothing was compared with it")
    else:
        lines.append(
            f"Against transformers {version}, "
            f"largest differences on {agreement.compared(model)} tokens:"
        )
        lines += _agreement(agreement.differences(model, folder))
    return "\n".join(lines), proof.holds


def _proof(source: str, proof: Proof) -> Iterator[str]:
    total, different = len(proof.tensors), proof.different
    if proof.holds:
        yield f"{source} is OpenAI's release of GPT-2 Small, bit for bit: all {total} tensors"
        return
    yield (
        f"{source} is not OpenAI's release of GPT-2 Small: {len(different)} of {total} tensors "
        "are not the same"
    )
    for tensor in different[:LISTED]:
        yield f"  {tensor.name:<24} {tensor.shape!s:<14} {tensor.verdict}"
    if len(different) > LISTED:
        yield f"  and {len(different) - LISTED} more"


def _agreement(found: tuple[agreement.Difference, ...]) -> Iterator[str]:
    for each in found:
        yield f"  {each.largest:7.1e}  {each.what}, whose largest value is {each.scale:.4g}"
