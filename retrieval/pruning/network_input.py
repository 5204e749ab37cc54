"""Names of the inputs of a pruning network; see NetworkOptions."""

from typing import Literal, get_args

Form = Literal["distances", "compared", "paper"]
FORMS: tuple[Form, ...] = get_args(Form)
