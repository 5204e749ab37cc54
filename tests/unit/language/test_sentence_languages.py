"""Sentences in languages whose abbreviations, ordinals and marks are not English."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.language.identification import language_of, language_of_question
from dynagrag.language.sentences import sentence_spans

CASES = [
    ("en", "He met John F. Kennedy. |They talked."),
    ("en", "The U.S. Senate voted. |It passed."),
    ("en", "Dr. Smith came at 5 p.m. on Monday. |He left."),
    ("en", "It cost approx. 500 dollars. |Nobody paid."),
    ("en", "See No. 5 on p. 12 of the book. |Then read on."),
    ("en", "Is it so? |Yes. |No!"),
    ("en", "She works for Acme Inc. in Hull. |He doesn't."),
    ("en", "We have e.g. pumps, i.e. water pumps. |They leak."),
    ("en", "Born Jan. 5 in St. Louis. |He died in Dec. 1950."),
    ("en", "That was in 1974. |The pump broke."),
    ("en", "I said it was 5. |Then I left."),
    ("de", "Der neue Preis gilt ab dem 1. Oktober. |Das ist gut."),
    ("de", "Am 3. Mai wird der Turm gesperrt. |Alle wissen es."),
    ("de", "Das Bad gehört z. B. Tobias. |Er freut sich."),
    ("de", "Das Bad gehört z.B. Tobias. |Er freut sich."),
    ("de", "Der Kiosk kostet ca. 500 Euro. |Das ist viel."),
    ("de", "Er wohnt in Haus Nr. 5. |Sie auch."),
    ("de", "Es geht um 3 Mio. Euro im Jahr. |Mehr nicht."),
    ("de", "Er ist der 1. Vorsitzende. |Sie ist die 2. Vorsitzende."),
    ("de", "Das Zimmer liegt im 2. Stock. |Es ist klein."),
    ("de", "Frau Prof. Dr. Weber sprach. |Alle hörten zu."),
    ("de", "Die Filteranlage stammt aus dem Jahr 1974. |Sie ist alt."),
    ("de", "Wir haben Pumpen, Rohre usw. gekauft. |Es reicht."),
    ("de", "Laut Art. 5 Abs. 2 gilt das. |Punkt."),
    ("de", "Im 19. Jahrhundert war es anders. |Heute nicht."),
    ("de", "Das war Karl II. von Baden. |Er starb früh."),
    ("de", "Es waren 12. |Dann gingen sie."),
    ("de", "Der Verein, d. h. der Vorstand, hat bzw. hatte Geld. |Gut."),
    ("es", "La carta la firmó el Sr. Blas. |Era tarde."),
    ("es", "Hay cosas, p. ej. naranjos, que mueren. |Siempre."),
    ("es", "Vive en la pág. 5 del libro. |Nada más."),
    ("es", "Costó aprox. 500 pesetas. |Era mucho."),
    ("es", "La Sra. Gómez y el Dr. Ruiz llegaron. |Todos callaron."),
    ("es", "Está en EE. UU. desde mayo. |No vuelve."),
    ("es", "Vive en la Avda. Mayor núm. 7. |Es grande."),
    ("es", "¿Cuándo fue? |En 1982. |Nadie lo olvida."),
    ("es", "Ud. lo sabe. |Uds. también."),
    ("es", "Era el siglo III a. C. en Roma. |Después cambió."),
    ("pl", "Muzeum stoi przy ul. Długiej. |Jest stare."),
    ("pl", "Spotkanie jest o godz. 18. |Przyjdź."),
    ("pl", "Kostuje to ok. 500 złotych. |To dużo."),
    ("pl", "Spotkanie prowadzi prof. Nowak. |Wszyscy są."),
    ("pl", "Otwarcie 23. maja w Łodzi. |Zapraszamy."),
    ("pl", "W 1931 r. urodził się Jan. |Potem wyjechał."),
    ("pl", "Mamy np. krosna i m.in. tkaniny. |Są stare."),
    ("pl", "Kupił to za 5 tys. złotych. |Tanio."),
    ("fr", "Le chèque est signé par M. Petit. |C'est tout."),
    ("fr", "Mme Roux et le Dr. Blanc sont là. |Ils parlent."),
    ("fr", "Il a vécu au av. J.-C. à Rome. |Puis il est mort."),
    ("fr", "Voir p. ex. le moulin, art. 5. |C'est clair."),
    ("fr", "Il habite au no. 5 de la rue. |Elle aussi."),
    ("fr", "C'était en 1950. |Le moulin brûla."),
    ("it", "Il sig. Rossi ha firmato. |È tardi."),
    ("it", "La dott.ssa Bianchi e l'ing. Verdi parlano. |Bene."),
    ("it", "Costa ca. 500 euro. |È troppo."),
    ("it", "Vedi pag. 5 del libro. |Poi leggi."),
    ("it", "Nel sec. XIX era diverso. |Oggi no."),
    ("nl", "De heer dr. Bakker sprak. |Iedereen luisterde."),
    ("nl", "Het kost ca. 500 euro. |Dat is veel."),
    ("nl", "Er zijn o.a. pompen en bijv. Buizen. |Ze lekken."),
    ("nl", "Op 3 mei a.s. is het feest. |Kom ook."),
    ("nl", "Zie blz. 5 en nr. 7. |Dan verder."),
    ("pt", "O Sr. Silva assinou. |Era tarde."),
    ("pt", "A Dra. Costa e o Prof. Lima vieram. |Todos calaram."),
    ("pt", "Ver pág. 5 do livro. |Nada mais."),
    ("pt", "Custou aprox. 500 euros. |Foi muito."),
    ("fi", "Kokous pidetään 3. kesäkuuta talolla. |Tervetuloa."),
    ("fi", "Hän asuu mm. Helsingissä. |Se on kaukana."),
    ("fi", "Se maksaa n. 500 euroa. |Paljon."),
    ("da", "Mødet holdes den 3. juni i Aarhus. |Kom."),
    ("da", "Det koster ca. 500 kroner. |Det er meget."),
    ("da", "Vi har bl.a. Pumper og f.eks. Rør. |De er gamle."),
    ("sv", "Det kostar ca 500 kronor, dvs. mycket. |Ja."),
    ("sv", "Vi har bl.a. Pumpar och t.ex. Rör. |De är gamla."),
    ("ru", "Он живёт на ул. Ленина. |Это далеко."),
    ("ru", "В 1950 г. Москва выросла. |Потом опять."),
    ("ru", "Это стоит 5 тыс. рублей. |Много."),
    ("ru", "А. С. Пушкин написал это. |Все знают."),
    ("cs", "Bydlí v ul. Dlouhá č. 5. |Je to daleko."),
    ("cs", "Sejdeme se 3. května v Brně. |Přijďte."),
    ("cs", "Stojí to cca 500 Kč, tj. hodně. |Ano."),
    ("tr", "Dr. Yılmaz geldi. |Herkes sustu."),
    ("tr", "Bkz. s. 5 ve No. 7. |Sonra oku."),
    ("tr", "II. Mehmed 1453'te geldi. |Sonra gitti."),
    ("hu", "Az 1. emeleten lakik. |Messze van."),
    ("hu", "Dr. Kovács jött. |Mindenki hallgatott."),
    ("el", "Ο κ. Παπάς ήρθε. |Όλοι σώπασαν."),
    ("el", "Πού ήταν; |Στην Αθήνα."),
    ("hi", "वह घर गया। |फिर सो गया।"),
    ("ja", "ポンプは動いています。|とても静かです。"),
    ("zh", "他来了。|她走了！|真的吗？"),
    ("ar", "هل جاء؟ |نعم. |ذهب."),
    ("uk", "Він живе на вул. Франка. |Це далеко."),
    ("de", "Wir trafen uns am 12. Dezember im Rathaus. |Frau Dr. Held war krank."),
    ("de", "Das kostet rund 3,5 Mrd. Euro. |Niemand zahlt es."),
    ("de", "Er kam um 8. |Wir gingen um 9."),
    ("de", "Vgl. Seite 5 und Kap. 3 dazu. |Danach kommt nichts."),
    ("de", "Die Str. ist gesperrt. |Niemand kommt durch."),
    ("es", "La Dra. Ruiz vive en la C/ Mayor, n.º 5. |Es médica."),
    ("es", "Los Sres. López pagaron 300 ptas. por cabeza. |Eso es todo."),
    ("pl", "W XIX w. było inaczej. |Dziś nie."),
    ("pl", "Przyszło ok. 30 os. na zebranie. |Było tłoczno."),
    ("pl", "Zapłacił 20 zł. |Potem wyszedł."),
    ("pl", "Sklep przy al. Lipowej nr 5 jest zamknięty. |Szkoda."),
    ("fr", "Il coûte env. 500 euros. |C'est cher."),
    ("fr", "Non. |Je ne sais pas. |M. Petit le sait."),
    ("it", "L'avv. Neri abita in p.zza Dante. |Arriva domani."),
    ("it", "Il prof. Bruni pagò 300 mila lire. |Tutto qui."),
    ("nl", "De vergadering is d.w.z. was op maandag. |Jammer."),
    ("pt", "O Eng. Sousa mora na R. Direita. |Chega hoje."),
    ("pt", "A reunião é às 18 h. |Venha cedo."),
    ("fi", "Prof. Virtanen puhui 12. toukokuuta. |Kaikki kuuntelivat."),
    ("sv", "Mötet är kl. 18. |Kom gärna."),
    ("da", "Hr. Jensen kom kl. 8. |Ingen så ham."),
    ("cs", "Pan Ing. Novák přišel v 8 hod. ráno. |Nikdo ho neviděl."),
    ("ru", "Проф. Иванов жил в г. Туле. |Потом уехал."),
    ("uk", "Це коштує 5 грн. за штуку. |Дорого."),
    ("tr", "Prof. Dr. Kaya geldi. |Toplantı 3. katta."),
]


@pytest.mark.parametrize(("language", "marked"), CASES)
def test_a_sentence_is_not_cut_at_an_abbreviation_or_an_ordinal(language: str, marked: str) -> None:
    """`|` stands where a sentence ends."""
    text = marked.replace("|", "")
    found = [text[start:end] for start, end in sentence_spans(text, language=language)]
    assert found == [sentence.strip() for sentence in marked.split("|")]


def test_a_text_without_capitals_is_cut_before_small_letters_too() -> None:
    text = "był tu wczoraj. potem wyszedł z domu. nikt go nie widział."
    assert len(sentence_spans(text, language="pl")) == 3


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet='aB1 .!?;।\n"»ß漢é', max_size=80),
    st.sampled_from(("de", "pl", "el", "hi", "zh", "xx", "")),
)
def test_spans_are_exact_in_every_language(text: str, language: str) -> None:
    spans = sentence_spans(text, language=language)
    assert [text[start:end].strip() for start, end in spans] == [text[a:b] for a, b in spans]
    between = [0, *(offset for span in spans for offset in span), len(text)]
    gaps = zip(between[::2], between[1::2], strict=True)
    assert all(not text[start:end].strip() for start, end in gaps)


def test_an_english_question_needs_no_library() -> None:
    assert language_of_question("Who said it?") == "en"
    assert language_of_question("Wann war das im Mai?") == language_of("Wann war das im Mai?")
