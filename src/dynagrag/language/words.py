"""English words that are no names and say little by themselves: lower case, with plain apostrophes,
never a subject's own words.
"""


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


FUNCTION_WORDS = word_set("""
    okay ok o.k roger yeah yes yep yup nope no nah well uh um uhm hmm hm mm mm-hmm mmm mmhmm uh-huh huh ah aha oh ooh eh er hey hello hi bye
    goodbye wilco alright allright sure thanks thank please sorry wow gosh gee yikes exactly absolutely definitely indeed anyway anyways
    affirmative affirm negative mhm uh-oh ha haha ugh whoa psst amen cheers hooray welcome congratulations true

    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself
    they them their theirs themselves this that these those who whom whose which what each every either neither some any all both few many
    much more most several such another other others same own none somebody someone something anybody anyone anything everybody everyone
    everything nobody nothing y'all ya a an the

    about above across after against along amid among around as at before behind below beneath beside besides between beyond but by
    concerning despite during except for from in inside into like near of off on onto outside over past per since than through throughout
    till to toward towards under underneath until up upon versus via vs with within without and or nor so yet if because although though
    unless while whereas whether once when whenever where wherever why how however therefore thus hence otherwise down out

    am is are was were be been being have has had having do does did doing done can cannot could might must shall should would ought ca wo
    sha ain gonna gotta wanna let

    here there now then just only also too very really quite rather still already even ever never always often sometimes usually maybe
    perhaps probably possibly actually basically apparently obviously certainly clearly simply almost enough else instead away again ahead
    later soon not n't together anymore somewhere anywhere everywhere nowhere somehow meanwhile finally unfortunately fortunately hopefully
    honestly frankly especially currently originally presumably essentially literally generally specifically additionally moreover
    furthermore nevertheless nonetheless whatever whoever whichever

    y'know c'mon 'em em dunno lemme gimme 'cause cuz kinda sorta coupla mr mrs ms mx mister
""")
"""Never part of a name, but for the connectors: they end a capitalised span. Interjections are
among them.
"""
COMMON_VERBS = word_set("""
    go goes going gone went come comes coming came get gets getting got gotten give gives giving gave given make makes making made take
    takes taking took taken put puts putting keep keeps keeping kept know knows knowing knew known think thinks thinking thought see sees
    seeing saw seen want wants wanted need needs needed say says saying said tell tells telling told ask asks asking asked try tries trying
    tried mean means meant seem seems seemed look looks looking looked feel feels feeling felt find finds finding found show shows showed
    shown call calls calling called talk talks talking talked use uses using used work works working worked happen happens happened
    happening start starts started starting stop stops stopped stay hold hope believe guess suppose understand understood remember check
    verify confirm turn move leave bring brought hear heard watch read run set become becomes became begin begins began stand standing
    standby copy listen wait waiting send sent lead follow following follows join pick picked pull push raise raised reach receive repeat
    provide provided require required speak speaking spend spent suggest suggested suggests wish wonder wondering worry write writing add
    added agree agreed allow allowed appear appears apply applied argue assume assuming build built choose chose close closed complete
    completed consider considered continue continued deal decide decided depend depending depends describe described explain finish
    finished include included including involve involved live lose lost love matter mention mentioned mind name named occur offer prefer
    realize regard regarding relate related return support supposed walk accept carry carried cover deserve discuss discussed enjoy expect
    expected fit forget forgot grow hate help helped helps imagine intend learn let's lets like liked likes notice open pass pay play
    prepare prove refer referring remain remind request respond save seek sell serve share sound sounds stick tend thank treat wear win
""")
"""No name alone, and cut off where one opens a clause before a name: `Tell Houston`."""
VAGUE_WORDS = word_set("""
    will may right left long first second third last next early late today tonight tomorrow yesterday ago back good great fine nice cool
    correct pretty little big small large new old different certain able twice apart zero one ones two three four five six seven eight nine
    ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half lot lots bit couple thing
    things stuff kind kinds sort sorts way ways time times people person guy guys folks sir madam ma'am gentlemen ladies mister mr mrs ms dr
    bunch honor honour honors cause
    based basis better best bigger case cases change changed changes clear easy effect end ended entire exact example extra fact facts
    fairly figure final full further general hand hands hard high higher idea ideas important interested interesting issue issues itself
    least less level likely lower low main middle minute minutes moment mostly names nearly necessary normal note number numbers obvious
    opposed order part particular parts perfect place places point points possible present problem problems question questions quick
    ready real reason reasons rest result results seconds sense short side similar simple single situation specific stage step steps
    straight strong term terms total type types understanding useful usual value various view week weeks whole word words worse worst worth
    wrong year years hours hour days night morning afternoon evening course earlier available terrible thanks difficult special huge
""")
"""No name alone and no content word, but part of many names: `New York`, `First Amendment`."""
HONORIFICS = word_set("""
    mr mrs ms miss mx dr doctor prof professor sir dame lord lady captain commander colonel general president justice judge senator
    congressman congresswoman representative secretary minister chairman chairwoman chairperson chair mayor governor attorney counsel
    counselor counsellor officer director manager reverend father sister brother lieutenant sergeant major admiral ambassador councillor
    councilman councilwoman commissioner solicitor advocate speaker
""")
"""Titles before a last name."""
ROLE_NOUNS = word_set("""
    director officer manager designer expert engineer controller operator commander pilot surgeon judge justice secretary minister chair
    chairman chairwoman leader coordinator specialist analyst scientist student professor advisor adviser representative president counsel
    attorney lawyer host guest moderator interviewer interviewee reporter editor witness speaker
""")
"""What somebody is called for what they do: "the pilot", "FLIGHT director"."""
MONTHS = tuple(
    "january february march april may june july august september october november december".split()
)
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
LETTERS_OF_OFFICE = word_set("am mp ms mep msp mla kc qc")
"""Behind the names of members and counsel; who has them in one document and not in another is one
person.
"""
COMMON_WORDS = FUNCTION_WORDS | COMMON_VERBS | VAGUE_WORDS
_NICKNAMES = tuple(
    frozenset(line.split())
    for line in (
        "james jim jimmy jamie", "john jack johnny", "william bill billy will", "robert bob bobby rob", "richard dick rick",
        "thomas tom tommy", "michael mike", "charles charlie chuck", "edward ed ted eddie", "joseph joe", "elizabeth liz beth betty",
        "margaret peggy maggie", "eugene gene", "anthony tony", "katherine kate kathy", "lawrence larry", "gerald jerry",
        "henry harry hank", "theodore ted",
    )
)  # fmt: skip


def are_given_alike(a: str, b: str) -> bool:
    """Whether two first names, in lower case, may be one person's: one begins the other or is its
    initial, or what it is shortened to.
    """
    shorter, longer = sorted((a, b), key=len)
    return (longer.startswith(shorter) and (len(shorter) == 1 or len(shorter) >= 3)) or is_nickname(
        a, b
    )


def is_nickname(a: str, b: str) -> bool:
    """Whether one of two first names is what the other is shortened to."""
    return any(a in names and b in names for names in _NICKNAMES)
