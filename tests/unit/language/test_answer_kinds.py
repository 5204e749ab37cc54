"""Kinds of answers: what a question asks for, and which sentences can be that."""

import pytest

from dynagrag.language.answer_kinds import AnswerKind, AskedAnswer, asked_answer, fit_of


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many seats are there?", AnswerKind.AMOUNT),
        ("And how much was the oven?", AnswerKind.AMOUNT),
        ("What voltage did the pad supply?", AnswerKind.AMOUNT),
        ("When did they land?", AnswerKind.TIME),
        ("In what year was it built?", AnswerKind.TIME),
        ("Wann brannte die Mühle?", AnswerKind.TIME),
        ("Who owned it?", AnswerKind.PERSON),
        ("Where is the mill?", AnswerKind.PLACE),
        ("Which city did they visit?", AnswerKind.PLACE),
        ("Why did it fail?", AnswerKind.REASON),
        ("Warum ist die Brücke zu?", AnswerKind.REASON),
        ("Did he eat?", AnswerKind.YES_OR_NO),
        ("What did Ann say when they discussed it?", None),
        ("What is her name?", None),
        ("", None),
    ],
)
def test_a_question_asks_for_a_kind_of_answer(question: str, kind: AnswerKind | None) -> None:
    asked = asked_answer(question)
    assert (asked and asked.kind) == kind


@pytest.mark.parametrize(
    ("question", "text", "fit"),
    [
        ("How much is the ferry?", "It is $4 a head.", 1.0),
        ("How much is the ferry?", "Be there on the 4th.", 0.5),
        ("How much is the ferry?", "It is cheap.", 0.0),
        ("How many seats are there?", "There are sixty seats in it.", 1.0),
        ("How many seats are there?", "There are sixty.", 0.5),
        ("How long did it take?", "About nine hours.", 1.0),
        ("When did it burn?", "It burned in June.", 1.0),
        ("When did it burn?", "It may burn again.", 0.0),
        ("When did it burn?", "That was two years ago.", 1.0),
        ("When did it burn?", "At 7:30.", 1.0),
        ("Who owned it?", "It belonged to the Okafor family.", 1.0),
        ("Who owned it?", "Nobody knows.", 0.0),
        ("Where is it?", "The mill stands near Delft.", 1.0),
        ("Where is it?", "Delft paid for the mill.", 0.0),
        ("Why did it stop?", "Because the river was low.", 1.0),
        ("Why did it stop?", "It stopped in June.", 0.0),
        ("Did it stop?", "No, it runs.", 1.0),
        ("Did it stop?", "It didn't.", 1.0),
        ("Did it stop?", "It runs.", 0.0),
    ],
)
def test_a_sentence_fits_what_is_asked_for_by_its_form(
    question: str, text: str, fit: float
) -> None:
    asked = asked_answer(question)
    assert asked is not None
    assert fit_of(asked, text) == fit


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Wie viele Bücher lagen im Keller?", AnswerKind.AMOUNT),
        ("Von wem wurde der Brief geschrieben?", AnswerKind.PERSON),
        ("Pour quelle raison le pont est-il fermé ?", AnswerKind.REASON),
        ("Combien de bateaux sont partis ce matin ?", AnswerKind.AMOUNT),
        ("¿En qué fecha se abrió la biblioteca?", AnswerKind.TIME),
        ("¿Dónde vive ahora la abuela de Marta?", AnswerKind.PLACE),
        ("Kto napisał list do burmistrza?", AnswerKind.PERSON),
        ("Z jakiego powodu zamknięto most?", AnswerKind.REASON),
        ("Perché hanno chiuso il ponte?", AnswerKind.REASON),
        ("Hoeveel boten zijn er vanmorgen vertrokken?", AnswerKind.AMOUNT),
        ("Почему закрыли мост через реку?", AnswerKind.REASON),
        ("他为什么没有去参加会议？", AnswerKind.REASON),
        ("图书馆里一共有多少本书？", AnswerKind.AMOUNT),
        ("図書館はいつ開きましたか。", AnswerKind.TIME),
        ("手紙を書いたのは誰ですか。", AnswerKind.PERSON),
        ("Was sagte Anna, als die Brücke geschlossen wurde?", None),
        ("Comment s'appelle le chien de la voisine ?", None),
    ],
)
def test_other_languages_ask_for_kinds_of_answers_too(
    question: str, kind: AnswerKind | None
) -> None:
    asked = asked_answer(question)
    assert (asked and asked.kind) == kind


@pytest.mark.parametrize(
    ("kind", "text", "language", "fit"),
    [
        (AnswerKind.TIME, "Das war im Dezember.", "de", 1.0),
        (AnswerKind.TIME, "Das war am Wasser.", "de", 0.0),
        (AnswerKind.TIME, "C'est arrivé un mercredi.", "fr", 1.0),
        (AnswerKind.TIME, "On est allés à la mer.", "fr", 0.0),
        (AnswerKind.TIME, "Przyjechali w sierpniu, chyba 12 sierpnia.", "pl", 1.0),
        (AnswerKind.TIME, "二〇〇五年搬来的。", "zh", 1.0),
        (AnswerKind.TIME, "日本的茶很好喝。", "zh", 0.0),
        (AnswerKind.TIME, "去年の春からです。", "ja", 1.0),
        (AnswerKind.PERSON, "Den Schlüssel hat Frau Berger.", "de", 1.0),
        (AnswerKind.PERSON, "Dann kam der Regen.", "de", 0.5),
        (AnswerKind.PERSON, "Luego vino Teresa con el pan.", "es", 1.0),
        (AnswerKind.PERSON, "Luego vino el tren.", "es", 0.0),
        (AnswerKind.PERSON, "鍵は林さんが持っています。", "ja", 1.0),
        (AnswerKind.PLACE, "Ahora vive en Lugo.", "es", 1.0),
        (AnswerKind.PLACE, "Ahora vive contenta.", "es", 0.0),
        (AnswerKind.REASON, "Bo nie było prądu.", "pl", 1.0),
        (AnswerKind.REASON, "Nie było prądu.", "pl", 0.0),
        (AnswerKind.YES_OR_NO, "Nein, das war mein Bruder.", "de", 1.0),
        (AnswerKind.YES_OR_NO, "Das war mein Bruder.", "de", 0.0),
    ],
)
def test_a_sentence_of_another_language_fits_by_its_own_words(
    kind: AnswerKind, text: str, language: str, fit: float
) -> None:
    assert fit_of(AskedAnswer(kind), text, language) == fit


@pytest.mark.parametrize(
    ("question", "text", "language", "fit"),
    [
        ("Combien de chevaux y avait-il ?", "Il y avait quinze chevaux.", "fr", 1.0),
        ("Combien de chevaux y avait-il ?", "On était quinze.", "fr", 0.5),
        ("Ile krów mieli państwo w gospodarstwie?", "Mieliśmy czternaście krów.", "pl", 1.0),
        ("Wie viele Bücher lagen im Keller?", "Es waren fünfundvierzig Bücher.", "de", 1.0),
        ("何人来ましたか。", "七人来ました。", "ja", 1.0),
        ("何人来ましたか。", "雨でした。", "ja", 0.0),
    ],
)
def test_what_is_counted_counts_in_other_languages(
    question: str, text: str, language: str, fit: float
) -> None:
    asked = asked_answer(question)
    assert asked is not None
    assert fit_of(asked, text, language) == fit
