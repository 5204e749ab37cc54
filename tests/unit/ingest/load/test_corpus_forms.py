"""Transcripts of corpora and parliaments: tiers, turns and remarks in XML, Praat and CHAT."""

from pathlib import Path

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load import load_source

Row = tuple[str | None, float | None, float | None, str]


def load(folder: Path, name: str, content: str) -> LoadedSource:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return load_source(path)


def rows(source: LoadedSource) -> list[Row]:
    assert source.refused is None, source.refused
    return [(turn.speaker, turn.start_s, turn.end_s, turn.text) for turn in source.turns]


ELAN = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="1000"/><TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="2500"/>
<TIME_SLOT TIME_SLOT_ID="ts3"/><TIME_SLOT TIME_SLOT_ID="ts4" TIME_VALUE="4000"/></TIME_ORDER>
<TIER TIER_ID="per" PARTICIPANT="Per Moe"><ANNOTATION>
<ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts3" TIME_SLOT_REF2="ts4">
<ANNOTATION_VALUE>Since when?</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="ida" PARTICIPANT="Ida Lund"><ANNOTATION>
<ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
<ANNOTATION_VALUE>The hull is dry.</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="ida-no" PARTICIPANT="Ida Lund" PARENT_REF="ida"><ANNOTATION>
<REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a1">
<ANNOTATION_VALUE>Skroget er tørt.</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
</ANNOTATION_DOCUMENT>
"""
ELAN_BY_IDS = """<ANNOTATION_DOCUMENT><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="1000"/><TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="2500"/>
</TIME_ORDER><TIER TIER_ID="ref@Ida"><ANNOTATION>
<ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
<ANNOTATION_VALUE>yard.001</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="tx@Ida" PARENT_REF="ref@Ida"><ANNOTATION>
<REF_ANNOTATION ANNOTATION_ID="a2" ANNOTATION_REF="a1">
<ANNOTATION_VALUE>Skroget er tørt.</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="ft@Ida" PARENT_REF="tx@Ida"><ANNOTATION>
<REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a2">
<ANNOTATION_VALUE>The hull is dry.</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
</ANNOTATION_DOCUMENT>
"""
EXMARALDA = """<?xml version="1.0" encoding="UTF-8"?>
<basic-transcription><head><meta-information><project-name>Yard</project-name></meta-information>
<speakertable><speaker id="SPK0"><abbreviation>IDA</abbreviation></speaker>
<speaker id="SPK1"><abbreviation>PER</abbreviation></speaker></speakertable></head>
<basic-body><common-timeline><tli id="T0" time="0.5"/><tli id="T1" time="2.0"/><tli id="T2"/>
<tli id="T3" time="5.25"/></common-timeline>
<tier id="TIE0" speaker="SPK0" category="v" type="t" display-name="IDA [v]">
<event start="T0" end="T1">The hull is dry. </event><event start="T2" end="T3">Tar it. </event>
</tier><tier id="TIE1" speaker="SPK1" category="v" type="t" display-name="PER [v]">
<event start="T1" end="T2">Since when? </event></tier>
<tier id="TIE2" speaker="SPK1" category="no" type="a" display-name="PER [no]">
<event start="T1" end="T2">Siden når?</event></tier></basic-body></basic-transcription>
"""
TRANSCRIBER = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE Trans SYSTEM "trans-14.dtd">
<Trans audio_filename="yard" version="1"><Speakers>
<Speaker id="spk1" name="Ida Lund" check="no"/><Speaker id="spk2" name="Per Moe"/></Speakers>
<Episode><Section type="report" startTime="0" endTime="12.5">
<Turn speaker="spk1" startTime="0" endTime="6.2"><Sync time="0"/>
The hull is dry.
<Sync time="3.1"/><Event desc="rire" type="noise" extent="instantaneous"/>
Tar it.</Turn>
<Turn startTime="6.2" endTime="8"><Sync time="6.2"/>
</Turn>
<Turn speaker="spk1 spk2" startTime="8" endTime="12.5"><Sync time="8"/><Who nb="1"/>
Twice?
<Who nb="2"/>
Yes, twice.</Turn></Section></Episode></Trans>
"""
FOLKER = """<folker-transcription><head/><speakers>
<speaker speaker-id="ID"><name>Ida Lund</name></speaker>
<speaker speaker-id="PE"><name>Per Moe</name></speaker></speakers><timeline>
<timepoint timepoint-id="TLI_0" absolute-time="0.5"/>
<timepoint timepoint-id="TLI_1" absolute-time="2.0"/>
<timepoint timepoint-id="TLI_2" absolute-time="5.25"/></timeline>
<contribution speaker-reference="ID" start-reference="TLI_0" end-reference="TLI_1">
<segment start-reference="TLI_0" end-reference="TLI_1">the hull is dry </segment></contribution>
<contribution speaker-reference="PE" start-reference="TLI_1" end-reference="TLI_2">
<w>since</w> <pause duration="micro"/> <w>when</w></contribution></folker-transcription>
"""
PARLAMINT = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Sitting 4</title>
</titleStmt></fileDesc><profileDesc><particDesc><listPerson><person xml:id="LundIda">
<persName><surname>Lund</surname><forename>Ida</forename></persName></person></listPerson>
</particDesc></profileDesc></teiHeader><text><body><div>
<note type="speaker">The chair, Ida Lund:</note><u who="#LundIda" ana="#chair">
<seg>I open the sitting.</seg><note>applause</note><seg>The hull is dry.</seg></u>
<u who="#MoePer"><seg><s><w>Since</w> <w join="right">when</w><pc>?</pc></s></seg></u>
</div></body></text></TEI>
"""
ISO_TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><particDesc>
<person xml:id="I" n="ID"><persName>Ida</persName></person></particDesc></teiHeader>
<text><timeline unit="s"><when xml:id="T0"/><when xml:id="T1" interval="1.5" since="#T0"/>
<when xml:id="T2" interval="4.0" since="#T0"/></timeline><body>
<annotationBlock who="#I" start="#T1" end="#T2"><u><seg>the hull is dry</seg></u>
<spanGrp type="pos"><span>DET N V ADJ</span></spanGrp></annotationBlock></body></text></TEI>
"""
MILLISECONDS = (
    ISO_TEI.replace('unit="s"', 'unit="ms"').replace('"1.5"', '"1500"').replace('"4.0"', '"4000"')
)
FRENCH = """<compteRendu><metadonnees><dateSeance>2024</dateSeance></metadonnees><contenu><point>
<paragraphe><orateurs><orateur><nom>Mme Ida Lund</nom><id>1</id></orateur></orateurs>
<texte>La coque est sèche.</texte></paragraphe><paragraphe><orateurs><orateur><nom>M. Per Moe</nom>
</orateur></orateurs><texte>Depuis quand ?<br/>Dites-le.</texte></paragraphe></point></contenu>
</compteRendu>
"""
EUROPARL = """<CHAPTER ID=1>
Boats
<SPEAKER ID=1 LANGUAGE="EN" NAME="Lund">
The hull is dry.
<P>
We tar it
today.
<SPEAKER ID=2 NAME="Moe">
Since when?
"""
DRAMA = """<TEI><text><body><sp who="#ida"><speaker>IDA.</speaker><stage>Enters.</stage>
<l>The hull is dry,</l><l>and tarred.</l></sp>
<sp who="#per"><speaker>PER.</speaker><p>Since when?</p></sp></body></text></TEI>
"""
BUNDESTAG = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE dbtplenarprotokoll SYSTEM "dbtplenarprotokoll.dtd">
<dbtplenarprotokoll><vorspann><kopfdaten>Bericht</kopfdaten></vorspann><sitzungsverlauf>
<sitzungsbeginn><name>Präsidentin Ida Lund:</name><p klasse="J">Guten Morgen.</p></sitzungsbeginn>
<tagesordnungspunkt><rede id="ID1"><p klasse="redner"><redner id="1"><name><titel>Dr.</titel>
<vorname>Per</vorname><nachname>Moe</nachname><fraktion>SPD</fraktion></name></redner>
Dr. Per Moe (SPD):</p><p klasse="J_1">Das Boot ist trocken.</p>
<kommentar>(Beifall bei der SPD)</kommentar><p klasse="J">Wir teeren es heute.</p>
<name>Präsidentin Ida Lund:</name><p klasse="J_1">Vielen Dank.</p></rede></tagesordnungspunkt>
</sitzungsverlauf></dbtplenarprotokoll>
"""
AKOMA_NTOSO = """<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><debate>
<meta><references><TLCPerson eId="per" showAs="Per Moe"/></references></meta><debateBody>
<debateSection><heading>Boats</heading><speech by="#ida"><from>Mrs Lund</from>
<p>The hull is dry.</p><p>We tar it.</p></speech><speech by="#per"><p>Since when?</p></speech>
</debateSection></debateBody></debate></akomaNtoso>
"""
PUBLIC_WHIP = """<publicwhip><major-heading id="1">Boats</major-heading>
<speech id="2" speakername="Ida Lund"><p>The hull is dry.</p><p>We tar it.</p></speech>
<speech id="3" speakername="Per Moe"><p>Since when?</p></speech></publicwhip>
"""
CANADA = """<Hansard xml:lang="EN"><HansardBody><OrderOfBusiness>
<OrderOfBusinessTitle>Boats</OrderOfBusinessTitle><Intervention id="1"><PersonSpeaking>
<Affiliation DbId="1">Mrs. Ida Lund (Hull, Lib.):</Affiliation></PersonSpeaking><Content>
<ParaText id="2">The hull is dry.</ParaText></Content></Intervention>
<Intervention><PersonSpeaking><Affiliation>Mr. Per Moe:</Affiliation></PersonSpeaking><Content>
<ParaText>Since when?</ParaText></Content></Intervention></OrderOfBusiness></HansardBody></Hansard>
"""
LONG_GRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 5.5
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "Ida"
        xmin = 0
        xmax = 5.5
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 1.0
            text = ""
        intervals [2]:
            xmin = 1.0
            xmax = 2.5
            text = "The ""dry"" hull."
    item [2]:
        class = "IntervalTier"
        name = "Per"
        xmin = 0
        xmax = 5.5
        intervals: size = 1
        intervals [1]:
            xmin = 3
            xmax = 4
            text = "Since 3 days?"
    item [3]:
        class = "TextTier"
        name = "clicks"
        xmin = 0
        xmax = 5.5
        points: size = 1
        points [1]:
            number = 1.5
            mark = "x"
"""
_WORDS = '1.0\n1.3\n"the"\n1.3\n1.8\n"hull"\n1.8\n2.0\n"is"\n2.0\n2.5\n"dry"\n'
_PHONES = "".join(f'{1 + at / 10:.1f}\n{1.1 + at / 10:.1f}\n"P"\n' for at in range(15))
SHORT_GRID = (
    'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n5.5\n<exists>\n2\n'
    f'"IntervalTier"\n"Ida - words"\n0\n5.5\n4\n{_WORDS}'
    f'"IntervalTier"\n"Ida - sounds"\n0\n5.5\n15\n{_PHONES}'
)
CHAT = (
    "@UTF8\n@Begin\n@Languages:\teng\n@Participants:\tCHI Ida Target_Child , MOT Mother\n"
    "@Situation:\tthe yard\n"
    "*CHI:\tI want (.) &-uh &=laughs the <red boat> [//] blue boat@f . \x151200_3450\x15\n"
    "%mor:\tpro|I v|want\n"
    "*MOT:\t(be)cause it was [: is] [*] dry , you see ?\n\tand tarred . \x154000_7250\x15\n"
    "*CHI:\t0is no:: +...\n*MOT:\t0 [=! nods] .\n@End\n"
)


@pytest.mark.parametrize(
    ("name", "content", "form", "expected"),
    [
        (
            "a.eaf",
            ELAN,
            "elan",
            [("Ida Lund", 1.0, 2.5, "The hull is dry."), ("Per Moe", None, 4.0, "Since when?")],
        ),
        ("a.eaf", ELAN_BY_IDS, "elan", [("Ida", 1.0, 2.5, "Skroget er tørt.")]),
        (
            "a.exb",
            EXMARALDA,
            "exmaralda",
            [
                ("IDA", 0.5, 2.0, "The hull is dry."),
                ("PER", 2.0, None, "Since when?"),
                ("IDA", None, 5.25, "Tar it."),
            ],
        ),
        (
            "a.trs",
            TRANSCRIBER,
            "transcriber-xml",
            [
                ("Ida Lund", 0.0, 3.1, "The hull is dry."),
                ("Ida Lund", 3.1, 6.2, "Tar it."),
                ("Ida Lund", 8.0, 12.5, "Twice?"),
                ("Per Moe", 8.0, 12.5, "Yes, twice."),
            ],
        ),
        (
            "a.flk",
            FOLKER,
            "folker-xml",
            [("Ida Lund", 0.5, 2.0, "the hull is dry"), ("Per Moe", 2.0, 5.25, "since when")],
        ),
        (
            "a.xml",
            PARLAMINT,
            "tei-xml",
            [
                ("Ida Lund", None, None, "I open the sitting."),
                ("Ida Lund", None, None, "The hull is dry."),
                ("MoePer", None, None, "Since when?"),
            ],
        ),
        ("a.xml", ISO_TEI, "tei-xml", [("Ida", 1.5, 4.0, "the hull is dry")]),
        ("a.xml", MILLISECONDS, "tei-xml", [("Ida", 1.5, 4.0, "the hull is dry")]),
        (
            "a.xml",
            FRENCH,
            "assemblee-xml",
            [
                ("Mme Ida Lund", None, None, "La coque est sèche."),
                ("M. Per Moe", None, None, "Depuis quand ? Dites-le."),
            ],
        ),
        (
            "a.txt",
            EUROPARL,
            "europarl",
            [
                (None, None, None, "Boats"),
                ("Lund", None, None, "The hull is dry."),
                ("Lund", None, None, "We tar it today."),
                ("Moe", None, None, "Since when?"),
            ],
        ),
        (
            "a.xml",
            DRAMA,
            "tei-xml",
            [
                ("IDA", None, None, "The hull is dry,"),
                ("IDA", None, None, "and tarred."),
                ("PER", None, None, "Since when?"),
            ],
        ),
        (
            "a.xml",
            BUNDESTAG,
            "bundestag-xml",
            [
                ("Präsidentin Ida Lund", None, None, "Guten Morgen."),
                ("Dr. Per Moe", None, None, "Das Boot ist trocken."),
                ("Dr. Per Moe", None, None, "Wir teeren es heute."),
                ("Präsidentin Ida Lund", None, None, "Vielen Dank."),
            ],
        ),
        (
            "a.akn",
            AKOMA_NTOSO,
            "akoma-ntoso",
            [
                ("Mrs Lund", None, None, "The hull is dry."),
                ("Mrs Lund", None, None, "We tar it."),
                ("Per Moe", None, None, "Since when?"),
            ],
        ),
        (
            "a.xml",
            PUBLIC_WHIP,
            "hansard-xml",
            [
                ("Ida Lund", None, None, "The hull is dry."),
                ("Ida Lund", None, None, "We tar it."),
                ("Per Moe", None, None, "Since when?"),
            ],
        ),
        (
            "a.xml",
            CANADA,
            "hansard-xml",
            [
                ("Mrs. Ida Lund (Hull, Lib.)", None, None, "The hull is dry."),
                ("Mr. Per Moe", None, None, "Since when?"),
            ],
        ),
        (
            "a.TextGrid",
            LONG_GRID,
            "praat",
            [("Ida", 1.0, 2.5, 'The "dry" hull.'), ("Per", 3.0, 4.0, "Since 3 days?")],
        ),
        ("a.TextGrid", SHORT_GRID, "praat", [("Ida", 1.0, 2.5, "the hull is dry")]),
        (
            "a.cha",
            CHAT,
            "chat",
            [
                ("Ida", 1.2, 3.45, "I want uh the red boat blue boat."),
                ("Mother", 4.0, 7.25, "because it was dry, you see? and tarred."),
                ("Ida", None, None, "no..."),
            ],
        ),
    ],
)
def test_a_corpus_form_is_read_with_its_speakers_and_times(
    tmp_path: Path, name: str, content: str, form: str, expected: list[Row]
) -> None:
    source = load(tmp_path, name, content)
    assert rows(source) == expected
    assert source.format == form


@pytest.mark.parametrize("ending", [".txt", ".xml"])
@pytest.mark.parametrize("content", [ELAN, EXMARALDA, TRANSCRIBER, PARLAMINT, CHAT, SHORT_GRID])
def test_a_corpus_form_is_known_by_what_is_in_it(tmp_path: Path, content: str, ending: str) -> None:
    assert len(load(tmp_path, f"a{ending}", content).turns) > 0


def test_tiers_that_are_no_speech_are_named(tmp_path: Path) -> None:
    assert load(tmp_path, "a.eaf", ELAN).notes == ("tiers left out: 'ida-no'",)
    assert load(tmp_path, "a.exb", EXMARALDA).notes == ("tiers left out: 'PER [no]'",)
    assert load(tmp_path, "a.TextGrid", LONG_GRID).notes == ("tiers left out: 'clicks'",)
    assert load(tmp_path, "a.TextGrid", SHORT_GRID).notes == ("tiers left out: 'Ida - sounds'",)


def test_an_utterance_that_is_cut_at_points_of_a_timeline_is_one_turn(tmp_path: Path) -> None:
    cut = EXMARALDA.replace(
        '<event start="T0" end="T1">The hull is dry. </event><event start="T2" end="T3">Tar it. ',
        '<event start="T0" end="T1">The hull </event><event start="T1" end="T3">is dry. ',
    )
    assert rows(load(tmp_path, "a.exb", cut)) == [
        ("IDA", 0.5, 5.25, "The hull is dry."),
        ("PER", 2.0, None, "Since when?"),
    ]


def test_words_that_stand_loose_in_a_turn_are_its_own(tmp_path: Path) -> None:
    text = '<TEI><text><u who="#Ida">The hull <seg>is dry.</seg> At last.</u></text></TEI>'
    words = " ".join(turn.text for turn in load(tmp_path, "a.xml", text).turns)
    assert words == "The hull is dry. At last."


@pytest.mark.parametrize("root", ["TEI", "anything"])
def test_xml_that_is_nested_beyond_reason_is_refused(tmp_path: Path, root: str) -> None:
    text = f'<{root}><u who="Ida">dry{"<a>" * 200}x{"</a>" * 200}</u></{root}>'
    source = load(tmp_path, "a.xml", text)
    assert source.refused is not None or source.turns[0].text == "dryx"


def test_remarks_of_a_protocol_are_counted(tmp_path: Path) -> None:
    assert load(tmp_path, "a.xml", BUNDESTAG).notes == ("1 remark or heading left out",)
    assert load(tmp_path, "a.xml", PARLAMINT).title == "Sitting 4"


@pytest.mark.parametrize(
    "content",
    [
        '<interview><turn who="Ida" start="1.0" end="2.5">The hull is dry.</turn>'
        '<turn who="Per" start="3.0" end="4.0">Since when?</turn></interview>',
        "<R><Part><Speaker>Ida</Speaker><StartTime>1.0</StartTime><EndTime>2.5</EndTime>"
        "<Text>The hull is dry.</Text></Part><Part><Speaker>Per</Speaker>"
        "<StartTime>3.0</StartTime><EndTime>4.0</EndTime><Text>Since when?</Text></Part></R>",
    ],
)
def test_xml_of_an_unknown_tool_is_read_by_its_speakers_and_times_and_says_so(
    tmp_path: Path, content: str
) -> None:
    source = load(tmp_path, "a.xml", content)
    assert rows(source) == [("Ida", 1.0, 2.5, "The hull is dry."), ("Per", 3.0, 4.0, "Since when?")]
    assert source.format == "other-xml"
    assert source.notes[0].startswith("an unknown XML form: read from ")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.TextGrid", SHORT_GRID[:90], "ends too early"),
        ("a.cha", "@UTF8\n@Begin\n@End\n", "without an utterance"),
        ("a.eaf", "<ANNOTATION_DOCUMENT/>", "no tier with words"),
        ("a.xml", '<!DOCTYPE Trans [<!ENTITY a "b">]><Trans/>', "XML entities"),
        ("a.xml", "<TEI><text><body><p>A book.</p></body></text></TEI>", "root 'TEI'"),
    ],
)
def test_a_corpus_file_without_speech_is_refused(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    refused = load(tmp_path, name, content).refused
    assert refused is not None
    assert reason in refused
    assert "\n" not in refused


def test_air_to_ground_voice_has_codes_times_and_what_is_nobodys(tmp_path: Path) -> None:
    text = (
        "HALYARD 2 VOICE TRANSCRIPTION\n\nCC     Capsule communicator\nLMP    Pilot\n\n"
        "04 06 35 51  CC       Halyard, how do\n                      you read?\n"
        "HALYARD 2 (GOSS NET 1)    Page 26\n"
        "04 06 36 02  LMP      Loud and clear.\n\n                      (Pause)\n\n"
        "04 06 36 40  CDR (KITE)  So do we.\n04 06 36 44  CC-A     Copy.\n"
    )
    path = tmp_path / "tape.txt"
    path.write_text(text)
    source = load_source(path)
    start = ((4 * 24 + 6) * 60 + 35) * 60.0
    assert source.format == "air-to-ground"
    assert [(turn.speaker, turn.start_s, turn.text) for turn in source.turns[2:]] == [
        ("CC", start + 51, "Halyard, how do you read?"),
        (None, None, "HALYARD 2 (GOSS NET 1) Page 26"),
        ("LMP", start + 62, "Loud and clear."),
        (None, None, "(Pause)"),
        ("CDR (KITE)", start + 100, "So do we."),
        ("CC-A", start + 104, "Copy."),
    ]


def test_air_to_ground_voice_may_count_hours(tmp_path: Path) -> None:
    path = tmp_path / "loop.txt"
    path.write_text("102 33 05  CC  Go.\n102 33 09  ---  (garble)\n102 33 12  PLT  Say again?\n")
    turns = load_source(path).turns
    assert [turn.start_s for turn in turns] == [369185.0, 369189.0, 369192.0]
    assert [turn.speaker for turn in turns] == ["CC", None, "PLT"]
