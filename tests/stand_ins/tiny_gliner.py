"""A GLiNER2 model of a few thousand random numbers, as its authors' library writes one to a
folder: it finds anything or nothing, by their code.
"""

from pathlib import Path

WORDS = "ada byron works for acme in london . , the who runs it".split()


def write_tiny_gliner(folder: Path) -> Path:
    """Writes it; the folder to load it from."""
    import torch
    from gliner2 import AutoExtractor
    from gliner2.configuration import ExtractorConfig
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    marks = dict(zip(("unk", "pad", "cls", "sep", "mask"), range(5), strict=True))
    vocabulary = {f"[{mark.upper()}]": i for mark, i in marks.items()}
    vocabulary |= {word: len(vocabulary) + i for i, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    encoder = folder / "encoder"
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **{f"{mark}_token": f"[{mark.upper()}]" for mark in marks}
    ).save_pretrained(encoder)
    BertModel(
        BertConfig(
            vocab_size=64,
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=256,
        )
    ).save_pretrained(encoder)
    made = AutoExtractor.from_config(
        ExtractorConfig(model_name=str(encoder), architecture="boundary")
    )
    made.save_pretrained(str(folder / "model"))
    return folder / "model"
