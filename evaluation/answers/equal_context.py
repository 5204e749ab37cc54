"""Whether the arms of a trial read equally much: an arm that reads more may win by that alone."""

from collections.abc import Mapping

MOST_APART = 0.05
"""Of the most: contexts within this are called equal."""


def contexts_apart(tokens: Mapping[str, float | None]) -> str:
    """A sentence on how far apart the context tokens that arms read are, a question's mean each;
    empty where they are within 5 % of the most. Arms that read nothing, such as a model alone, are
    no part of it.
    """
    read = {arm: num for arm, num in tokens.items() if num}
    if len(read) < 2:
        return ""
    most, least = max(read, key=read.__getitem__), min(read, key=read.__getitem__)
    apart = (read[most] - read[least]) / read[most]
    if apart <= MOST_APART:
        return ""
    return (
        f"The arms did not read equally much: {most} {read[most]:,.0f} tokens of context a"
        f" question, {least} {read[least]:,.0f}, {100 * apart:.0f} % fewer; more than"
        f" {100 * MOST_APART:.0f} % apart, what wins may win by that."
    )
