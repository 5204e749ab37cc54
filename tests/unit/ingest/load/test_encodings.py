"""Encodings that only the language of a text tells apart."""

import pytest

from dynagrag.ingest.load.encoding import decode

SENTENCES = {
    ("Polish", "cp1250"): "Ścieżka wiodła przez łąkę aż do młyna, który spłonął w zeszłym roku.",
    ("Polish", "iso8859-2"): "Ścieżka wiodła przez łąkę aż do młyna, który spłonął w zeszłym roku.",
    ("Czech", "cp1250"): "Mlynář říkal, že příští týden přijede čtyři vozy žita z vesnice.",
    ("Hungarian", "cp1250"): "A molnár azt mondta, hogy a szekér jövő héten érkezik, négy zsákkal.",
    ("Romanian", "cp1250"): "Morarul a spus că săptămâna viitoare vor veni patru căruţe cu secară.",
    (
        "Turkish",
        "cp1254",
    ): "Değirmenci gelecek hafta dört arabanın geleceğini söyledi, çünkü yağış var.",
    ("Russian", "cp1251"): "Мельник сказал, что на будущей неделе приедут четыре телеги с рожью.",
    ("Russian", "koi8-r"): "Мельник сказал, что на будущей неделе приедут четыре телеги с рожью.",
    ("Russian", "cp866"): "Мельник сказал, что на будущей неделе приедут четыре телеги с рожью.",
    ("Ukrainian", "cp1251"): "Мельник сказав, що наступного тижня приїдуть чотири підводи з житом.",
    ("Greek", "cp1253"): "Ο μυλωνάς είπε ότι την επόμενη εβδομάδα θα έρθουν τέσσερα κάρα.",
    ("Hebrew", "cp1255"): "הטוחן אמר שבשבוע הבא יגיעו ארבע עגלות עם שיפון מן הכפר.",
    ("Arabic", "cp1256"): "قال الطحان إن أربع عربات من القمح ستصل الأسبوع القادم من القرية.",
    ("Lithuanian", "cp1257"): "Malūnininkas sakė, kad kitą savaitę atvažiuos keturi vežimai rugių.",
    ("Latvian", "cp1257"): "Dzirnavnieks teica, ka nākamnedēļ atbrauks četri vezumi rudzu.",
    (
        "German",
        "cp1252",
    ): "Der Müller sagte, nächste Woche kämen vier Fuhren Roggen über die Straße.",
    (
        "French",
        "cp1252",
    ): "Le meunier a dit que quatre charrettes arriveraient à l’été, après la fête.",
    (
        "Spanish",
        "cp1252",
    ): "El molinero dijo que mañana llegarían cuatro carros. ¿De dónde? Él calló.",
    (
        "Icelandic",
        "cp1252",
    ): "Malarinn sagði að fjórir vagnar kæmu í næstu viku frá þorpinu með rúg.",
    ("English", "cp1252"): "The miller said that four carts would come “next week” – it’s for rye.",
    ("Japanese", "shift_jis"): "粉屋は来週、村からライ麦を積んだ荷車が四台来ると言いました。",
    ("Chinese", "gb18030"): "磨坊主说下周会有四辆装着黑麦的马车从村里来。",
    ("Korean", "euc_kr"): "방앗간 주인은 다음 주에 호밀을 실은 수레 네 대가 온다고 말했다.",
}


@pytest.mark.parametrize("times", [1, 3, 60])
@pytest.mark.parametrize(("language", "encoding"), SENTENCES)
def test_a_text_is_read_in_the_encoding_of_its_language(
    language: str, encoding: str, times: int
) -> None:
    text = "\n".join([SENTENCES[language, encoding]] * times)
    found = decode(text.encode(encoding))
    assert found.text == text
    (note,) = found.notes
    assert note.startswith(f"read as {found.encoding} by its byte statistics")


@pytest.mark.parametrize(
    "text", ["It’s over.", "Anna: naïve", "Wir haben fünf Äpfel.", "Le café est fermé", "90°"]
)
def test_a_few_western_letters_are_read_as_such(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text
