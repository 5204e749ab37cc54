"""A report as lines of a terminal: what was asked, the figures, what came out. Pictures and cases
are for the page.
"""

from collections.abc import Iterator

from dynagrag.evaluation.frame.report import Report, Section, Table, cell_text

_GAP = 2


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
