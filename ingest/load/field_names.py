"""The fields of a transcript and what they are called: one vocabulary for the headers of tables and
the keys of JSON.

Tools differ in names and nesting, hardly in what they say. A field is a `FieldNames`, a row below;
a name that a tool writes is a word in its row, for both kinds of files.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from dynagrag.ingest.load.times import MILLI_S, TICK_S

_SEPARATORS = re.compile(r"[\s_\-]+")
_UNIT = re.compile(r"(?:[\s_\-]+| ?[(\[])(s|secs?|seconds|ms|millis|milliseconds)[)\]]?$")
_IN_BRACKETS = re.compile(r" ?[(\[][^()\[\]]{1,40}[)\]]$")
_UNITS = ("", "sec", "seconds", "ms", "millis", "milliseconds", "inticks")
"""What names of times end with: `startMs`, `offsetInTicks`."""


@lru_cache(maxsize=10_000)
def field_name(name: str) -> str:
    """A header or key as the vocabulary has it: without case, separators, marks around it and
    brackets behind it. `startTime`, `start_time` and `Start time (s)` are one; milliseconds stay at
    its end (`startms`).
    """
    bare = " ".join(name[:100].split()).strip("\ufeff\"'# ").casefold()
    unit = _UNIT.search(bare)
    if unit is not None and unit.start():
        bare = bare[: unit.start()] + ("ms" if unit[1].startswith("m") else "")
    return _SEPARATORS.sub("", _IN_BRACKETS.sub("", bare))


def unit_in(name: str) -> float | None:
    """The unit in seconds that a time's name suggests; None where it says nothing."""
    if "ticks" in name:
        return TICK_S
    return MILLI_S if "milli" in name or (name.endswith("ms") and name != "items") else None


@dataclass(frozen=True, slots=True)
class FieldNames:
    """What one field is called, as `field_name` has it.

    Attributes:
        names: In other programs, best first: of a record with two of them the first is read.
        words: In some language; also a word of a longer header ("Nom de l'orateur").
        loose: Names that mean other things as well: they count where the values are what the field
            holds.
        units: Endings that each name may have.
    """

    names: tuple[str, ...]
    words: tuple[str, ...] = ()
    loose: frozenset[str] = frozenset()
    units: tuple[str, ...] = ("",)
    _ranks: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        own = [
            name + unit for name in self.names for unit in (self.units if len(name) > 2 else ("",))
        ]
        ranks = {name: at for at, name in enumerate(dict.fromkeys([*own, *self.words]))}
        object.__setattr__(self, "_ranks", ranks)

    def __contains__(self, name: str) -> bool:
        return name in self._ranks

    def is_sure(self, name: str) -> bool:
        """Whether a tool's name says by itself that a table is one of turns."""
        return name in self.names and name not in self.loose

    def found_in(self, names: Iterable[str]) -> list[str]:
        """Those of some names that are this field's, best first."""
        return sorted(filter(self._ranks.__contains__, names), key=self._ranks.__getitem__)

    def is_word_of(self, header: str) -> bool:
        """Whether a header, or one word in it, is one of the field's words."""
        whole = header.casefold()
        return any(part in self.words for part in (whole, *whole.split()))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


TEXT = FieldNames(
    # A word with its punctuation before the bare one, the display form before the lexical.
    _words(
        "text body message transcript content utterance sentence display displaytext punctuatedword"
        " formattedword punct word value utf8 transcription caption spokentext line words lines itn"
        " maskeditn lexical dialogue dialog speech msg"
    ),
    words=_words(
        """
        text txt utt phrase quote zitat texte texto testo tekst treść wypowiedź transkript
        transkription transcript transcription wortlaut wortbeitrag énoncé
        transcripción transcrição trascrizione äusserung aussage inhalt contenu contenido contenuto
        conteúdo inhoud obsah promluva текст реплика высказывание 発言 発話 内容 テキスト 文本
        消息内容 消息 내용 발화 पाठ النص
        mot palabra parola palavra wort ord słowo slovo слово 単語 词
        """
    ),
    loose=_set(
        "display displaytext punctuatedword formattedword punct word value utf8 spokentext lines"
        " itn maskeditn lexical"
    ),
)
"""What is spoken: a turn, a sentence or, in records of single words, a word."""
SPEAKER = FieldNames(
    _words(
        "speaker speakername speakerdisplayname name participant participantname talker author"
        " displayname speakerlabel participantrole participantid participanttype speakerid spkid"
        " speakertag speakerindex userprofile sendername senderfullname authorname fullname"
        " username screenname nickname nick handle user creator sender attributedto source from"
        " who person role userid authorid senderid uid spk spkr"
    ),
    words=_words(
        """
        speaker participant author who wer qui chi quem kto kdo кто sprecher sprecherin redner
        person orateur locuteur locutrice intervenant intervenante interlocuteur
        hablante orador interlocutor quién quien ponente parlante relatore interlocutore falante
        spreker mówca rozmówca osoba mluvčí řečník говорящий спикер оратор участник 話者 発言者
        讲者 说话人 发言人 talare taler puhuja konuşmacı
        absender expéditeur remitente mittente afzender nadawca отправитель gönderen
        发送方 发送者 发送人 发言者 送信者 화자 발화자 वक्ता المتحدث المتكلم
        """
    ),
)
DAYS = _set(
    "date createddatetime createddate createdat createat sentat sentdate created posted postedat"
    " postdate publishedat published datetime"
)
"""Names of when something was written: dates, or counts since 1970."""
_START_WORDS = _words(
    "onset debut début inicio início inizio anfang beginn początek začátek начало 開始 开始"
    " zeit temps tiempo tempo czas čas время tijd aika 時間 时间 시간 समय الوقت"
)
_END_WORDS = _words("fin fim fine ende koniec konec конец 終了 结束 slut eind einde")
START = FieldNames(
    _words(
        "start starttime starts begin begintime startts starttimestamp startaudiotime"
        " beginaudiotime startdatetime starttimecode timecodein timebegin datastart tmin onset"
        " onsettime tstart from startoffset beginoffset offset offsettime ts timestamp time"
        " timecode in t s originserverts dateunixtime date createddatetime createddate createdat"
        " createat sentat sentdate created posted postedat postdate publishedat published datetime"
        " t0"
    ),
    words=_START_WORDS,
    loose=_set("from time timestamp timecode ts t s in offset offsettime") | DAYS | {*_START_WORDS},
    units=_UNITS,
)
END = FieldNames(
    _words(
        "end endtime ends stop stoptime endts endtimestamp endaudiotime enddatetime endtimecode"
        " timecodeout timeend dataend tmax to finish out until endoffset resultendtime"
        " resultendoffset e t1"
    ),
    words=_END_WORDS,
    loose=_set("to out e") | {*_END_WORDS},
    units=_UNITS,
)
_DURATION_WORDS = _words(
    "dauer durée duración durata duração duur długość délka длительность 時長 时长"
)
DURATION = FieldNames(
    _words("duration dur dduration length d"),
    words=_DURATION_WORDS,
    loose=_set("length d") | {*_DURATION_WORDS},
    units=_UNITS,
)
LOOSE_TIMES = START.loose | END.loose | DURATION.loose
CHANNEL = FieldNames(
    _words("channel channelid channeltag channelindex channellabel mediachannel audiochannel")
)
"""The sound track: another speaker where nobody is named."""
PARTS = FieldNames(
    _words(
        "words elements items segs sentences textblocks displaywords timestamps result runs tokens"
    ),
    words=_words("mots palabras parole palavras wörter słowa slova слова"),
)
"""Where the parts of a record lie, each with a text of its own."""
FIELDS = (TEXT, SPEAKER, START, END, DURATION, CHANNEL)
"""What is read of a record."""
PERSON_NAME = FieldNames(
    _words(
        "realname nickname name displayname display speakername fullname label username nick handle"
        " user application id"
    ),
    words=_words(
        "name display called nom nombre nome naam namn navn nimi imię imie jmén имя 名前 氏名 姓名"
    ),
)
"""In an object for somebody, such as a user; its words also stand within longer keys."""
PEOPLE_STEMS = _words(
    "speaker participant people person talker member user attendee agent channel sprecher"
    " teilnehm personen kanal kanäle locuteur intervenant participante hablante orador"
    " partecipant parlant falant spreker deelnemer mówc uczestni mluvč участник спикер 話者 参加者"
    " 发言人"
)
"""Parts of what lists of those who speak are called."""
ABOVE = frozenset(
    name
    for name in (*SPEAKER.names, *CHANNEL.names, "message")
    if name in CHANNEL or name == "message" or "speaker" in name or "participant" in name
)
"""What an object says of the records in it; its `name` or `author` is its own."""

_KEY_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+")
_SPEAKER_ENDS = {*SPEAKER.words} | _set(
    "user username nick nickname sender handle login member poster writer"
)
_SAYING = _set("posted written said sent spoken created authored submitted")
"""Words before `by`, in names for who speaks."""
_OF_OTHERS = _set(
    "to reply recipient receiver parent mentioned edited deleted updated is has num count assignee"
    " assigned owner reviewer manager approved liked"
)
"""Words in names for whom a message is sent to, who changed it or has to do with it, and what users
are or how many.
"""
_OF_NOBODY = _OF_OTHERS | _set(
    "type status state lang language topic subject title category tag label sentiment mood priority"
    " channel room group team department company organization organisation project product city"
    " country region location place address platform device client app version event"
)
"""Words in names whose values look like somebody's name, and are nobody's."""


def start_and_end(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """The names of a record's start and of its end, each best first. `offset` is the end beside an
    onset, and a start elsewhere.
    """
    known = list(names)
    starts, ends = START.found_in(known), END.found_in(known)
    if any(own.startswith("onset") for own in starts):
        offsets = [own for own in starts if own.startswith("offset")]
        return [own for own in starts if own not in offsets], ends + offsets
    return starts, ends


def key_words(name: str) -> list[str]:
    """The words of a longer name: `postedBy`, `posted_by`."""
    return [word.casefold() for word in _KEY_WORD.findall(name[:100])]


def is_of_speaker(name: str) -> bool:
    """Whether a longer name's last word is one for who speaks, or an id or name of such:
    `chat_user_id`, `posted by`.
    """
    words = key_words(name)
    if _OF_OTHERS & set(words):
        return False
    while len(words) > 1 and words[-1] in {"id", "name", "label", "login"}:
        words = words[:-1]
    is_by = words[-1:] == ["by"] and bool(_SAYING & set(words[-2:-1]))
    return is_by or (bool(words) and words[-1] in _SPEAKER_ENDS)


def is_of_nobody(name: str) -> bool:
    """Whether a longer name says that its values are no speakers: `reply_to_user`, `status`."""
    return bool(_OF_NOBODY & set(key_words(name)))
