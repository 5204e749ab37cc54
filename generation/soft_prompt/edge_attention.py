"""Attention over a graph whose messages carry the edges: GATv2 with `W_h h_u + W_e e_uv` in place
of `W_h h_u`.

In GAT and GATv2 edges have a say in the attention alone: a node with one incoming edge gets the
same whatever the edge says (docs/papers.md, Soft prompts).
"""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.utils import softmax

_SLOPE = 0.2


class EdgeAttention(nn.Module):
    """Heads are concatenated. Each node has a message to itself, without an edge."""

    def __init__(self, before: int, per_head: int, num_heads: int, edge_width: int) -> None:
        super().__init__()
        self._heads = num_heads
        width = per_head * num_heads
        self.source, self.target = nn.Linear(before, width), nn.Linear(before, width)
        self.edge = nn.Linear(edge_width, width, bias=False)
        self.attention = nn.Parameter(torch.empty(num_heads, per_head))
        nn.init.xavier_uniform_(self.attention)

    def forward(self, h: Tensor, ends: Tensor, y: Tensor) -> Tensor:
        """(n, width) of h (n, before), the edges' heads and tails (2, m) and vectors y (m, edge
        width).
        """
        own = torch.arange(len(h), device=h.device)
        heads, tails = torch.cat([ends[0], own]), torch.cat([ends[1], own])
        edges = functional.pad(self.edge(y), (0, 0, 0, len(h)))
        messages = (self.source(h)[heads] + edges).unflatten(1, (self._heads, -1))
        asked = self.target(h)[tails].unflatten(1, (self._heads, -1))
        logits = (functional.leaky_relu(messages + asked, _SLOPE) * self.attention).sum(dim=2)
        shares = softmax(logits, tails, num_nodes=len(h))
        mixed: Tensor = messages.new_zeros(len(h), *messages.shape[1:]).index_add(
            0, tails, shares.unsqueeze(2) * messages
        )
        return mixed.flatten(1)
