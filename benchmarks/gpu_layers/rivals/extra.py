# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the layers that Kiln adds to the API."""

import kiln

from rivals.row import Operand, Row

BOTH = ("float", "half")
SCALE = 0.25  # of feature maps


def boxes_of_images(boxes):
    """Feature maps with a stride of 4, and boxes in pixels; some are turned around."""
    return lambda n: [
        Operand((2, 8 * n, 200, 256)),
        Operand((boxes, 4), low=0, high=800),
        Operand((boxes,), "int", low=0, high=2),
    ]


def sampled(torch, x, size, ratio):
    """RoI align by torch alone: all boxes of each image."""
    images, boxes, batch = x
    steps = (torch.arange(size * ratio, device=boxes.device) + 0.5) / (size * ratio)
    left, top, right, bottom = (boxes.float() * SCALE - 0.5).T[..., None]
    down, across = top + (bottom - top) * steps, left + (right - left) * steps
    height, width = images.shape[2:]
    inside = ((down >= -1) & (down <= height))[:, :, None] & ((across >= -1) & (across <= width))[
        :, None
    ]
    grid = torch.stack(
        torch.broadcast_tensors(
            across.clamp(0, width - 1)[:, None] * (2 / (width - 1)) - 1,
            down.clamp(0, height - 1)[:, :, None] * (2 / (height - 1)) - 1,
        ),
        -1,
    )
    result = 0
    for i, image in enumerate(images):
        found = torch.nn.functional.grid_sample(
            image[None].float(), grid.flatten(0, 1)[None], align_corners=True
        ).unflatten(2, (len(boxes), -1))
        own = inside & (batch == i)[:, None, None]
        result = result + found[0].transpose(0, 1) * own[:, None]
    return torch.nn.functional.avg_pool2d(result, ratio).to(images.dtype)


def pooled(size, ratio):
    def build(network, x):
        return kiln.add_roi_align(network, *x, size, size, ratio, scale=SCALE).get_output(0)

    def rival(torch, x):
        try:
            import torchvision
        except ModuleNotFoundError:
            return sampled(torch, x, size, ratio)
        boxes = torch.cat((x[2][:, None].to(x[1].dtype), x[1]), 1)
        return torchvision.ops.roi_align(x[0], boxes, size, SCALE, ratio, True)

    return build, rival


def unique(network, x):
    layer = kiln.add_unique(network, x[0])
    return [layer.get_output(i) for i in range(4)]


def unique_rival(torch, x):
    return torch.unique(x[0], return_inverse=True, return_counts=True)[0]


def numbers(high, type=""):
    return lambda n: [Operand((int(n * 32768),), type, low=0, high=high)]


def determinants(network, x):
    return kiln.add_determinant(network, x[0]).get_output(0)


def added(network, x):
    layer = network.add_scatter(*x, kiln.ScatterMode.ND)
    kiln.set_scatter_reduction(layer, kiln.ScatterReduction.SUM)
    return layer.get_output(0)


def rows_added(n):
    return [
        Operand((1024 * n, 256)),
        Operand((512 * n, 1), "int", low=0, high=1024 * n),
        Operand((512 * n, 256)),
    ]


ROWS = [
    Row("RoI align of 7x7", boxes_of_images(1000), *pooled(7, 2), types=BOTH),
    Row("RoI align of 14x14", boxes_of_images(256), *pooled(14, 2), types=BOTH),
    Row("RoI align, all elements", boxes_of_images(256), *pooled(7, 0), types=("float",)),
    Row("unique of a million", numbers(1000, "int"), unique, unique_rival, types=("int",),
        exact=False),
    Row("unique of a million, long", numbers(2**40, "long"), unique, unique_rival, types=("long",),
        exact=False),
    Row("unique of a million, float", numbers(1), unique, unique_rival, types=("float",),
        exact=False),
    Row("unique of 4096", numbers(1000, "int"), unique, unique_rival, types=("int",), full=0.125,
        exact=False),
    Row("determinants of 8x8", lambda n: [Operand((256 * n, 8, 8))], determinants,
        lambda torch, x: torch.linalg.det(x[0]), types=("float",)),
    Row("scatter that adds rows", rows_added, added,
        lambda torch, x: x[0].index_add(0, x[1][:, 0], x[2]), types=BOTH, full=64),
]  # fmt: skip
