# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of ONNX that torch lacks: one node when exported, computed in torch otherwise."""

import torch


class _Node(torch.autograd.Function):
    """The node of the older exporter. Its results only give shapes to what follows."""

    @staticmethod
    def forward(ctx, name, attributes, results, *inputs):
        return results()

    @staticmethod
    def symbolic(g, name, attributes, results, *inputs):
        kinds = {float: "f", int: "i", str: "s"}
        named = {f"{k}_{kinds[type(v)]}": v for k, v in attributes.items()}
        return g.op(name, *inputs, **named)


def _node(name, inputs, attributes, compute):
    """`compute()` outside of exporters; a node with its shape and type inside."""
    if not torch.onnx.is_in_onnx_export():
        return compute()
    if not torch.compiler.is_exporting():
        return _Node.apply(name, attributes, compute, *inputs)
    result = compute()
    return torch.onnx.ops.symbolic(
        name.removeprefix("onnx::"), inputs, attributes, dtype=result.dtype, shape=result.shape
    )


def mat_mul_n_bits(x, codes, scales, inputs, outputs, block):
    """x times weights of 4 bits: codes [outputs, blocks, block / 2], the lower half first."""

    def compute():
        low, high = codes & 15, codes >> 4
        weights = torch.stack((low, high), dim=-1).flatten(2).to(x.dtype) - 8
        weights = weights * scales.to(x.dtype).view(outputs, -1, 1)
        return x @ weights.flatten(1)[:, :inputs].T

    attributes = {"K": inputs, "N": outputs, "bits": 4, "block_size": block}
    return _node("com.microsoft::MatMulNBits", (x, codes, scales), attributes, compute)


def _overlap(box, others):
    """Intersection over union of [y1, x1, y2, x2]."""
    low = torch.maximum(box[:2], others[:, :2])
    high = torch.minimum(box[2:], others[:, 2:])
    shared = (high - low).clamp(min=0).prod(1)
    areas = (others[:, 2:] - others[:, :2]).prod(1)
    return shared / ((box[2:] - box[:2]).prod() + areas - shared)


def _suppress(boxes, scores, limit, iou, threshold):
    rows = []
    for image in range(scores.shape[0]):
        for label in range(scores.shape[1]):
            order = scores[image, label].argsort(descending=True)
            order = order[scores[image, label][order] > threshold]
            count = 0
            while len(order) and count < limit:
                rows.append((image, label, int(order[0])))
                count += 1
                rest = order[1:]
                order = rest[_overlap(boxes[image, order[0]], boxes[image, rest]) <= iou]
    return torch.tensor(rows, dtype=torch.int64, device=boxes.device).view(-1, 3)


def non_max_suppression(boxes, scores, limit, iou, threshold):
    """Rows (image, class, box): boxes [batch, n, 4], scores [batch, classes, n]."""
    inputs = (
        boxes,
        scores,
        torch.tensor([limit]),
        torch.tensor([iou], dtype=torch.float32),
        torch.tensor([threshold], dtype=torch.float32),
    )

    def compute():
        if torch.compiler.is_exporting():
            return torch.nonzero(scores > threshold)  # as many columns, and unknown rows
        return _suppress(boxes, scores, limit, iou, threshold)

    return _node("onnx::NonMaxSuppression", inputs, {}, compute)


def _hats(low, high, size, samples, extent):
    """Weights of the means of `samples` bilinear samples in each of `size` bins: [size, extent]."""
    step = (high - low) / (size * samples)
    at = low + step * (torch.arange(size * samples, device=low.device).to(low.dtype) + 0.5)
    inside = (at >= -1) & (at <= extent)
    at = at.clamp(0, extent - 1)
    hats = (1 - (at[:, None] - torch.arange(extent, device=low.device)).abs()).clamp(min=0)
    return (hats * inside[:, None]).view(size, samples, extent).mean(1)


def _align(x, boxes, images, size, samples, scale):
    height, width = x.shape[2:]
    results = [x.new_zeros(0, x.shape[1], size, size)]
    for box, image in zip(boxes * scale - 0.5, images, strict=True):
        rows = _hats(box[1], box[3], size, samples, height)
        columns = _hats(box[0], box[2], size, samples, width)
        results.append((rows @ x[image] @ columns.T)[None])
    return torch.cat(results)


def roi_align(x, boxes, images, size, samples, scale):
    """Means of boxes [n, (x1, y1, x2, y2)] of images [n] (He et al., arXiv:1703.06870)."""
    attributes = {
        "output_height": size,
        "output_width": size,
        "sampling_ratio": samples,
        "spatial_scale": scale,
        "mode": "avg",
        "coordinate_transformation_mode": "half_pixel",
    }

    def compute():
        if torch.compiler.is_exporting():
            return x.new_empty(boxes.shape[0], x.shape[1], size, size)
        return _align(x, boxes, images, size, samples, scale)

    return _node("onnx::RoiAlign", (x, boxes, images), attributes, compute)
