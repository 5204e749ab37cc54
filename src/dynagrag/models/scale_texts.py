"""Texts by which the scale of an embedder's cosines is measured: none of them is about the same
thing as another, but for each question and the text that answers it. Some texts are as people
speak, since transcripts are. Changing them changes every scale (`MINILM_SCALE`, the catalogue's).
"""

ANSWERED = (
    (
        "How long does the bread have to rest?",
        "You leave the dough under a cloth for about two hours before it goes in the oven.",
    ),
    (
        "Why did the bus stop running on Sundays?",
        "The Sunday route was dropped because hardly anybody rode it any more.",
    ),
    (
        "Who paid for the new roof of the church?",
        "Most of the money for the roof of the chapel came from a farmer who left it to them.",
    ),
    (
        "What do bees do in winter?",
        "The colony keeps together in a ball and shivers to stay warm until spring.",
    ),
    (
        "When was the bridge closed to lorries?",
        "Heavy trucks haven't been allowed over the bridge since nineteen ninety-four.",
    ),
    (
        "What did the vet say about the dog's leg?",
        "She looked at the paw and told us the bone was cracked, nothing worse.",
    ),
    (
        "How many people work at the shipyard?",
        "There are about four hundred of us in the yard now, it used to be two thousand.",
    ),
    (
        "Where did the violin come from?",
        "My grandfather bought that fiddle at an auction in Cremona.",
    ),
    (
        "Is the vaccine safe for children?",
        "In the trial with kids the shot caused a sore arm and a bit of fever, that's all.",
    ),
    (
        "What happened to the price of copper?",
        "Copper fell by a third that autumn and the mine couldn't sell at a profit.",
    ),
    (
        "Why is the remote control so big?",
        "We kept the case large so that older customers can press the buttons.",
    ),
    (
        "Who won the election in the village?",
        "The schoolteacher became mayor with just eleven votes more than the butcher.",
    ),
    (
        "How did you learn to swim?",
        "My brother threw me in the lake when I was six, and that was my first lesson.",
    ),
    (
        "What does the judge think of the contract?",
        "Her Honour found that the clause was too vague to bind either party.",
    ),
    (
        "When will the telescope be ready?",
        "They hope to see the first stars with the new mirror by the end of next year.",
    ),
    (
        "What did the committee decide about school meals?",
        "Members agreed that lunch should be free for every pupil from January.",
    ),
    (
        "How do volcanoes get their shape?",
        "Layer after layer of lava and ash piles up around the vent until there's a cone.",
    ),
    (
        "Which language did the sailors speak?",
        "Most of the crew talked Portuguese among themselves.",
    ),
    (
        "Why was the concert cancelled?",
        "The singer had lost her voice, so they sent the audience home.",
    ),
    (
        "How much water does the reservoir hold?",
        "Behind the dam there's room for thirty million cubic metres.",
    ),
    (
        "What is wrong with the engine?",
        "There's oil leaking from the gasket and one cylinder isn't firing.",
    ),
    ("Who designed the garden?", "It was laid out by a landscape architect from Kyoto."),
    (
        "What should a beginner know about chess?",
        "If you're new to the game, get your pieces out early and castle soon.",
    ),
    (
        "Where do refugees sleep tonight?",
        "Families who fled have been given beds in the sports hall.",
    ),
    (
        "What was the recipe for the soup?",
        "You fry the onions, add lentils and cumin, then stock, and let it simmer.",
    ),
    (
        "How fast can a cheetah run?",
        "Over a short sprint the cat reaches a hundred kilometres an hour.",
    ),
    ("Why did she leave the bank?", "She quit her job in finance because she wanted to paint."),
    (
        "What did Newton say about light?",
        "He showed with a prism that white is a mixture of all the colours.",
    ),
    (
        "What do you dislike about your flat?",
        "The walls are thin and I can hear every word the neighbours say.",
    ),
    (
        "How was the password stolen?",
        "He typed his login into a fake page that somebody had mailed him.",
    ),
    ("Which teams were in the final?", "It was Brazil against Germany for the cup that evening."),
    (
        "What did the doctor advise for back pain?",
        "He told me to walk every day and not to sit for longer than an hour.",
    ),
    (
        "When did the railway reach the coast?",
        "The first train came down to the harbour in the summer of eighteen fifty-one.",
    ),
    ("How is glass made?", "Sand is melted with soda and lime in a furnace, and then it is blown."),
    (
        "What is the film about?",
        "A widow opens a small restaurant and falls in love with her cook.",
    ),
    (
        "Why are the fishermen angry?",
        "The new quota means that boats must stay in port for half the season.",
    ),
    (
        "What happened to the satellite?",
        "It tumbled after a solar panel failed to open, and contact was lost.",
    ),
    (
        "Who looks after the children at night?",
        "The eldest sister puts the little ones to bed when their parents are on shift.",
    ),
    (
        "What did the archaeologists find under the car park?",
        "They dug up a mosaic and a row of Roman graves below the tarmac.",
    ),
    (
        "How do you train for a marathon?",
        "I run four times a week and add a kilometre to the long one every Sunday.",
    ),
)
"""Questions, and what answers each."""
THINGS = (
    "Marie Curie",
    "photosynthesis",
    "Boeing 747",
    "Budget Committee",
    "the Danube",
    "insulin",
    "Wall Street",
    "Beethoven",
    "Supreme Court",
    "solar panel",
    "Great Barrier Reef",
    "Python",
    "fuel cell",
    "Nelson Mandela",
    "World Cup",
    "cheese",
    "University of Bologna",
    "earthquake",
    "Mrs Henderson",
    "inflation",
    "Himalaya",
    "jazz",
    "Treaty of Versailles",
    "microphone",
    "penguins",
    "Toyota",
    "Buddhism",
    "remote control",
    "Norway",
    "diabetes",
    "Hamlet",
    "railway station",
    "quantum mechanics",
    "pension",
    "Amazon rainforest",
    "Dr Okafor",
    "chess",
    "Bank of England",
    "vaccine",
    "volcano",
)
"""Names of different things."""
