"""Words that say where a name begins and ends: lower case, with plain apostrophes."""

from dynagrag.language.words import MONTHS, WEEKDAYS, word_set

CONNECTORS = word_set("of the de la le du da di von van der den al el bin ibn & des dos del")
TITLE_CONNECTORS = CONNECTORS | word_set("for and in on at to from with a an or by as into")
"""With a capital, or inside a quoted title, these join too: `The Lord Of The Rings`, `Center For
Democracy`.
"""
EPITHETS = word_set("""
    great baptist pooh terrible conqueror elder younger bold bald evangelist impaler kid magnificent barbarian menace lionheart hutt fat
    confessor builder wise good bad fair unready apostle martyr navigator simple bruce
""")
"""What may follow `the` right behind a name: `Alexander the Great`."""

ABBREVIATIONS = word_set(
    "mr mrs ms mx dr prof rev hon sen rep gov gen col maj capt cmdr lt sgt st mt ft jr sr op"
)
"""Their full stop stands inside a name."""
NUMBER_SIGNS = word_set("number no nos nr")
"""Before a number they are part of a name: `Symphony No. 5`, `FUEL CELL number 1`."""
ORDERED = word_set("""
    century avenue street amendment congress circuit district division army infantry regiment brigade battalion airborne cavalry fleet
    earl duke baron baronet viscount marquess marquis count king president parallel floor precinct ward legion corps squadron platoon
    parliament legislature assembly dynasty arrondissement
""")
"""What an ordinal in front is part of: `21st Century`."""
KEEP_UPPER = frozenset({"US", "WHO"})
"""Function words that are names when written in capitals inside other text."""
NAMES_TOO = word_set("roger may will")
"""Function words that are names too, inside a sentence and beside another capital: `the Roger Maris
book`, `Theresa May`.
"""
NUMERAL_HEADS = word_set(
    "war part type phase class title act stage level category article volume schedule"
)
"""Before a lone capital I it is a numeral: `World War I`."""

INSTITUTIONS = word_set("""
    academy administration agency alliance assembly association authority board bureau campaign center centre coalition college commission
    committee conference congress council court department directorate faculty federation foundation fund institute institution journal
    laboratory league ministry museum office organisation organization party prize programme program project school senate society
    subcommittee trust tribunal union university
""")
"""`for` goes on with one of these: `Center for Consumer Freedom`."""
TOPICAL = INSTITUTIONS - word_set(
    "university court college congress senate assembly union museum party league"
) | word_set("secretary minister")
"""After one of these and `of` or `for`, `and` goes on too: `Ministry of Health and Welfare`."""
PLACES = word_set("""
    county day college hospital church cathedral bay island islands isle point square cup park palace castle creek lake inn gate abbey wood
    head hill university school court market street road field farm beach harbor harbour cove
""")
"""After a possessive they end one name: `Prince George's County`."""
ORGANISATIONS = INSTITUTIONS | word_set("""
    airlines airport army baseball bank band bridge building cemetery channel church city club co company corp corporation county district
    electric group high hospital hotel house inc industries library limited line lines llc ltd mills motors museum navy network park prize
    records road square stadium station street studio studios systems team times tower trophy award awards cup bowl show tour
""")
"""What ends on one of these is no person."""

FURNITURE = word_set("""
    page pages exhibit exhibits figure figures fig table line lines footnote paragraph slide appendix chapter
    number numbers version versions
""")
"""Parts of a document: with their number no name (`Page 12 of Exhibit B`)."""
PARTS = FURNITURE | word_set("""
    section sections century episode season volume phase item note agenda county footnotes annex rule lesson subsection paragraphs
    heading attachment step steps
""")
"""No name alone."""

GIVEN_MONTHS = word_set("march april may june august")
"""Months that are people's names too."""
WHEN = frozenset(MONTHS).union(WEEKDAYS, (f"{day}s" for day in WEEKDAYS))
EVENTS = word_set("""
    day days night nights madness fool fools fool's fair revolution uprising war crisis massacre agreement agreements plot group committee
    people girl girls times morning club school magazine football rain song songs attack attacks bombing bombings commission riot riots
    movement coup putsch festival afternoon fever post mass express herald sun league prayer accords manifesto offensive memorial
    insurrection
""")
"""After a month, weekday or date they make a name of it: `May Day`, `January 6 Committee`."""
NAMED_DAYS = word_set(
    "good black ash palm easter super cyber bloody ruby holy fat shrove whit maundy giving man girl"
    " joe casual gloomy blue"
)
"""Before a weekday they make a name of it: `Black Friday`."""
WHEN_PREPOSITIONS = word_set("""
    in on since until till before after during around last next this early late mid every through each past coming following
""")
"""Before a month they say that it is a time, and nobody's name."""
TIME_PREPOSITIONS = WHEN_PREPOSITIONS | word_set("by to from of about between and or for")
"""The same before a year."""

UNITS = word_set("""
    amp amps ampere amperes volt volts watt watts degree degrees percent per psi psia pound pounds foot feet inch inches mile miles yard
    yards meter meters metre metres km kilometers kilometres kg grams gram tons tonnes hour hours minute minutes second seconds day days
    week weeks month months year years million millions billion billions thousand trillion dollars euros cents hertz hz khz mhz ghz kw kwh
    mb gb tb ms times people men women points votes percentage am pm a.m p.m o'clock knots fps rpm cycles clicks gallons liters litres
""")
"""A number before one of these counts something, and belongs to no name before it."""
LOWER_FIRST_UNITS = frozenset(
    """
        mV kV kW mW kWh kHz dB dBm mA mAh kPa hPa pH eV keV kJ kN mHz kB kHz mL dL mmHg kVA cGy
    """.split()
)
"""Units of the shape of `eBay`."""

OFFICE_PAIRS = word_set("""
    attorney-general solicitor-general surgeon-general secretary-general postmaster-general governor-general inspector-general
    director-general chief-justice associate-justice prime-minister vice-president foreign-minister foreign-secretary home-secretary
    defense-secretary defence-secretary treasury-secretary finance-minister defense-minister defence-minister interior-minister
    health-minister health-secretary press-secretary deputy-secretary under-secretary assistant-secretary labor-secretary
    commerce-secretary education-secretary energy-secretary district-attorney deputy-director deputy-minister deputy-president
    justice-minister trade-minister flight-director mission-specialist executive-director managing-director national-security
    first-lady vice-chancellor vice-chairman majority-leader minority-leader
""")
OFFICE_HEADS = word_set("secretary minister director speaker chancellor undersecretary ambassador")
"""With `of` and what they are of, they are an office: `Secretary of State`."""
OFFICE_WORDS = word_set("""
    state defense defence treasury education energy labor labour commerce agriculture transportation health war interior justice house
    finance exchequer intelligence housing security affairs services environment trade culture foreign communications
""")
"""What such an office is of, by its last word."""
OFFICE_FIRST = word_set(
    "homeland veterans national human foreign veterans' urban public internal external"
)
PERSON_TITLES = word_set("""
    president senator congressman congresswoman representative governor ambassador professor chancellor secretary mayor judge justice
    colonel lieutenant sergeant admiral captain commander general major doctor dr reverend rev sen rep gov gen col capt cmdr lt sgt prof
    minister chairman chairwoman director coach sheriff detective officer private corporal astronaut
""")
SURE_TITLES = word_set("""
    president senator congressman congresswoman governor ambassador professor judge justice colonel lieutenant sergeant admiral dr sen rep
    gov col capt lt sgt prof sheriff
""")
"""With a last name alone, they say that it is somebody's."""
ADDRESSES = word_set("mr mrs ms mx")
"""Before a full name they are no part of it (`Senator Elizabeth Warren`); before a last name alone
they are (`Justice Thomas`).
"""
OCCUPATIONS = word_set("""
    actor actress author writer singer rapper guitarist drummer bassist pianist producer composer poet novelist journalist critic player
    lawyer attorney scientist physicist historian philosopher economist photographer painter sculptor architect engineer comedian
    filmmaker screenwriter songwriter musician footballer quarterback midfielder goalkeeper entrepreneur businessman analyst reporter
    editor host husband wife brother sister son daughter father mother friend rookie veteran activist artist inventor designer dancer
    choreographer conductor cinematographer playwright biographer linguist biologist chemist mathematician astronomer psychologist
""")
"""In front of a name they open a clause, and say what somebody does."""
OPENERS = word_set("""
    yesterday today tonight tomorrow following featuring starring including according regarding using directed written produced released
    founded located born named known based considered called described titled entitled situated recently eventually initially subsequently
    previously similarly consequently formerly notably historically traditionally officially reportedly again twice hallo
    hullo gentlemen ladies folks guys understood sorry copy said says whereupon unlike amid
    nowadays lately thereafter afterwards beforehand elsewhere overall
""")
"""With a capital they open a clause before a name; they are no part of it."""
ADVERB_ENDINGS = (
    "ally",
    "ntly",
    "tely",
    "ively",
    "ously",
    "ingly",
    "edly",
    "fully",
    "ularly",
    "antly",
)
SIGNALS = word_set(
    "hallo hullo mhmm mmhm mm-mm hmmm ahh ohh uhhuh yea yah aye righto rog tally hooah bye-bye ta"
)
"""Further interjections."""
STATES = word_set(
    "off on open closed close up down in out enable enabled disable disabled inhibit undervolt"
    " overvolt"
)
"""Positions of a switch, in capitals at the end of a name in capitals: `INVERTER 1 CLOSED`."""
COMMANDS = word_set("""
    enter mark proceed reset start stop release arm disarm auto automatic manual normal standby hold execute cancel clear delete
    insert load record erase play pause min max minimum maximum full half high low fast slow medium forward reverse engage disengage go
    no-go direct lock unlock locked unlocked armed safe neutral begin end accept reject select confirm verify
    tbd na cont
""")
"""What is said or set, and names nothing: alone in capitals, or at the beginning of a clause
(`ENTER`, `Mark.`).
"""
GENERIC = word_set("""
    data power pressure attitude voltage current temperature quantity rate status position configuration procedure system mode time problem
    question note notes warning caution attention summary abstract introduction conclusion contents references agenda
""")
"""In capitals, alone, they name no one thing."""
SETTERS = word_set(
    "set put switch switched turn turned move moved go went position positioned place placed back"
    " over from"
)
"""With `to` they set something: `set to THROTTLE`."""
RANKS_BEFORE = word_set(
    "first second lieutenant major brigadier vice rear master staff chief senior warrant petty"
)
"""In front of a title they are part of it: `First Lieutenant`."""
COMPOUND_TAILS = word_set("""
    related based style like led backed born owned type era wide speaking language member winning inspired free only funded made built
    friendly themed centric approved sponsored dominated trained educated controlled occupied held bound ready run class level first
    oriented focused adjacent wing shaped sized age aged long old minded
""")
"""Ends of a compound that are no part of the name in front: `ISIS-related`."""
COMPOUND_HEADS = word_set(
    "non anti pre post co re self ex semi multi well pro mid sub over under half cross inter intra"
    " ultra pseudo quasi"
)
NUMBER_WORDS = word_set("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
    thirty forty fifty sixty seventy eighty ninety hundred thousand million billion niner oh point first second third fourth fifth sixth
    seventh eighth ninth tenth
""")
ENGLISH = word_set("""
    the and to that it you for with as this have are they not but what from by which were had would there their been will can about my your
""")
GERMAN = word_set("""
    der die das und ist nicht ein eine einen einem einer mit auf für von dem den des im zu sich auch als an werden aus er hat dass sie nach
    wird bei wir ich es war haben aber wie noch nur oder über sind
""")
"""Common words of a language that others hardly have; what share of a text they are tells it."""
