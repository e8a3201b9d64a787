"""Real models for `demo.py --live PROVIDER MODEL`, or one line on what is missing."""

from __future__ import annotations

import importlib
import os
import urllib.error
import urllib.request

from strands.models import Model

PROVIDERS = ("bedrock", "anthropic", "openai", "ollama")
OLLAMA = os.environ.get("OLLAMA_HOST", "http://localhost:11434")


class NotReadyError(Exception):
    """A provider cannot be used yet; the text says what to set."""


def live_model(provider: str, model_id: str) -> Model:
    """Make a provider's model.

    Raises:
        NotReadyError: Credentials or a package are missing.
    """
    if missing := missing_for(provider):
        raise NotReadyError(missing)
    try:
        module = importlib.import_module(f"strands.models.{provider}")
    except ImportError:
        raise NotReadyError(
            f"Install the provider's package: pip install 'strands-agents[{provider}]'"
        ) from None
    names = {"bedrock": "BedrockModel", "anthropic": "AnthropicModel", "openai": "OpenAIModel"}
    arguments: dict[str, object] = {"model_id": model_id}
    if provider == "anthropic":
        arguments["max_tokens"] = 4096
    if provider == "ollama":
        arguments["host"] = OLLAMA
    model: Model = getattr(module, names.get(provider, "OllamaModel"))(**arguments)
    return model


def missing_for(provider: str) -> str | None:
    """What to set before a provider can be used, or nothing."""
    match provider:
        case "anthropic" | "openai":
            key = f"{provider.upper()}_API_KEY"
            return None if os.environ.get(key) else f"Set {key} to use {provider}."
        case "bedrock":
            return None if has_aws_credentials() else (
                "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, "
                "and AWS_REGION to use bedrock."
            )  # fmt: skip
        case "ollama":
            return None if answers(OLLAMA) else (
                f"Start Ollama (`ollama serve`) or set OLLAMA_HOST: {OLLAMA} does not answer."
            )  # fmt: skip
    return f"{provider} is not one of {', '.join(PROVIDERS)}."


def has_aws_credentials() -> bool:
    if os.environ.get("AWS_BEARER_TOKEN_BEDROCK"):
        return True
    boto3 = importlib.import_module("boto3")
    return boto3.Session().get_credentials() is not None


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=3):
            return True
    except (urllib.error.URLError, OSError, ValueError):
        return False
