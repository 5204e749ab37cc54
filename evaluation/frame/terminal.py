"""A report as lines of a terminal: what was asked, the figures, the cases that are to be shown here
too, what came out. Pictures and the other cases are for the page.
"""

from collections.abc import Iterator

from dynagrag.core.text import cut
from dynagrag.evaluation.frame.report import Cases, Report, Section, Table, cell_text

_GAP = 2
_MAX_CHARS = 120
"""Of a text of a case."""


def report_lines(report: Report) -> Iterator[str]:
    """The lines, without control characters only where the report's texts have none. What came out
    stands last, or first of all where it should be believed with care.
    """
    if report.is_warned:
        yield report.conclusion
        yield ""
    yield report.title
    yield report.asked
    yield from (f"  {note}" for note in (*report.about, *report.notes))
    for section in (*report.results, *report.costs):
        yield from _section_lines(section)
    for cases in report.cases:
        yield from _case_lines(cases)
    yield ""
    if not report.is_warned:
        yield report.conclusion
    if meaning := report.words.get("points"):
        yield f"in points ({meaning}); behind a figure its 95 % interval"


def _section_lines(section: Section) -> Iterator[str]:
    if section.tables or section.before or section.after:
        yield ""
    if section.title:
        yield section.title if section.title.endswith("?") else f"{section.title}:"
    yield from section.before
    for number, table in enumerate(section.tables):
        if number:
            yield ""
        yield from table_lines(table)
    yield from section.after


def _case_lines(cases: Cases) -> Iterator[str]:
    """Each with its value and the first text of each of its lists."""
    shown = cases.cases[: cases.num_in_terminal]
    if not shown:
        return
    yield ""
    yield f"{cases.title}:"
    for case in shown:
        yield f"  {cut(case.text, _MAX_CHARS)}: {case.value}"
        for listing in case.listings:
            first = next((item.words for item in listing.items), listing.empty)
            yield f"    {listing.title} first: {cut(first, _MAX_CHARS)}"
    if len(cases.cases) > len(shown):
        yield f"  ... and {len(cases.cases) - len(shown)} more, in the report and in --json"


def table_lines(table: Table) -> Iterator[str]:
    """Columns as wide as what they hold: names to the left, cells to the right."""
    if table.title:
        yield table.title
    rows = [
        list(table.heads),
        *([name, *map(cell_text, cells)] for name, cells in table.rows),
    ]
    widths = [max(len(text) for text in column) for column in zip(*rows, strict=True)]
    for row in rows:
        name, *cells = (
            text.ljust(width) if i == 0 else text.rjust(width + _GAP)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"{name}{''.join(cells)}".rstrip()
