"""What the fields of a transcript are called in other programs and languages: headers of columns
and keys of JSON.
"""

SPEAKER_WORDS = frozenset(
    """
    speaker participant author who wer qui chi quem kto kdo кто sprecher sprecherin redner person
    orateur locuteur locutrice intervenant intervenante interlocuteur
    hablante orador interlocutor quién quien ponente parlante relatore interlocutore falante
    spreker mówca rozmówca osoba mluvčí řečník говорящий спикер оратор участник 話者 発言者 讲者
    说话人 发言人 talare taler puhuja konuşmacı talker
    absender expéditeur remitente mittente afzender nadawca отправитель gönderen
    发送方 发送者 发送人 发言者 送信者 화자 발화자 वक्ता المتحدث المتكلم
    """.split()
)
TEXT_WORDS = frozenset(
    """
    text txt utt phrase quote zitat texte texto testo tekst treść wypowiedź transkript
    transkription transcript transcription wortlaut wortbeitrag énoncé
    transcripción transcrição trascrizione äußerung aussage inhalt contenu contenido contenuto
    conteúdo inhoud obsah promluva текст реплика высказывание 発言 発話 内容 テキスト 文本
    消息内容 消息 내용 발화 पाठ النص
    """.split()
)
"""A whole sentence or turn."""
WORD_WORDS = frozenset("mot palabra parola palavra wort ord słowo slovo слово 単語 词".split())
"""A single word."""
WORDS_WORDS = frozenset("mots palabras parole palavras wörter słowa slova слова".split())
"""The list of a turn's single words."""
START_WORDS = frozenset(
    "onset debut début inicio início inizio anfang beginn początek začátek начало 開始 开始"
    " zeit temps tiempo tempo czas čas время tijd aika 時間 时间 시간 समय الوقت".split()
)
END_WORDS = frozenset("fin fim fine ende koniec konec конец 終了 结束 slut eind einde".split())
NAME_WORDS = (
    "name display called nom nombre nome naam namn navn nimi imię imie jmén имя 名前 氏名 姓名"
).split()
"""Parts of what a field for somebody's name is called."""
PEOPLE_WORDS = tuple(
    "speaker participant people person talker member user attendee agent channel sprecher"
    " teilnehm personen kanal kanäle locuteur intervenant participante hablante orador"
    " partecipant parlant falant spreker deelnemer mówc uczestni mluvč участник спикер 話者 参加者"
    " 发言人".split()
)
"""Parts of what lists of those who speak are called."""
