"""Common nouns that a number, a letter or a name in front makes a thing of: lower case,
singular.
"""

from dynagrag.language.words import word_set

DEVICES = word_set("""
    accumulator actuator adapter aircraft airlock alarm amplifier antenna assembly battery bay beacon bearing board boiler booster brake
    breaker burner bus button cabin cable camera canister capacitor car cartridge cell chamber channel chip chute circuit clutch coil column
    compressor computer condenser console controller converter crane cylinder damper detector dial diode disk display drive duct elevator
    engine evaporator exchanger fan filter freezer furnace fuse gage gauge gearbox generator gimbal gun gyro gyroscope handle hatch heater
    helicopter hoist hose indicator injector instrument inverter jet joint keyboard knob lamp laptop laser latch launcher lens lever light
    locker magnet manifold meter microphone mirror missile modem module monitor motor nozzle outlet oven pack panel parachute phone piston
    plane plug pod port printer probe processor propeller pump quad rack radar radiator radio reactor receiver recorder rectifier regulator
    relay reservoir robot rocket rotor router rover satellite scanner screen sensor separator server shaft shield ship simulator socket
    solenoid spacecraft stage starter strut submarine switch tablet tank tap telephone telescope terminal thermostat thruster tractor train
    transducer transformer transmitter transponder truck tube turbine unit valve vent vessel wheel winch window wire
""")
SITES = word_set("""
    aisle apartment area bed berth block building classroom corridor crater dock exit floor gate hangar highway hole lab laboratory lane lot
    office pad pier pit platform plot room route runway sector site slot station suite track tunnel ward warehouse zone
""")
STAGES = word_set("""
    amendment article batch clause experiment flight group lap mission option orbit participant pass patient phase platoon proposition round
    rule sample scenario section specimen squad step task team test trial
""")
HEADS = DEVICES | SITES
"""With a name in front they name a part: `DUA breaker`."""
NUMBERED = HEADS | STAGES
"""With a number or letter behind they name a thing: `panel 11`, `main bus B`, `room 204`. Parts of
a document (figure, page) are none.
"""
VERBS_TOO = word_set("""
    alarm batch block board brake burner button cable camera channel clutch display dock drive duct exit fan filter fuse gate group gun
    handle hatch lap latch lever light lot mirror monitor pack pad pass phase phone pit plot plug pump rack radio round sample screen shaft
    shield ship slot stage station step switch tank tap task team test track train truck vent wheel winch wire
""")
"""They may be what somebody does, too: `have FLIGHT switch`."""
KINDS = word_set("""
    aft air ascent auxiliary backup bottom cargo circuit command conference control coolant crew cryo descent docking east electrical
    emergency forward fourth front fuel gas glycol guidance heat helium hydraulic hydrogen inner landing launch left lower lunar main
    meeting nitrogen north oil operating outer oxidizer oxygen pneumatic port power pressure primary propellant rear right second secondary
    selector service solar south spare starboard steam supply thermal third top upper warning water west
""")
"""What tells which kind or side of a part is meant, between a name or an article and its noun:
`fuel cell 3`, `S-II second stage`.
"""
LEADS = word_set("""
    a all an and another any at behind between both by each every for from her his in into its my no of on onto or our over some that the
    their these this those through under via with your
""")
"""Before them no verb is looked for: `of oxygen tank 2`."""
MEASURES = word_set("""
    acre acres amp amp-hour amp-hours ampere amperes amps centimeter centimeters centimetre centimetres cm degree degrees feet foot ft
    gallon gallons ghz gram grams hectare hectares hertz hz inch inches joule joules kg khz kilogram kilograms kilometer kilometers
    kilometre kilometres kilowatt kilowatts km knot knots kw kwh lb lbs liter liters litre litres meter meters metre metres mhz mile miles
    millimeter millimeters millimetre millimetres mm mph mw newton newtons pound pounds psi psia psid rpm ton tonne tonnes tons volt volts
    watt watts yard yards
""")
"""What a number measures something in: `10,800 feet`."""


def singular(word: str) -> str:
    """A plural's noun, for these words alone: `batteries`, `buses`, `switches`, `tanks`."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("es", "s"):
        if word.endswith(ending) and word.removesuffix(ending) in NUMBERED:
            return word.removesuffix(ending)
    return word
