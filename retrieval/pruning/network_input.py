"""What a pruning network reads of a node or an edge, by name; see NetworkOptions."""

from typing import Literal, get_args

Form = Literal["distances", "compared", "paper"]
FORMS: tuple[Form, ...] = get_args(Form)
