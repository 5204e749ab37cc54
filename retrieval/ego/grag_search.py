"""GRAG's retrieval in the application (arXiv:2405.16506, section 4.1; docs/papers.md, GRAG's
ego-graphs).
"""

from dynagrag.config.settings import Profile
from dynagrag.retrieval.ego.ego_search import CosineEgoSearch

GRAG_CUT = Profile(
    "grag", num_hops=1, weight="one", pool="joint", decay=1.0, has_hub_cut=False, max_ego_nodes=None
)
"""How ego-graphs are cut and pooled: one hop (the paper has one or two), and one mean over the
vectors of all nodes and edges, each once. It names an index beside those of the profiles, and is
none to answer under.
"""


class GragSearch(CosineEgoSearch):
    """The ego-graphs whose mean vector is nearest the question; passages are those of their
    entities, by cosine. Its index is of GRAG_CUT; the profile is the one to answer under, which
    says how many prompts there are.
    """

    name = "grag"
