"""Telegram's chats saved as a page."""

from pathlib import Path

from dynagrag.ingest.load.read import load_source

_MESSAGE = (
    '<div class="message default clearfix{joined}" id="message{n}"><div class="pull_left">'
    '<div class="initials">XY</div></div><div class="body">'
    '<div class="pull_right date details" title="05.06.2024 10:{n:02}:00 UTC+02:00">10:{n:02}</div>'
    "{name}{words}</div></div>"
)


def _message(n: int, name: str, words: str) -> str:
    named = f'<div class="from_name">\n{name}\n</div>' if name else ""
    return _MESSAGE.format(joined="" if name else " joined", n=n, name=named, words=words)


def _text(words: str) -> str:
    return f'<div class="text">{words}</div>'


def _page(tmp_path: Path, *messages: str) -> Path:
    path = tmp_path / "messages.html"
    service = '<div class="message service"><div class="body details">5 June 2024</div></div>'
    path.write_text(
        "<!DOCTYPE html><html><head><title>Exported Data</title></head><body>"
        '<div class="page_header"><div class="text bold">Boat club</div></div>'
        f'<div class="history">{service}{"".join(messages)}</div></body></html>'
    )
    return path


def test_messages_have_their_senders_and_times_and_no_furniture(tmp_path: Path) -> None:
    reply = '<div class="reply_to details">In reply to <a href="#m">this message</a></div>'
    source = load_source(
        _page(
            tmp_path,
            _message(1, "Ines Roth", _text("Is the <strong>raft</strong> out?<br>It was.")),
            _message(2, "", _text("Nobody tells me.")),
            _message(5, "Odd Berg", reply + _text("It is, since May.")),
            _message(6, "Odd Berg", '<div class="media_wrap">photo.jpg</div>'),
        )
    )
    assert [(t.speaker, t.start_s, t.text) for t in source.turns] == [
        ("Ines Roth", 0, "Is the raft out? It was."),
        ("Ines Roth", 60, "Nobody tells me."),
        ("Odd Berg", 240, "It is, since May."),
    ]
    assert source.title == "Boat club"
    assert "2 messages without words left out" in source.notes


def test_what_is_forwarded_is_of_whom_it_names(tmp_path: Path) -> None:
    inner = (
        '<div class="forwarded body"><div class="from_name">Lena Holt'
        '<span class="date details"> 01.06.2024 08:00:00</span></div>'
        f"{_text('Mind the weir.')}</div>"
    )
    source = load_source(
        _page(tmp_path, _message(1, "Ines Roth", _text("See this.")), _message(2, "", inner))
    )
    assert [turn.speaker for turn in source.turns] == ["Ines Roth", "Lena Holt"]


def test_another_page_with_such_classes_is_no_chat(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text('<html><body><div class="message"><div class="body">Hi all.</div></div></body>')
    assert load_source(path).format == "html"
