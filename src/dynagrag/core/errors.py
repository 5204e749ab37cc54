"""The errors that dynagrag raises on purpose, by kind.

    DynaGragError                 one line: what failed, with which value, what to do
    ├── UsageError                the command or call was wrong (exit 2)
    ├── SettingsError             a setting is missing, unknown or has a wrong value
    ├── LoadError                 a source file could not be read; the reason names it
    ├── StoreError                the graph store refused or is unusable
    │   ├── NewerStoreError       written by a newer version of dynagrag
    │   └── EmbedderMismatchError the workspace holds vectors of another embedder
    ├── WorkspaceError            unknown or empty workspace
    ├── ModelError                a model call failed
    │   ├── ModelUnavailableError   unreachable, timed out, 429, 5xx   (later it may do)
    │   ├── ModelRefusedError       401, 403, 404
    │   │   └── PromptRefusedError    400, 413, 422                      (another prompt may do)
    │   │       └── ContextTooShortError  the prompt is too long       (the chunk is halved)
    │   ├── InvalidReplyError       the reply does not fit its schema  (repaired once)
    │   └── CutOffReplyError        the reply hit its token limit      (the chunk is halved)
    │       └── EmptyReplyError       before its answer began          (asked once with more room)
    └── BudgetError               a hard budget was reached; the work so far is kept

A module that needs one of its own derives it from these: journal/jobs.py, cli/run_job.py,
evaluation/frame/kept_run.py. SDK errors are translated once, in
`dynagrag.models.error_translation`.
"""


class DynaGragError(Exception):
    """Base of every error raised on purpose. Its message is fit to be shown to a user."""

    exit_code: int = 1


class UsageError(DynaGragError):
    """The command or call was wrong."""

    exit_code = 2


class SettingsError(DynaGragError):
    """A setting is missing, unknown or has a wrong value."""


class LoadError(DynaGragError):
    """A source file could not be read."""


class StoreError(DynaGragError):
    """The graph store refused an operation or is unusable."""


class NewerStoreError(StoreError):
    """The store was written by a newer version."""


class EmbedderMismatchError(StoreError):
    """The workspace holds vectors of another embedder or dimension."""


class WorkspaceError(DynaGragError):
    """Unknown or empty workspace, or a name that cannot be one."""


class ModelError(DynaGragError):
    """A model call failed."""


class ModelUnavailableError(ModelError):
    """Unreachable, timed out, rate limited or failing on its own side."""


class ModelRefusedError(ModelError):
    """The provider refused the request: key, name or parameters."""


class PromptRefusedError(ModelRefusedError):
    """The provider refused this prompt: its contents, its length or its form. Another may be
    answered.
    """


class ContextTooShortError(PromptRefusedError):
    """The prompt is longer than the model's context. A shorter one may be answered."""


class InvalidReplyError(ModelError):
    """The reply does not fit its schema."""

    def __init__(self, message: str, reply: str = "") -> None:
        super().__init__(message)
        self.reply = reply


class CutOffReplyError(ModelError):
    """The reply hit its token limit."""


class EmptyReplyError(CutOffReplyError):
    """The reply hit its token limit before its answer began: a model's thoughts used it up."""


class BudgetError(DynaGragError):
    """A hard budget was reached; the work so far is kept."""
