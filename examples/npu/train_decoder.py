"""A small decoder with a lightning indexer trains on the NPU, is saved, loaded on the host, and trains on.

The indexer learns which keys the main attention looks at: its loss is the KL divergence between the attention's
distribution and the softmax of its own scores, with the gradients of CANN's DenseLightningIndexerKLLossGrad.
"""

import sys
import tempfile
from pathlib import Path

import torch
import torch_npu
from cann_ops_transformer.ops import (
    dense_lightning_indexer_kl_loss_grad,
    dense_lightning_indexer_kl_loss_grad_metadata,
    dense_lightning_indexer_softmax_lse,
    dense_lightning_indexer_softmax_lse_metadata,
)
from torch import nn
from torch.nn import functional as F

VOCABULARY, LENGTH, BATCH = 16, 24, 8
WIDTH, HEADS, INDEXER_HEADS, INDEXER_SIZE = 32, 2, 2, 128
CAUSAL = {"layout_q": "BSND", "layout_k": "BSND", "mask_mode": 3, "cmp_ratio": 1}


class IndexerLoss(torch.autograd.Function):
    """sum over rows of p * (log p - log softmax(scores)), averaged over rows; p is a constant."""

    @staticmethod
    def forward(ctx, q, k, w, p):
        sizes = {"batch_size": q.shape[0], "max_seqlen_q": q.shape[1], "max_seqlen_k": k.shape[1]}
        plan = (q.shape[2], 1, q.shape[3])
        metadata = dense_lightning_indexer_softmax_lse_metadata(*plan, **sizes, **CAUSAL).to(q.device)
        lse = dense_lightning_indexer_softmax_lse(q, k, w, metadata=metadata, **CAUSAL)
        metadata = dense_lightning_indexer_kl_loss_grad_metadata(*plan, **sizes, **CAUSAL).to(q.device)
        *gradients, softmax = dense_lightning_indexer_kl_loss_grad(q, k, w, p, lse, metadata=metadata, **CAUSAL)
        rows = p.shape[0] * p.shape[1]
        ctx.save_for_backward(*(gradient / rows for gradient in gradients))
        seen = torch.ones(p.shape[1], p.shape[3], dtype=torch.bool, device=p.device).tril()[:, None]
        divergence = torch.special.xlogy(p, p) - torch.special.xlogy(p, softmax.clamp_min(1e-30))
        return divergence.masked_fill(~seen, 0).sum() / rows

    @staticmethod
    def backward(ctx, upstream):
        return (*(gradient * upstream for gradient in ctx.saved_tensors), None)


def rms_norm(x, gamma):
    """The operators of torch_npu are the device's: on the host PyTorch's own do it."""
    return torch_npu.npu_rms_norm(x, gamma)[0] if x.is_npu else F.rms_norm(x, gamma.shape, gamma, 1e-6)


def swiglu(x):
    if x.is_npu:
        return torch_npu.npu_swiglu(x)
    gate, value = x.chunk(2, -1)
    return F.silu(gate) * value


class Block(nn.Module):
    """Attention with its indexer, then a gated MLP."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.ones(WIDTH))
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        # Attention that looks somewhere from the start gives the indexer something to learn.
        nn.init.normal_(self.qkv.weight, std=0.4)
        self.up, self.down = nn.Linear(WIDTH, 8 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.index_q = nn.Linear(WIDTH, INDEXER_HEADS * INDEXER_SIZE)
        self.index_k = nn.Linear(WIDTH, INDEXER_SIZE)
        self.index_w = nn.Linear(WIDTH, INDEXER_HEADS)

    def forward(self, x):
        h = rms_norm(x, self.norm1)
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(h).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        attention = scores.masked_fill(mask, float("-inf")).softmax(-1)
        loss = self.indexer_loss(h.detach(), attention.detach())
        x = x + self.out((attention @ v).transpose(1, 2).flatten(2))
        return x + self.down(swiglu(self.up(rms_norm(x, self.norm2)))), loss

    def indexer_loss(self, h, attention):
        p = attention.mean(1).unsqueeze(2).float().contiguous()
        q = self.index_q(h).unflatten(-1, (INDEXER_HEADS, -1)).bfloat16()
        k = self.index_k(h).unsqueeze(2).bfloat16()
        return IndexerLoss.apply(q, k, self.index_w(h).float() * INDEXER_SIZE**-0.5, p)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        losses = []
        for block in self.blocks:
            x, loss = block(x)
            losses.append(loss)
        return self.head(x), torch.stack(losses).mean()


def batch(generator):
    """Sequences in which a token follows from the one before, and now and then does not."""
    columns = [torch.randint(VOCABULARY, (BATCH,), generator=generator)]
    for _ in range(LENGTH - 1):
        by_chance = torch.randint(VOCABULARY, (BATCH,), generator=generator)
        is_chance = torch.rand(BATCH, generator=generator) < 0.1
        columns.append(torch.where(is_chance, by_chance, (5 * columns[-1] + 3) % VOCABULARY))
    return torch.stack(columns, 1)


def train(model, optimizer, device, steps, generator):
    history = []
    for _ in range(steps):
        tokens = batch(generator).to(device)
        logits, indexer = model(tokens)
        language = F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        (language + indexer).backward()
        optimizer.step()
        history.append((language.item(), indexer.item()))
    return history


def mean(history):
    return tuple(sum(column) / len(column) for column in zip(*history, strict=True))


def main():
    torch.manual_seed(0)
    torch.npu.set_device(0)
    generator = torch.Generator().manual_seed(0)
    model = Decoder().npu()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    on_npu = train(model, optimizer, "npu", 50, generator)
    torch.npu.synchronize()

    with tempfile.TemporaryDirectory() as folder:
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, Path(folder, "decoder.pt"))
        state = torch.load(Path(folder, "decoder.pt"), map_location="cpu")
    on_host = Decoder()
    on_host.load_state_dict(state["model"])
    optimizer = torch.optim.AdamW(on_host.parameters(), lr=3e-3)
    optimizer.load_state_dict(state["optimizer"])
    later = train(on_host, optimizer, "cpu", 20, generator)

    parts = {"npu, first 10 steps": on_npu[:10], "npu, last 10 steps": on_npu[-10:], "host, 20 steps more": later}
    for name, history in parts.items():
        print(f"{name:<20} language {mean(history)[0]:.4f}  indexer {mean(history)[1]:.4f}")
    first, last, after = map(mean, parts.values())
    return 0 if all(a > b > c for a, b, c in zip(first, last, after, strict=True)) else 1


if __name__ == "__main__":
    sys.exit(main())
