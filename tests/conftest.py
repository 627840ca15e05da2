"""Fixtures for all tests: checkpoints to break, a running page and a browser to drive it."""

pytest_plugins = ["tests.browser", "tests.checkpoints"]
