"""spaCy's models that are installed here, by language. Found by their packages' metadata, so that
nothing is imported until a text is read.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from dynagrag.core.errors import SettingsError
from dynagrag.core.unwanted_imports import without_module

if TYPE_CHECKING:
    from spacy.language import Language

GROUP = "spacy_models"
"""The group of entry points that packages of models name themselves in."""
_SIZES = ("sm", "md", "lg", "trf")
_UNUSED = ("ner", "entity_linker", "entity_ruler", "textcat", "senter")
"""Components that nothing here reads."""
_OTHER_CODES = {"no": "nb"}
"""Codes of documents that spaCy has another for."""
_NEEDED = ("parser",)


@dataclass(frozen=True, slots=True)
class SpacyModel:
    """A model's package: its name, the language it is for (spaCy's code), and its version."""

    name: str
    language: str
    version: str


def installed_models() -> dict[str, SpacyModel]:
    """The model of each language that has one: where there are several, the largest that needs no
    torch.
    """
    found: dict[str, SpacyModel] = {}
    for point in sorted(entry_points(group=GROUP), key=_preference):
        language = point.name.partition("_")[0]
        version = point.dist.version if point.dist is not None else ""
        found[language] = SpacyModel(point.name, language, version)
    return found


def _preference(point: EntryPoint) -> tuple[int, str]:
    """The last one counts."""
    sizes = [size for size in _SIZES if size in point.name.split("_")]
    rank = -1 if sizes in ([], ["trf"]) else _SIZES.index(sizes[0])
    return rank, point.name


def spacy_code(language: str) -> str:
    """spaCy's code of a document's language."""
    return _OTHER_CODES.get(language, language)


def download_hint(language: str) -> str:
    """How a model of a language is installed: a command where spaCy has one of that name."""
    if language == "en":
        return "pip install 'dynagrag[spacy]'"
    return f"python -m spacy download {spacy_code(language)}_core_news_sm"


def _torch_as_needed() -> AbstractContextManager[None]:
    """Where spaCy finds torch it imports it, which only models with a transformer need: 1.5 CPU
    seconds.
    """
    names = (model.name for model in installed_models().values())
    is_needed = any("trf" in name.split("_") for name in names)
    return nullcontext() if is_needed else without_module("torch")


@cache
def load_model(model: SpacyModel) -> "Language":
    """Loads a model without what nothing here reads.

    Raises SettingsError where it is of another version than spaCy, can't be loaded, or parses no
    sentences.
    """
    with _torch_as_needed():
        import spacy
        from spacy.util import get_package_path, is_compatible_version, load_meta

    remedy = f"install the one of this version: {download_hint(model.language)}"
    try:
        meta = load_meta(get_package_path(model.name) / "meta.json")
        wanted = str(meta.get("spacy_version", ""))
        if is_compatible_version(spacy.__version__, wanted) is False:
            raise SettingsError(
                f"the spaCy model {model.name} {model.version} is made for spaCy {wanted}, and"
                f" {spacy.__version__} is here; {remedy}"
            )
        language = spacy.load(model.name, exclude=_UNUSED)
    except (OSError, ValueError, ImportError) as err:
        first = str(err).partition("\n")[0]
        raise SettingsError(
            f"the spaCy model {model.name} can't be loaded ({first}); {remedy}"
        ) from err
    lacking = [name for name in _NEEDED if name not in language.pipe_names]
    if lacking:
        raise SettingsError(
            f"the spaCy model {model.name} has no {' and no '.join(lacking)}, which finds phrases"
            f" and relations; {remedy}"
        )
    return language
