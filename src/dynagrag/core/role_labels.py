"""Speakers' labels that say what part somebody has in one talk: in another file they are somebody
else's, as `Speaker 1` is.

No row holds an office, which is one over many files whoever fills it: Chair, Clerk, Mayor,
President, Judge, The Court, a parliament's Speaker, Flight and CAPCOM. Nor do codes, such as IV,
which trades use for offices.
"""

import re

_ROLES = {
    "en": (
        "interviewer|interviewee|host|co-host|cohost|guest|moderator|facilitator|presenter"
        "|narrator|announcer|anchor|reporter|journalist|correspondent|commentator|researcher"
        "|investigator|respondent|informant|subject|participant|panelist|panellist|audience"
        "|audience member|member of the audience|questioner|question|answer|caller|operator"
        "|analyst|witness|interpreter|translator|student|pupil|teacher|lecturer|doctor"
        "|patient|therapist|client|customer|candidate|applicant|recruiter|coach|nurse|mother"
        "|father|child|man|woman|male|female|boy|girl|male speaker|female speaker|male voice"
        "|female voice|voice|voice-over|unidentified|unidentified speaker|unidentified man"
        "|unidentified woman|unidentified male|unidentified female|everyone|all|both|several"
    ),
    "de": (
        "interviewer|interviewerin|interviewte|interviewter|interviewende|interviewender|befragte"
        "|befragter|befragende|befragender|moderator|moderatorin|moderation|gastgeber"
        "|gastgeberin|gast|sprecher|sprecherin|erzähler|erzählerin|zeuge|zeugin|zeitzeuge"
        "|zeitzeugin|forscher|forscherin|forschende|teilnehmer|teilnehmerin|teilnehmende"
        "|proband|probandin|diskutant|diskutantin|reporter|reporterin|journalist|journalistin"
        "|dolmetscher|dolmetscherin|publikum|zuhörer|zuhörerin|frage|antwort|schüler|schülerin"
        "|student|studentin|lehrer|lehrerin|patient|patientin|arzt|ärztin|therapeut|therapeutin"
        "|mutter|vater|kind|mann|frau|unbekannt|alle"
    ),
    "fr": (
        "intervieweur|intervieweuse|interviewer|interviewé|interviewée|enquêteur|enquêtrice"
        "|enquêté|enquêtée|chercheur|chercheuse|chercheure|animateur|animatrice|modérateur"
        "|modératrice|présentateur|présentatrice|invité|invitée|hôte|narrateur|narratrice"
        "|journaliste|reporter|témoin|participant|participante|répondant|répondante"
        "|interlocuteur|interlocutrice|locuteur|locutrice|interprète|public|auditeur|auditrice"
        "|question|réponse|élève|étudiant|étudiante|enseignant|enseignante|médecin"
        "|patient|patiente|mère|père|enfant|homme|femme|inconnu|inconnue|tous"
    ),
    "es": (
        "entrevistador|entrevistadora|entrevistado|entrevistada|moderador|moderadora|presentador"
        "|presentadora|conductor|conductora|invitado|invitada|anfitrión|anfitriona|narrador"
        "|narradora|investigador|investigadora|periodista|reportero|reportera|locutor|locutora"
        "|hablante|participante|informante|encuestado|encuestada|encuestador|encuestadora"
        "|testigo|intérprete|público|oyente|pregunta|respuesta|alumno|alumna|estudiante"
        "|médico|médica|paciente|madre|padre|niño|niña|hombre|mujer|desconocido"
        "|desconocida|todos"
    ),
    "it": (
        "intervistatore|intervistatrice|intervistato|intervistata|moderatore|moderatrice"
        "|conduttore|conduttrice|presentatore|presentatrice|ospite|narratore|narratrice"
        "|ricercatore|ricercatrice|giornalista|cronista|parlante|partecipante|informatore"
        "|informatrice|testimone|interprete|pubblico|ascoltatore|ascoltatrice|domanda|risposta"
        "|alunno|alunna|studente|studentessa|insegnante|medico|paziente"
        "|madre|padre|bambino|bambina|uomo|donna|sconosciuto|sconosciuta|tutti"
    ),
    "pt": (
        "entrevistador|entrevistadora|entrevistado|entrevistada|moderador|moderadora|apresentador"
        "|apresentadora|convidado|convidada|anfitrião|anfitriã|narrador|narradora|pesquisador"
        "|pesquisadora|investigador|investigadora|jornalista|repórter|locutor|locutora|falante"
        "|participante|informante|inquirido|inquirida|testemunha|intérprete|público|ouvinte"
        "|pergunta|resposta|aluno|aluna|estudante|médico|médica|paciente"
        "|mãe|pai|criança|homem|mulher|desconhecido|desconhecida|todos"
    ),
    "nl": (
        "interviewer|interviewster|geïnterviewde|moderator|presentator|presentatrice|gastheer"
        "|gastvrouw|gast|verteller|vertelster|onderzoeker|onderzoekster|journalist|journaliste"
        "|verslaggever|verslaggeefster|spreker|spreekster|deelnemer|deelneemster|respondent"
        "|respondente|ondervraagde|getuige|tolk|publiek|luisteraar|vraag|antwoord|leerling"
        "|student|studente|leraar|lerares|docent|docente|arts|patiënt|moeder|vader|kind|man"
        "|vrouw|onbekend|onbekende|allen"
    ),
    "sv": (
        "intervjuare|intervjuaren|intervjuad|intervjuade|den intervjuade|intervjuperson"
        "|intervjupersonen|moderator|moderatorn|programledare|programledaren|värd|värden|gäst"
        "|gästen|berättare|berättaren|forskare|forskaren|journalist|journalisten|reporter"
        "|reportern|talare|talaren|deltagare|deltagaren|respondent|respondenten|informant"
        "|informanten|vittne|vittnet|tolk|tolken|publik|publiken|lyssnare|fråga|svar|elev|eleven"
        "|student|studenten|lärare|läraren|läkare|läkaren|patient|patienten|mor|mamma|far|pappa"
        "|barn|barnet|man|kvinna|okänd|alla"
    ),
    "da": (
        "interviewer|intervieweren|interviewperson|interviewpersonen|interviewede"
        "|den interviewede|moderator|ordstyrer|vært|værten|studievært|gæst|gæsten|fortæller"
        "|fortælleren|forsker|forskeren|journalist|journalisten|reporter|taler|deltager"
        "|deltageren|respondent|respondenten|informant|informanten|vidne|vidnet|tolk|tolken"
        "|publikum|lytter|spørgsmål|svar|elev|eleven|student|studerende|lærer|læreren|læge|lægen"
        "|patient|patienten|mor|far|barn|barnet|mand|kvinde|ukendt|alle"
    ),
    "no": (
        "intervjuer|intervjueren|intervjuobjekt|intervjuobjektet|intervjuperson|intervjuet"
        "|den intervjuede|moderator|ordstyrer|programleder|programlederen|vert|verten|gjest"
        "|gjesten|forteller|fortelleren|forsker|forskeren|journalist|journalisten|reporter"
        "|taler|deltaker|deltakeren|respondent|respondenten|informant|informanten|vitne|vitnet"
        "|tolk|tolken|publikum|lytter|spørsmål|svar|elev|eleven|student|studenten|lærer|læreren"
        "|lege|legen|pasient|pasienten|mor|far|barn|barnet|mann|kvinne|ukjent|alle"
    ),
    "pl": (
        "prowadzący|prowadząca|moderator|moderatorka|gospodarz|gospodyni|gość|narrator"
        "|narratorka|badacz|badaczka|dziennikarz|dziennikarka|reporter|reporterka|ankieter"
        "|ankieterka|rozmówca|rozmówczyni|respondent|respondentka|badany|badana|uczestnik"
        "|uczestniczka|mówca|świadek|tłumacz|tłumaczka|publiczność|słuchacz|słuchaczka|pytanie"
        "|odpowiedź|uczeń|uczennica|student|studentka|nauczyciel|nauczycielka|lekarz|lekarka"
        "|pacjent|pacjentka|matka|ojciec|dziecko|mężczyzna|kobieta|nieznany|nieznana|wszyscy"
    ),
    "ru": (
        "интервьюер|интервьюируемый|интервьюируемая|ведущий|ведущая|соведущий|соведущая"
        "|модератор|гость|гостья|рассказчик|рассказчица|исследователь|исследовательница"
        "|журналист|журналистка|корреспондент|репортёр|репортер|респондент|респондентка"
        "|информант|информантка|собеседник|собеседница|участник|участница|спикер|свидетель"
        "|свидетельница|переводчик|переводчица|зал|слушатель|слушательница|вопрос|ответ|ученик"
        "|ученица|студент|студентка|учитель|учительница|врач|пациент|пациентка|мать|отец"
        "|ребёнок|ребенок|мужчина|женщина|неизвестный|неизвестная|все"
    ),
    "tr": (
        "görüşmeci|görüşülen|görüşülen kişi|röportajcı|moderatör|sunucu|konuk|misafir|anlatıcı"
        "|araştırmacı|gazeteci|muhabir|spiker|konuşmacı|katılımcı|tanık|çevirmen|tercüman"
        "|dinleyici|izleyici|soru|cevap|yanıt|öğrenci|öğretmen|doktor|hasta|anne|baba|çocuk"
        "|erkek|kadın|bilinmeyen|herkes"
    ),
    "ja": (
        "インタビュアー|インタビューアー|インタビュイー|聞き手|話し手|語り手|質問者|回答者"
        "|司会|司会者|進行|ホスト|ゲスト|パーソナリティ|アナウンサー|ナレーター|ナレーション"
        "|モデレーター|ファシリテーター|研究者|調査者|調査協力者|対象者|協力者|記者|リポーター"
        "|レポーター|参加者|発言者|話者|登壇者|パネリスト|証人|通訳|観客|会場|聴衆|視聴者|質問"
        "|回答|生徒|学生|先生|教師|医師|患者|母|父|子供|子ども|男性|女性|不明|全員"
    ),
    "zh": (
        "采访者|採訪者|采访人|受访者|受訪者|被采访者|被訪者|访谈者|訪談者|主持人|主持|嘉宾|嘉賓"
        "|来宾|來賓|旁白|讲述者|講述者|叙述者|敘述者|研究者|研究员|記者|记者|发言人|發言人|讲者"
        "|講者|说话人|說話人|参与者|參與者|证人|證人|翻译|翻譯|口译|口譯|观众|觀眾|听众|聽眾|提问"
        "|提问者|提問者|问|問|答|学生|學生|老师|老師|教师|教師|医生|醫生|患者|病人|母亲|母親|父亲"
        "|父親|孩子|男|女|男声|女声|未知|全体|全體|众人|眾人"
    ),
}
"""Labels by language (ISO 639-1), casefolded, with the forms that a language has for women and men,
and with its article behind the noun.
"""
_LABELS = frozenset(label for row in _ROLES.values() for label in row.split("|"))
_NUMBER = re.compile(r"[ _#-]{0,2}(?:\d{1,3}|(?<=[ _#-])[a-z])$")
"""`guest 2`, `befragte b`."""
_OTHER_FORM = re.compile(r"(?:[/:*_·]-?|[ ]?\()[^\W\d_]{1,6}\)?$")
"""`befragte/r`, `moderator:in`, `entrevistado(a`."""


def is_role_label(key: str) -> bool:
    """Whether the key of a label (`entity_key`) is a role's in one talk, alone, with a number, or
    with its other form: `interviewee`, `guest 2`, `befragte/r`.
    """
    bare = _NUMBER.sub("", key)
    return not _LABELS.isdisjoint({key, bare, _OTHER_FORM.sub("", bare)})
