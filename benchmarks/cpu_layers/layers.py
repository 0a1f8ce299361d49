# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The layers that run.py compares, at three sizes each: small ones of a decoder's step or a head,
those of a vision model or an encoder, and large ones that leave the caches."""

import kiln as trt
import numpy as np
from layer import Layer

TOKENS = [[(1, 16, 768)], [(1, 128, 3072)], [(8, 256, 3072)]]
IMAGES = [[(1, 64, 14, 14)], [(1, 64, 56, 56)], [(4, 64, 112, 112)]]
ROWS = [[(1, 1000)], [(128, 768)], [(4096, 1024)]]
SCORES = [[(12, 16, 16)], [(12, 128, 128)], [(12, 512, 512)]]


def weights(*shape):
    return np.random.default_rng(5).uniform(-0.5, 0.5, shape).astype(np.float32)


def longs(*values):
    return np.array(values, np.int64)


def kernels(maps, extent, groups=1):
    """A kernel and a bias for images."""
    return lambda shapes: [weights(maps, shapes[0][1] // groups, extent, extent), weights(maps)]


def twice(sizes):
    return [[shapes[0], shapes[0]] for shapes in sizes]


def constant(network, array):
    return network.add_constant(array.shape, np.ascontiguousarray(array)).get_output(0)


def resized(mode, **properties):
    def build(network, tensors, constants):
        layer = network.add_resize(tensors[0])
        layer.resize_mode = getattr(trt.InterpolationMode, mode)
        layer.scales = constants[0].tolist()
        for name, value in properties.items():
            setattr(layer, name, value)
        return layer

    return build


def deconvolved(network, tensors, constants):
    layer = network.add_deconvolution_nd(tensors[0], constants[0].shape[1], (4, 4), *constants)
    layer.stride_nd, layer.padding_nd = (2, 2), (1, 1)
    return layer


def einsum(network, tensors, constants):
    return network.add_einsum(tensors, "bqhd,bkhd->bhqk")


def best(k):
    def build(network, tensors, constants):
        return network.add_topk(tensors[0], trt.TopKOperation.MAX, k, 1 << 1)

    return build


def one_hot(network, tensors, constants):
    depth, values = (constant(network, array) for array in constants)
    return network.add_one_hot(tensors[0], values, depth, -1)


def sampled(network, tensors, constants):
    layer = network.add_grid_sample(*tensors)
    layer.interpolation_mode = trt.InterpolationMode.LINEAR
    layer.sample_mode = trt.SampleMode.FILL
    layer.align_corners = False
    return layer


def scattered(mode):
    def build(network, tensors, constants):
        data, indices, updates = tensors
        layer = network.add_scatter(data, indices, updates, getattr(trt.ScatterMode, mode))
        if mode == "ELEMENT":
            layer.axis = 1
        return layer

    return build


def places(shape):
    """Different indices along the last axis, or different rows."""
    random = np.random.default_rng(9).random(shape)
    return random.argsort(axis=-1 if shape[-1] > 1 else 0).astype(np.int64)


def reversed_sequences(network, tensors, constants):
    layer = network.add_reverse_sequence(*tensors)
    layer.batch_axis, layer.sequence_axis = 1, 0
    return layer


def summed(network, tensors, constants):
    axis = constant(network, np.array(1, np.int32))
    return network.add_cumulative(tensors[0], axis, trt.CumulativeOperation.SUM, False, False)


def quantized(method, wanted):
    def build(network, tensors, constants):
        return getattr(network, method)(tensors[0], constant(network, constants[0]), wanted)

    return build


def kernel_attributes(extent, stride=1, pad=0, **others):
    return {
        "kernel_shape": [extent] * 2, "strides": [stride] * 2, "pads": [pad] * 4, **others
    }  # fmt: skip


POINTWISE = [
    Layer(name, name, TOKENS)
    for name in ("Relu", "Sigmoid", "Tanh", "Elu", "HardSwish", "Softplus", "Erf", "Exp", "Abs",
                 "Floor", "Sin")
]  # fmt: skip
POINTWISE += [
    Layer("Gelu", "Gelu", TOKENS),
    Layer("Gelu_tanh", "Gelu", TOKENS, {"approximate": "tanh"}),
    Layer("Sqrt", "Sqrt", TOKENS, values={0: (np.float32, 0.0, 4.0)}),
    Layer("Log", "Log", TOKENS, values={0: (np.float32, 0.1, 4.0)}),
    Layer("LeakyRelu", "LeakyRelu", TOKENS, {"alpha": 0.1}),
    Layer("PRelu", "PRelu", IMAGES, constants=lambda s: [weights(s[0][1], 1, 1)]),
    Layer("Add", "Add", twice(TOKENS)),
    Layer("Add_bias", "Add", TOKENS, constants=lambda s: [weights(s[0][-1])]),
    Layer("Mul_channels", "Mul", [[s[0], (s[0][0], s[0][1], 1, 1)] for s in IMAGES]),
    Layer("Div", "Div", twice(TOKENS), values={1: (np.float32, 0.5, 2.0)}),
    Layer("Max", "Max", twice(TOKENS)),
    Layer("Greater", "Greater", twice(TOKENS)),
    Layer("Where", "Where", [[s[0]] * 3 for s in TOKENS], values={0: (np.bool_, 0, 1)}),
    Layer("Cast_to_int64", "Cast", TOKENS, {"to": 7}),
    Layer("Cast_from_uint8", "Cast", IMAGES, {"to": 1}, values={0: (np.uint8, 0, 255)}),
]

REDUCTIONS = [
    Layer("Softmax", "Softmax", SCORES, {"axis": -1}),
    Layer("Softmax_channels", "Softmax", IMAGES, {"axis": 1}),
    Layer("ReduceSum_rows", "ReduceSum", ROWS, {"keepdims": 1}, lambda s: [longs(-1)],
          tolerance=1e-3),
    Layer("ReduceMean_images", "ReduceMean", IMAGES, {"keepdims": 1}, lambda s: [longs(2, 3)]),
    Layer("ReduceMax_channels", "ReduceMax", IMAGES, {"keepdims": 0}, lambda s: [longs(1)]),
    Layer("LayerNormalization", "LayerNormalization", TOKENS, {"axis": -1},
          lambda s: [weights(s[0][-1]), weights(s[0][-1])], tolerance=1e-3),
    Layer("LRN", "LRN", IMAGES, {"size": 5}),
    Layer("BatchNormalization", "BatchNormalization", IMAGES, {},
          lambda s: [weights(64), weights(64), weights(64), weights(64) + 1]),
]  # fmt: skip

PRODUCTS = [
    Layer("MatMul", "MatMul", [[(1, 768)], [(128, 768)], [(1024, 768)]],
          constants=lambda s: [weights(768, 768)], tolerance=1e-3),
    Layer("MatMul_batched", "MatMul",
          [[(12, 16, 64), (12, 64, 16)], [(12, 128, 64), (12, 64, 128)],
           [(12, 512, 64), (12, 64, 512)]], tolerance=1e-3),
    Layer("Conv_1x1", "Conv", IMAGES, kernel_attributes(1), kernels(64, 1), tolerance=1e-3),
    Layer("Conv_3x3", "Conv", IMAGES, kernel_attributes(3, pad=1), kernels(64, 3), tolerance=1e-3),
    Layer("Conv_depthwise", "Conv", IMAGES, kernel_attributes(3, pad=1, group=64),
          kernels(64, 3, 64)),
    Layer("Conv_5x5_stride_2", "Conv", IMAGES, kernel_attributes(5, 2, 2), kernels(32, 5),
          tolerance=1e-3),
    Layer("Einsum", "Einsum",
          [[(1, 16, 8, 64), (1, 16, 8, 64)], [(2, 64, 8, 64), (2, 64, 8, 64)],
           [(4, 256, 8, 64), (4, 256, 8, 64)]], {"equation": "bqhd,bkhd->bhqk"}, tolerance=1e-3,
          build=einsum),
    Layer("ConvTranspose", "ConvTranspose", IMAGES, kernel_attributes(4, 2, 1),
          lambda s: [weights(64, 32, 4, 4), weights(32)], tolerance=1e-3, build=deconvolved),
]  # fmt: skip

HALF_PIXEL = trt.ResizeCoordinateTransformation.HALF_PIXEL


def doubled(shapes):
    return [np.array([1, 1, 2, 2], np.float32)]


WINDOWS = [
    Layer("MaxPool", "MaxPool", IMAGES, kernel_attributes(3, 2, 1)),
    Layer("AveragePool", "AveragePool", IMAGES, kernel_attributes(3, 1, 1)),
    Layer("GlobalAveragePool", "GlobalAveragePool", IMAGES),
    Layer("Resize_nearest", "Resize", IMAGES,
          {"mode": "nearest", "coordinate_transformation_mode": "asymmetric",
           "nearest_mode": "floor"}, doubled, holes=(1,),
          build=resized("NEAREST", nearest_rounding=trt.ResizeRoundMode.FLOOR,
                        coordinate_transformation=trt.ResizeCoordinateTransformation.ASYMMETRIC)),
    Layer("Resize_linear", "Resize", IMAGES, {"mode": "linear"}, doubled, holes=(1,),
          build=resized("LINEAR", coordinate_transformation=HALF_PIXEL)),
    Layer("Resize_cubic", "Resize", IMAGES, {"mode": "cubic"}, doubled, holes=(1,), tolerance=1e-3,
          build=resized("CUBIC", coordinate_transformation=HALF_PIXEL)),
    Layer("GridSample", "GridSample",
          [[s[0], (s[0][0], s[0][2], s[0][3], 2)] for s in IMAGES], {"mode": "linear"},
          values={1: (np.float32, -1.1, 1.1)}, tolerance=1e-3, build=sampled),
]  # fmt: skip

MOVES = [
    Layer("Transpose_0213", "Transpose",
          [[(1, 16, 12, 64)], [(1, 128, 12, 64)], [(8, 256, 12, 64)]], {"perm": [0, 2, 1, 3]}),
    Layer("Transpose_to_channels_last", "Transpose", IMAGES, {"perm": [0, 2, 3, 1]}),
    Layer("Concat", "Concat", twice(IMAGES), {"axis": 1}),
    Layer("Slice", "Slice", TOKENS,
          constants=lambda s: [longs(0), longs(s[0][-1] // 3), longs(-1)]),
    Layer("Slice_steps", "Slice", IMAGES,
          constants=lambda s: [longs(0, 0), longs(1000, 1000), longs(2, 3), longs(2, 2)]),
    Layer("Gather_rows", "Gather", [[(1000, 768), (1, 16)], [(30000, 768), (1, 128)],
                                    [(30000, 768), (8, 256)]],
          {"axis": 0}, values={1: (np.int64, 0, 999)}),
    Layer("GatherElements", "GatherElements", twice(ROWS), {"axis": 1},
          values={1: (np.int64, 0, 500)}),
    Layer("GatherND", "GatherND", [[(64, 64, 32), (100, 2)], [(64, 64, 64), (4000, 2)],
                                   [(256, 256, 64), (100000, 2)]], values={1: (np.int64, 0, 63)}),
    Layer("Expand", "Expand", [[(1, 1, 64)], [(12, 1, 128)], [(12, 1, 1024)]],
          constants=lambda s: [longs(s[0][0], 128, s[0][2])]),
    Layer("Pad", "Pad", IMAGES, constants=lambda s: [longs(0, 0, 1, 1, 0, 0, 1, 1)]),
    Layer("Tile", "Tile", [[(1, 16, 64)], [(1, 128, 256)], [(4, 256, 1024)]],
          constants=lambda s: [longs(1, 2, 2)]),
    Layer("DepthToSpace", "DepthToSpace", IMAGES, {"blocksize": 2}),
    Layer("Trilu", "Trilu", SCORES, {"upper": 0}),
    Layer("OneHot", "OneHot", [[(16,)], [(512,)], [(8192,)]],
          constants=lambda s: [np.array(1000, np.int64), np.array([0, 1], np.float32)],
          values={0: (np.int64, 0, 999)}, build=one_hot),
    Layer("ScatterElements", "ScatterElements", [[s[0], s[0], s[0]] for s in ROWS], {"axis": 1},
          values={1: places}, build=scattered("ELEMENT")),
    Layer("ScatterND", "ScatterND", [[(100, 64), (16, 1), (16, 64)],
                                     [(1000, 768), (256, 1), (256, 768)],
                                     [(30000, 768), (2048, 1), (2048, 768)]],
          values={1: places}, build=scattered("ND")),
    Layer("ReverseSequence", "ReverseSequence", [[(16, 4, 64), (4,)], [(128, 16, 256), (16,)],
                                                 [(256, 64, 512), (64,)]],
          {"batch_axis": 1, "time_axis": 0}, values={1: (np.int64, 1, 16)},
          build=reversed_sequences),
]  # fmt: skip

ORDERED = [
    Layer("TopK_5", "TopK", ROWS, {"axis": -1}, lambda s: [longs(5)], outputs=2, build=best(5)),
    Layer("TopK_100", "TopK", [[(1, 1000)], [(128, 768)], [(64, 50000)]], {"axis": -1},
          lambda s: [longs(100)], outputs=2, build=best(100)),
    Layer("TopK_1", "TopK", [[(1, 1000)], [(128, 768)], [(32, 50257)]], {"axis": -1},
          lambda s: [longs(1)], outputs=2, build=best(1)),
    Layer("CumSum", "CumSum", ROWS, {}, lambda s: [np.array(1, np.int64)], tolerance=1e-3,
          build=summed),
]  # fmt: skip

NARROW = [
    Layer("QuantizeLinear", "QuantizeLinear", TOKENS, {},
          lambda s: [np.array(0.02, np.float32), np.array(0, np.int8)], tolerance=1.01,
          build=quantized("add_quantize", trt.int8)),
    Layer("DequantizeLinear", "DequantizeLinear", TOKENS, {},
          lambda s: [np.array(0.02, np.float32), np.array(0, np.int8)],
          values={0: (np.int8, -127, 127)},
          build=quantized("add_dequantize", trt.float32)),
]  # fmt: skip

LAYERS = {
    layer.name: layer
    for layer in (
        *POINTWISE, *REDUCTIONS, *PRODUCTS, *WINDOWS, *MOVES, *ORDERED, *NARROW
    )
}  # fmt: skip
