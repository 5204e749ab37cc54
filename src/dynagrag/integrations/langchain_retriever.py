"""A workspace as a LangChain retriever, for chains of one's own."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from dynagrag.generation.evidence import passage_evidence
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.facade import Workspace


class WorkspaceRetriever(BaseRetriever):
    """The best `k` passages of a workspace as LangChain documents, one for each speaker's words, by
    any retriever of dynagrag.

    metadata: id, document, start, end (characters of the document's text), speaker, start_s, score.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    workspace: Workspace
    options: AskOptions = AskOptions()
    k: int = 5

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = self.workspace.questions.retrieve(query, self.options, num_passages=self.k)
        snapshot = self.workspace.current_graph.snapshot()
        documents = []
        for scored in found.passages:
            for line in passage_evidence(snapshot, [scored]):
                metadata: dict[str, Any] = {
                    "id": line.id,
                    "document": snapshot.documents[line.document_id].title,
                    "start": line.start,
                    "end": line.end,
                    "speaker": line.speaker,
                    "start_s": line.start_s,
                    "score": scored.score,
                }
                documents.append(Document(page_content=line.quote, metadata=metadata))
        return documents
