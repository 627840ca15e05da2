"""The files a checkpoint is made of, and the error that says what is wrong with one.

Apart from the code that reads them, which needs PyTorch: fetching and asking do without.
"""

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")


class CheckpointError(ValueError):
    """A model that cannot be loaded: one sentence with the file and the reason, in numbers."""
