"""LangChain's OpenAI chat, with what a server puts beside its reply as thoughts, which that class
leaves out: `reasoning_content` (vLLM, LM Studio, llama.cpp, DeepSeek) or `reasoning` (OpenRouter,
newer vLLM). Heavy to import: where a model is opened.
"""

from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI

from dynagrag.models.thoughts import THOUGHTS_FIELD

_FIELDS = ("reasoning_content", "reasoning")


class ReasoningChatOpenAI(ChatOpenAI):
    """Its messages have the thoughts in `additional_kwargs`, by the name under which LangChain's
    other classes (DeepSeek, Ollama) put them there.
    """

    def _create_chat_result(
        self, response: Any, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        choices = response.get("choices") if isinstance(response, dict) else response.choices
        for generation, choice in zip(result.generations, choices or (), strict=False):
            _keep_thoughts(generation.message, _part(choice, "message"))
        return result

    def _convert_chunk_to_generation_chunk(
        self,
        chunk: dict[str, Any],
        default_chunk_class: type,
        base_generation_info: dict[str, Any] | None,
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        if made is not None and (choices := chunk.get("choices")):
            _keep_thoughts(made.message, _part(choices[0], "delta"))
        return made


def _keep_thoughts(message: BaseMessage, fields: Any) -> None:
    for name in _FIELDS:
        if isinstance(text := _part(fields, name), str) and text:
            message.additional_kwargs[THOUGHTS_FIELD] = text
            return


def _part(whole: Any, name: str) -> Any:
    """Of a dict or of the SDK's object, whatever a server sent in its place."""
    return whole.get(name) if isinstance(whole, dict) else getattr(whole, name, None)
