"""A Llama of some thousand random weights, and a tokenizer of whole words, for tests of soft
prompts.
"""

from typing import Any

CHAT_TEMPLATE = (
    "{% for m in messages %}<user> {{ m['content'] }} {% endfor %}{% if add_generation_prompt"
    " %}<answer> {% endif %}"
)
WORDS = (
    "argument 1 2 support counter is a part of cat dog animal bird can fly causes not the and"
    " desires answer in one word".split()
)
SPECIAL = ["<pad>", "<unk>", "<user>", "<answer>", "</s>"]


def tiny_llama(has_template: bool = True, seed: int = 0, max_tokens: int = 128) -> tuple[Any, Any]:
    """Model and tokenizer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    vocabulary = {word: i for i, word in enumerate([*SPECIAL, *WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.add_special_tokens(SPECIAL)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    )
    tokenizer.chat_template = CHAT_TEMPLATE if has_template else None
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=max_tokens,
        eos_token_id=vocabulary["</s>"],
        pad_token_id=vocabulary["<pad>"],
        bos_token_id=None,
        initializer_range=0.1,
    )
    return LlamaForCausalLM(config), tokenizer
