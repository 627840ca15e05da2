"""How the built-in model is made: its corpus, its training, its evaluation and its asset."""
