"""Graph attention whose messages carry the edges (GRAG, section 4.3): GAT (arXiv:1710.10903) with
`W_h h_u + W_e e_uv` in place of `W_h h_u`, in the attention as in the messages.

GRAG names GAT and writes messages of nodes and edges. Its code gives the edges to a GATConv that
ignores them; in a GATConv that has an edge width they have a say in the attention alone, so that a
node with one incoming edge gets the same whatever the edge says (docs/papers.md, Soft prompts).
"""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.utils import softmax

_SLOPE = 0.2
"""Of the leaky ReLU in the attention, as in GAT."""


class EdgeAttention(nn.Module):
    """Heads are averaged, as GRAG's code has them: `num_heads` heads of the full `width`. Each node
    has a message to itself, without an edge.
    """

    def __init__(self, before: int, width: int, num_heads: int, edge_width: int) -> None:
        super().__init__()
        self._heads = num_heads
        self.node = nn.Linear(before, num_heads * width, bias=False)
        self.edge = nn.Linear(edge_width, num_heads * width, bias=False)
        self.of_source, self.of_target, self.of_edge = (
            nn.Parameter(torch.empty(num_heads, width)) for _ in range(3)
        )
        self.bias = nn.Parameter(torch.zeros(width))
        for weight in (self.node.weight, self.edge.weight):
            nn.init.xavier_uniform_(weight)
        for attention in (self.of_source, self.of_target, self.of_edge):
            nn.init.xavier_uniform_(attention)

    def forward(self, h: Tensor, ends: Tensor, y: Tensor) -> Tensor:
        """(n, width) of h (n, before), the edges' heads and tails (2, m) and vectors y (m, edge
        width).
        """
        own = torch.arange(len(h), device=h.device)
        heads, tails = torch.cat([ends[0], own]), torch.cat([ends[1], own])
        by_head = (-1, self._heads, len(self.bias))
        nodes: Tensor = self.node(h).reshape(by_head)
        edges = functional.pad(self.edge(y), (0, 0, 0, len(h))).reshape(by_head)
        logits = (
            (nodes * self.of_source).sum(dim=2)[heads]
            + (nodes * self.of_target).sum(dim=2)[tails]
            + (edges * self.of_edge).sum(dim=2)
        )
        shares = softmax(functional.leaky_relu(logits, _SLOPE), tails, num_nodes=len(h))
        messages = nodes[heads] + edges
        mixed: Tensor = messages.new_zeros(len(h), *messages.shape[1:]).index_add(
            0, tails, shares.unsqueeze(2) * messages
        )
        return mixed.mean(dim=1) + self.bias
