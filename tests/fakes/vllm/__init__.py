"""A stand-in for vLLM: modules, names and forms that the adapter relies on, in words of our own."""

from vllm._version import __version__

__all__ = ["__version__"]
