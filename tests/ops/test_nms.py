# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression, which finds the number of its results when it runs, against NumPy.

The tests use the default target; test_emulated.py runs them on the emulated GPU. Boxes lie on a
grid of whole numbers, so that overlaps are exact to the last bit.
"""

from dataclasses import dataclass

import device_memory
import kiln
import numpy as np
import pytest
import tensorrt as trt

CORNERS, CENTERS = trt.BoundingBoxFormat.CORNER_PAIRS, trt.BoundingBoxFormat.CENTER_SIZES


@dataclass
class Settings:
    """Arguments of a layer; None: the input is not set."""

    most: int = 1000
    overlap: float | None = 0.5
    score: float | None = None
    limit: int = 5000
    format: trt.BoundingBoxFormat = CORNERS
    index: trt.DataType = trt.int32
    tensor: bool = False  # the maximum is an input of the network


def corners(boxes, fmt):
    """[..., 4] as left, top, right, bottom."""
    a, b = boxes[..., :2], boxes[..., 2:]
    if fmt == CENTERS:
        a, b = a - b / 2, a + b / 2
    return np.concatenate([np.minimum(a, b), np.maximum(a, b)], -1)


def overlaps(box, others):
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    both = np.prod(np.maximum(high - low, 0), -1)
    area = np.prod(box[2:] - box[:2]) + np.prod(others[:, 2:] - others[:, :2], -1)
    return both / np.maximum(area - both, np.float32(1e-30))


def expected(boxes, scores, settings):
    """The rows of output 0."""
    batch, count, classes = scores.shape
    boxes = (boxes if boxes.ndim == 4 else boxes[:, :, np.newaxis]).astype(np.float32)
    boxes = np.broadcast_to(corners(boxes, settings.format), (batch, count, classes, 4))
    rows = []
    for item in range(batch):
        flat = scores[item].ravel()
        order = np.argsort(-np.nan_to_num(flat, nan=-np.inf), kind="stable")
        order = [i for i in order if flat[i] > (settings.score or 0)][: settings.limit]
        kept = {kind: [] for kind in range(classes)}
        for i in order:
            box, kind = divmod(int(i), classes)
            others = kept[kind]
            limit = settings.overlap or 0
            if len(others) < settings.most and not (
                others and (overlaps(boxes[item, box, kind], np.array(others)) > limit).any()
            ):
                others.append(boxes[item, box, kind])
                rows.append((item, kind, box))
    return np.array(rows, np.int64).reshape(-1, 3)


class Engine:
    """NMS over boxes and scores of these shapes, -1 where the profile gives a range."""

    def __init__(self, logger, settings, boxes, scores, dtype=trt.float32, profile=None):
        builder = trt.Builder(logger)
        network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
        tensors = [network.add_input("boxes", dtype, boxes)]
        tensors.append(network.add_input("scores", dtype, scores))
        if settings.tensor:
            tensors.append(network.add_input("most", trt.int32, ()))
        else:
            most = np.array(settings.most, np.int32)
            tensors.append(network.add_constant((), most).get_output(0))
        layer = network.add_nms(*tensors, settings.index)
        layer.bounding_box_format, layer.topk_box_limit = settings.format, settings.limit
        for index, value in ((4, settings.score), (3, settings.overlap)):
            if value is not None:
                number = network.add_constant((), np.array(value, np.float32)).get_output(0)
                layer.set_input(index, number)
        for i, name in enumerate(["rows", "count"]):
            layer.get_output(i).name = name
            network.mark_output(layer.get_output(i))
        config = builder.create_builder_config()
        if profile:
            ranges = builder.create_optimization_profile()
            for name, shapes in profile.items():
                ranges.set_shape(name, *shapes)
            config.add_optimization_profile(ranges)
        plan = builder.build_serialized_network(network, config)
        assert plan is not None, logger.errors
        self.settings = settings
        self.engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
        self.context = self.engine.create_execution_context()
        self.memory = device_memory.for_target()

    def run(self, boxes, scores):
        arrays = {"boxes": boxes, "scores": scores}
        if self.settings.tensor:
            arrays["most"] = np.array(self.settings.most, np.int32)
        kept = []
        for name, array in arrays.items():
            assert self.context.set_input_shape(name, array.shape)
            host = self.engine.get_tensor_location(name) == trt.TensorLocation.HOST
            kept.append((device_memory.HostArray if host else self.memory.DeviceArray)(array))
            self.context.set_tensor_address(name, kept[-1].ptr)
        dtype = trt.nptype(self.settings.index)
        room = self.context.get_max_output_size("rows") // np.dtype(dtype).itemsize
        rows = self.memory.DeviceArray(np.full(room + 1, -7, dtype))
        count = self.memory.DeviceArray(np.zeros((), np.int32))
        self.context.set_tensor_address("rows", rows.ptr)
        self.context.set_tensor_address("count", count.ptr)
        stream = self.memory.Stream()
        assert self.context.execute_async_v3(stream.handle)
        stream.synchronize()
        shape = tuple(kiln.found_shape(self.context, "rows"))
        assert shape == (int(count.numpy()), 3)
        found = rows.numpy()
        assert (found[3 * shape[0] :] == -7).all()
        return found[: 3 * shape[0]].reshape(shape)


def random_case(batch, count, classes, own_boxes, dtype=np.float32, span=40):
    rng = np.random.default_rng(batch * count + classes)
    shape = (batch, count, classes, 4) if own_boxes else (batch, count, 4)
    boxes = rng.integers(0, span, shape).astype(dtype)
    scores = rng.integers(-20, 200, (batch, count, classes)) / dtype(256)
    if scores.size > 3:
        scores.flat[3] = np.nan
    return boxes, scores.astype(dtype)


CASES = {
    "plain": (Settings(), 2, 60, 1, True),
    "shared": (Settings(score=0.25), 2, 60, 5, False),
    "own_boxes": (Settings(overlap=0.1, score=0.1), 1, 80, 4, True),
    "defaults": (Settings(overlap=None), 2, 50, 3, False),
    "few": (Settings(most=3, overlap=0.9), 3, 70, 4, False),
    "none": (Settings(most=0), 1, 9, 2, False),
    "limit": (Settings(limit=37, overlap=1.0), 2, 100, 3, False),
    "no_limit": (Settings(limit=0), 2, 10, 3, False),
    "centers": (Settings(format=CENTERS, index=trt.int64), 1, 150, 2, False),
    "many": (Settings(overlap=1.0, limit=700), 2, 400, 3, False),
    "high_score": (Settings(score=9.0), 2, 40, 3, False),
    "tensor": (Settings(most=2, tensor=True, overlap=0.8), 2, 70, 3, False),
    "two_bands": (Settings(limit=17000, most=60, overlap=0.7), 1, 1700, 10, False),
    "bands_of_two": (Settings(limit=16500, overlap=0.9), 2, 8300, 2, False),
    "long": (Settings(limit=300, overlap=0.6), 1, 7000, 10, False),
    "no_boxes": (Settings(), 2, 0, 3, False),
    "no_batch": (Settings(), 0, 5, 3, False),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("name", CASES)
def test_boxes(logger, name, dtype):
    settings, *sizes = CASES[name]
    boxes, scores = random_case(*sizes, dtype)
    kind = trt.float32 if dtype is np.float32 else trt.float16
    engine = Engine(logger, settings, boxes.shape, scores.shape, kind)
    got = engine.run(boxes, scores)
    np.testing.assert_array_equal(got, expected(boxes, scores, settings))
    assert engine.engine.get_tensor_dtype("rows") == settings.index


def test_dynamic_shapes(logger):
    settings = Settings(most=5, overlap=0.3)
    profile = {
        "boxes": [(0, 1, 4), (2, 50, 4), (3, 9000, 4)],
        "scores": [(0, 1, 1), (2, 50, 3), (3, 9000, 8)],
    }
    engine = Engine(logger, settings, (-1, -1, 4), (-1, -1, -1), profile=profile)
    for sizes in ((2, 50, 3), (1, 9000, 8), (3, 7, 1), (0, 7, 2), (3, 200, 8)):
        boxes, scores = random_case(*sizes, False)
        np.testing.assert_array_equal(engine.run(boxes, scores), expected(boxes, scores, settings))


def test_room_of_the_output(logger):
    """At most so many boxes per class, if the number is constant."""
    boxes, scores = random_case(2, 60, 5, False)
    engine = Engine(logger, Settings(most=4), boxes.shape, scores.shape)
    assert engine.context.get_max_output_size("rows") == 2 * 5 * 4 * 3 * 4
    engine = Engine(logger, Settings(most=4, limit=7), boxes.shape, scores.shape)
    assert engine.context.get_max_output_size("rows") == 2 * 7 * 3 * 4


def test_equal_boxes_without_area(logger):
    boxes = np.zeros((1, 4, 4), np.float32)
    scores = np.ones((1, 4, 1), np.float32)
    settings = Settings()
    got = Engine(logger, settings, boxes.shape, scores.shape).run(boxes, scores)
    np.testing.assert_array_equal(got[:, 2], [0, 1, 2, 3])


def test_layer(logger):
    network = trt.Builder(logger).create_network(0)
    boxes = network.add_input("boxes", trt.float32, (1, 9, 4))
    scores = network.add_input("scores", trt.float32, (1, 9, 2))
    most = network.add_constant((), np.array(3, np.int32)).get_output(0)
    layer = network.add_nms(boxes, scores, most)
    assert (layer.type, layer.num_outputs) == (trt.LayerType.NMS, 2)
    assert (layer.topk_box_limit, layer.bounding_box_format) == (5000, CORNERS)
    assert (layer.indices_type, tuple(layer.get_output(0).shape)) == (trt.int32, (-1, 3))
    assert tuple(layer.get_output(1).shape) == ()
    layer.indices_type = trt.int64
    assert layer.get_output(0).dtype == trt.int64
    assert layer.get_output(1).dtype == trt.int32
    layer.topk_box_limit = -1
    assert "expected a limit of 0 boxes or more, got -1" in logger.errors[-1]
    logger.errors.clear()
    assert network.add_nms(scores, scores, most).get_output(0).shape is not None
    assert "expected boxes [batch, boxes, classes, 4]" in "".join(logger.errors)
    logger.errors.clear()
