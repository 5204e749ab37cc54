"""A report as one page: no script, nothing fetched from anywhere. Pictures are drawn by matplotlib
(pictures.py). The templates lie beside this file; whatever they are given is escaped, but for those
drawings.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from dynagrag.core.extras import lacking_extras
from dynagrag.evaluation.frame.pictures import COLOURS, picture_svg
from dynagrag.evaluation.frame.report import Picture, Report, cell_text

if TYPE_CHECKING:
    from jinja2 import Template

_MADE_OF = ("workspace", "graph", "files", "asked", "prompts", "dynagrag")
"""Settings that say of what a run was made, by the first part of their names: they stand with the
versions.
"""


def render(report: Report, head: Mapping[str, Any]) -> str:
    """The page of a report; `head`: the run.json of its run."""
    settings = list(flat(head["settings"]))
    made_of = [(name, value) for name, value in settings if name.partition(".")[0] in _MADE_OF]
    own = [(name, value) for name, value in settings if (name, value) not in made_of]
    parts = {name.partition(".")[0] for name, _ in made_of}
    has_graph, has_data = "graph" in parts, bool(parts - {"graph", "dynagrag"})
    of_what = [*(["data"] if has_data else []), *(["graph"] if has_graph else [])]
    made_of_title = f"{', '.join(of_what)}{' and ' if of_what else ''}versions".capitalize()
    return _template().render(
        report=report,
        begun=head["begun"],
        settings=[(name, value) for name, value in own if "." not in name],
        more_settings=[(name, value) for name, value in own if "." in name],
        made_of=[*made_of, *head["versions"].items()],
        made_of_title=made_of_title,
        has_graph=has_graph,
        has_hashes=bool(parts & {"files", "graph", "asked"}),
        no_pictures=lacking_extras("a report's pictures", {"matplotlib": "evaluate"}),
    )


@cache
def _template() -> "Template":
    def source(file: str) -> str:
        return resources.files(__package__).joinpath(file).read_text(encoding="utf-8")

    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def drawn(picture: Picture) -> Markup:
        return Markup(picture_svg(picture))  # names in it are escaped as it is drawn

    environment.filters |= {"cell": cell_text, "drawn": drawn}
    environment.globals["num_colours"] = len(COLOURS)
    return environment.get_template("report.html.jinja")


def flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Settings as lines: nested names joined by dots."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{before}{name}.")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"{before}{name}", ", ".join(map(str, value))
        else:
            yield f"{before}{name}", "" if value is None else str(value)
