"""The report of a run, drawn in the app: what came out, tables with numbers as numbers, pictures by
plotly, cases to read. It knows no kind of evaluation.
"""

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from dynagrag.evaluation.frame.figures import Figure
from dynagrag.evaluation.frame.pictures import COLOURS
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Column,
    LineChart,
    Listing,
    Picture,
    Report,
    Section,
    Table,
)
from dynagrag.ui.safe_markdown import clean, plain, plain_lines

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Drawing

_HEIGHT, _ROW = 320, 44
"""Pixels: of a picture, and of a bar's row."""
_MAX_NAME = 40


def show_report(report: Report, key: str) -> None:
    """Draws all of it. `key`: no other report's on the page."""
    (st.warning if report.is_warned else st.info)(
        plain(report.conclusion), icon=":material/insights:"
    )
    for note in (report.asked, *report.about, *report.notes):
        st.caption(plain(f"{note[:1].upper()}{note[1:]}"))
    sections = (*report.results, *report.costs)
    for number, section in enumerate(sections):
        _show_section(section, f"{key}_{number}")
    if report.words:
        with st.expander("What the columns mean"):
            st.markdown(
                "  \n".join(
                    f"**{plain(name)}**: {plain(said)}" for name, said in report.words.items()
                )
            )
    for group in report.cases:
        if group.cases:
            st.markdown(f"**{plain(group.title)}**")
        for case in group.cases:
            _show_case(case)


def _show_section(section: Section, key: str) -> None:
    if section.title:
        st.markdown(f"**{plain(section.title)}**")
    for line in section.before:
        st.markdown(plain(line))
    for table in section.tables:
        _show_table(table)
    for number, picture in enumerate(section.pictures):
        st.markdown(f"**{plain(picture.title)}**")
        st.plotly_chart(
            drawing_of(picture), key=f"{key}_{number}", config={"displayModeBar": False}
        )
    for line in section.after:
        st.markdown(plain(line))


# ------------------------------------------------------------------------------------------- tables


def _show_table(table: Table) -> None:
    if table.title:
        st.markdown(f"**{plain(table.title)}**")
    st.dataframe(
        [table_row(table, number) for number in range(len(table.rows))],
        hide_index=True,
        width="stretch",
        column_config={
            head: st.column_config.NumberColumn(format=form)
            for head, form in _formats(table).items()
        },
        placeholder="–",
    )


def table_row(table: Table, number: int) -> dict[str, float | str | None]:
    """A row as a data frame has it: figures as numbers, each interval in a column of its own."""
    name, cells = table.rows[number]
    row: dict[str, float | str | None] = {table.heads[0]: clean(name, _MAX_NAME)}
    for head, cell in zip(table.heads[1:], cells, strict=True):
        if isinstance(cell, str):
            row[clean(head)] = clean(cell)
            continue
        row[clean(head)] = cell.shown
        if cell.shown_bounds is not None:
            row[f"{clean(head)}, 95 %"] = cell.bounds_text()
    return row


def _formats(table: Table) -> dict[str, str]:
    """By column as many digits as its first figure is worth."""
    found: dict[str, str] = {}
    for _, cells in table.rows:
        for head, cell in zip(table.heads[1:], cells, strict=True):
            if isinstance(cell, Figure) and cell.shown is not None:
                sign = "+" if cell.is_difference else ""
                found.setdefault(clean(head), f"%{sign}.{cell.unit.digits(cell.shown)}f")
    return found


# ----------------------------------------------------------------------------------------- pictures


def drawing_of(picture: Picture) -> "Drawing":
    """The picture as plotly draws it."""
    from plotly import graph_objects as go

    drawing = go.Figure()
    if isinstance(picture, BarChart):
        _add_bars(drawing, picture)
    elif isinstance(picture, LineChart):
        for i, (name, shares) in enumerate(picture.values.items()):
            drawing.add_scatter(
                x=list(range(picture.first, picture.first + len(shares))),
                y=[100 * share for share in shares],
                name=_named(name),
                line={"color": _colour(i), "width": 4 if i == 0 else 2},
            )
    else:
        for i, (name, (cost, quality)) in enumerate(picture.points.items()):
            drawing.add_scatter(
                x=[cost],
                y=[quality],
                name=_named(name),
                mode="markers",
                marker={"color": _colour(i), "size": 12},
            )
        drawing.update_xaxes(type="log")
    if not isinstance(picture, BarChart):
        drawing.update_layout(xaxis_title=picture.x_title, yaxis_title=picture.y_title)
    height = _HEIGHT if not isinstance(picture, BarChart) else 80 + _ROW * len(picture.values)
    drawing.update_layout(height=height, margin={"l": 8, "r": 8, "t": 8, "b": 8})
    return drawing


def _add_bars(drawing: "Drawing", picture: BarChart) -> None:
    for i, (name, figure) in enumerate(picture.values.items()):
        value = figure.shown or 0.0
        low, high = figure.shown_bounds or (value, value)
        drawing.add_bar(
            x=[value],
            y=[_named(name)],
            orientation="h",
            marker={"color": _colour(i), "opacity": 0.6},
            error_x={"array": [high - value], "arrayminus": [value - low]},
            hovertemplate=f"{figure.text()}<extra></extra>",
            showlegend=False,
        )
    drawing.update_yaxes(autorange="reversed")


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _named(name: str) -> str:
    """A name as plotly, whose labels know some HTML, shows it letter by letter."""
    return escape(clean(name, _MAX_NAME))


# -------------------------------------------------------------------------------------------- cases


def _show_case(case: Case) -> None:
    with st.expander(f"{plain(clean(case.text, 160))} · {plain(case.value)}"):
        if case.warning:
            st.caption(plain(case.warning))
        for listing in case.listings:
            _show_listing(listing)
        for column in case.columns:
            _show_column(column)


def _show_column(column: Column) -> None:
    st.markdown(f"**{plain(column.name)}**" + (f" · {plain(column.value)}" if column.value else ""))
    if column.text:
        st.markdown(plain_lines(column.text))
    for aside in (column.warning, *column.asides):
        if aside:
            st.caption(plain(aside))
    for listing in column.listings:
        _show_listing(listing)


def _show_listing(listing: Listing) -> None:
    if not listing.items and not listing.empty:
        return
    lines = [f"**{plain(listing.title)}**"] if listing.title else []
    for item in listing.items:
        title = f"**{plain(item.title)}**: " if item.title else ""
        lines.append(f"{':material/flag: ' if item.is_gold else ''}{title}{plain(item.words)}")
    st.markdown("  \n".join(lines if listing.items else [*lines, plain(listing.empty)]))
