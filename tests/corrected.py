"""Two small transcripts to correct, and how tests look at what became of them."""

from dynagrag import IngestOptions
from dynagrag.core.schema import EditKind, Entity
from dynagrag.curation import corrections
from dynagrag.curation.view import EditState, Seen, history, read_seen
from dynagrag.workspace.facade import Workspace

FAST = IngestOptions(extractor="fast")
FIRST = [
    (
        "Ada",
        "We met Zanzibar Relay at dawn. The Zanzibar Relay spoke to Port Arthur about Mercury.",
    ),
    ("Ben", "I saw Relay Zanzibar again near Port Arthur. Then Mercury answered Zanzibar Relay."),
]
SECOND = [
    ("Ada", "The probe passed Mercury and the Sun. Beside Mercury stood Old Delft."),
    ("Ben", "We saw Mercury before Old Delft and Relay Zanzibar. It was in Port Arthur."),
]


def seen(space: Workspace) -> Seen:
    return read_seen(space.store)


def named(space: Workspace, name: str) -> Entity:
    return seen(space).entity(name)


def names(space: Workspace) -> set[str]:
    return {e.name for e in space.graph().entities}


def document(space: Workspace, name: str) -> str:
    return space.documents.find(name).id


def states(space: Workspace) -> list[tuple[EditKind, EditState]]:
    return [(line.edit.kind, line.state) for line in history(seen(space))]


def correct_everything(space: Workspace) -> None:
    corrections.merge(space, ["zanzibar relay", "relay zanzibar"], "Relay", by="me")
    corrections.rename(space, "old delft", "Delft", by="me")
    corrections.keep_apart(space, ["port arthur", "sun"], by="me")
    corrections.tell_senses_apart(
        space, "Mercury", [document(space, "two")], "Planet Mercury", by="me"
    )
