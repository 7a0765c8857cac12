"""As a build writes it."""

__version__ = version = "9.8.7"
