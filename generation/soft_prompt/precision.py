"""How exactly a language model's numbers are kept."""

from enum import StrEnum


class Precision(StrEnum):
    """Of the language model's numbers; what is learned is float32 always. `AUTO`: bfloat16 where
    the machine has it.
    """

    AUTO = "auto"
    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
