"""The panels of Explore. Each shows one side of one trace, says how to read it, says what stands
out in it, and offers the same numbers as a table and as a CSV."""

from viz.pages.panels import attention, code, embedding, lens, mlp, next_token, residual
from viz.pages.panels.scene import Scene

SHOW = {
    "embedding": embedding.show,
    "attention": attention.show,
    "mlp": mlp.show,
    "residual": residual.show,
    "lens": lens.show,
    "next": next_token.show,
    "code": code.show,
}


def show(scene: Scene) -> None:
    """Draw the panel the view asks for."""
    SHOW[scene.view.panel](scene)
