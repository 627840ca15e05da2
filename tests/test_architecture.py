"""The house rules, read from the source: who imports whom, and names that resolve."""

import ast
from pathlib import Path

import pytest

from model import GPT, GPTConfig
from model.trace import writers

ROOT = Path(__file__).parent.parent
APP = ROOT / "app.py"
MODEL = sorted((ROOT / "model").rglob("*.py"))
VIZ = sorted((ROOT / "viz").rglob("*.py"))
PAGES = [path for path in VIZ if "pages" in path.relative_to(ROOT).parts]
FIGURES = [path for path in VIZ if path not in PAGES]
ALL = [*MODEL, *VIZ, *([APP] if APP.exists() else [])]


def imports(path: Path) -> set[str]:
    """The top-level names of everything a file imports, also inside its functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by a relative path"
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def importers(paths: list[Path], *packages: str) -> list[str]:
    """Those of `paths` that import one of `packages`."""
    return [str(path.relative_to(ROOT)) for path in paths if imports(path) & set(packages)]


def test_the_model_knows_nothing_of_plots_or_pages():
    assert importers(MODEL, "viz", "streamlit", "plotly") == []


def test_figures_know_nothing_of_the_model():
    assert importers(FIGURES, "model", "torch") == []


def test_only_pages_know_streamlit():
    assert importers([*MODEL, *FIGURES], "streamlit") == []


def test_one_file_knows_the_hub_and_one_knows_transformers():
    assert importers(ALL, "huggingface_hub", "httpx2") == ["model/hub.py"]
    assert importers(ALL, "transformers") == ["model/agreement.py"]


def test_only_the_command_lines_print():
    tools = {ROOT / "model" / "__main__.py", *(ROOT / "model" / "mini").glob("*.py")}
    printing = [
        str(path.relative_to(ROOT))
        for path in sorted({*ALL} - tools)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "print"
    ]
    assert printing == []


@pytest.mark.skipif(not APP.exists(), reason="there is no app.py")
def test_the_app_is_short_and_has_no_class():
    source = APP.read_text(encoding="utf-8")
    assert len(source.splitlines()) < 100
    assert not [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]


def test_no_module_is_named_after_nothing():
    assert not {path.stem for path in ALL} & {"utils", "util", "helpers", "helper", "manager"}


def test_every_box_of_the_diagram_is_a_module():
    model = GPT(GPTConfig(dmodel=8, vocabsize=11, max_seq_len=4, N=3, H=2))
    embed, *others = writers(model.config)
    assert embed == "embed"  # wte + wpe, two modules
    assert others == [f"blocks.{i}.{part}" for i in range(3) for part in ("attn", "ff")]
    norms = [f"blocks.{i}.norm_{j}" for i in range(3) for j in (1, 2)]
    for name in [*others, *norms, "wte", "wpe", "norm", "lm_head"]:
        assert model.get_submodule(name)
