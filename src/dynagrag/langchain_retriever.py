"""A workspace as a LangChain retriever, for chains of one's own."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from dynagrag.workspace import AskOptions, Workspace


class WorkspaceRetriever(BaseRetriever):
    """Passages of a workspace as LangChain documents, best first, by any retriever of dynagrag.

    metadata: id, document, start, end (characters of the document's text), speaker, start_s, score.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    workspace: Workspace
    options: AskOptions = AskOptions()
    k: int = 5

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.workspace.retrieve(query, self.options, num_passages=self.k)
        snapshot = self.workspace.snapshot()
        documents = []
        for scored in found.passages:
            passage = scored.passage
            turn = snapshot.turns[passage.document_id][passage.first_turn]
            metadata: dict[str, Any] = {
                "id": passage.id,
                "document": snapshot.documents[passage.document_id].title,
                "start": passage.start,
                "end": passage.end,
                "speaker": turn.speaker,
                "start_s": turn.start_s,
                "score": scored.score,
            }
            documents.append(Document(page_content=snapshot.passage_text(passage), metadata=metadata))
        return documents
