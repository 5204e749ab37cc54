"""In which language a model answers: questions in four languages about lines in another one, with
and without the prompt's line that asks for the question's. Ten minutes on 2 cores with Qwen.

    python benchmarks/answer_languages.py [MODEL] > benchmarks/results/answer_languages.txt
"""

import sys

from dynagrag.config.settings import load_settings
from dynagrag.core.protocols import Prompt
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.models.chat_models import open_chat_model
from dynagrag.prompts import render

ENGLISH = """\
[E1] ANNA 0:12 "The bridge over the Harle was closed in March because two cables had rusted."
[E2] BEN 0:31 "We will pay for it out of the road fund, about four million."
[E3] ANNA 1:02 "Ferries run every twenty minutes until it opens again."
"""
GERMAN = """\
[E1] ANNA 0:12 "Die Brücke über die Harle wurde im März gesperrt, weil zwei Seile verrostet waren."
[E2] BEN 0:31 "Wir zahlen das aus dem Straßenfonds, etwa vier Millionen."
[E3] ANNA 1:02 "Bis sie wieder aufmacht, fahren alle zwanzig Minuten Fähren."
"""
ASKED = (
    ("German", ENGLISH, "Warum wurde die Brücke gesperrt?"),
    ("French", ENGLISH, "Pourquoi le pont a-t-il été fermé ?"),
    ("Spanish", ENGLISH, "¿Con qué dinero se pagará la obra?"),
    ("Chinese", ENGLISH, "大桥为什么关闭？"),
    ("German", ENGLISH, "Wie kommt man hinüber, bis die Brücke wieder offen ist?"),
    ("Spanish", ENGLISH, "¿Por qué se cerró el puente?"),
    ("French", GERMAN, "Comment paiera-t-on les travaux ?"),
)
LINE = "Answer in the language of the question."


def main() -> None:
    """Prints an answer a line; which language it is in is for a reader to say."""
    model = open_chat_model(sys.argv[1] if len(sys.argv) > 1 else "qwen", load_settings())
    for language, lines, question in ASKED:
        system, user = render("intermediate", question=question, note="", context=lines)
        assert LINE in user
        for way, text in (("without", user.replace(LINE, "").strip()), ("with", user)):
            reply = model.complete(Prompt("intermediate", system, text), IntermediateReply, 200)
            answer = " ".join(reply.text.split())
            print(f"{language}, {way} the line ({reply.seconds:.0f} s): {answer}", flush=True)
    model.close()


if __name__ == "__main__":
    main()
