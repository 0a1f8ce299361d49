// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "extra_layers.h"

#include <optional>

#include <fmt/format.h>
#include <kiln/extra_layers.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "layer_bindings.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

ILayer* addRoiAlign(INetworkDefinition& network, ITensor& images, ITensor& boxes, ITensor& batch,
                    int64_t height, int64_t width, int32_t samplingRatio, RoiPooling pooling,
                    float scale, bool halfPixel) {
    return kiln::addRoiAlign(network, images, boxes, batch,
                             {height, width, samplingRatio, pooling, scale, halfPixel});
}

/// An axis from the end needs the rank, which the C++ function leaves to its caller.
ILayer* addUnique(INetworkDefinition& network, ITensor& input, bool sorted,
                  std::optional<int32_t> axis) {
    int32_t const rank = input.getDimensions().nbDims;
    if (axis && (*axis < -rank || *axis >= rank)) {
        throw py::value_error(fmt::format("[network] add_unique: expected an axis from {} to {}, "
                                          "or None, got {}",
                                          -rank, rank - 1, *axis));
    }
    int32_t const fromFront = !axis ? -1 : *axis < 0 ? *axis + rank : *axis;
    return kiln::addUnique(network, input, sorted, fromFront);
}

void addDoubleOperations(py::module_& m) {
    using E = DoubleOperation;
    defineEnum<E>(m, "DoubleOperation", "What add_double_math computes.",
                  {
                      {"FROM_FLOAT", E::kFROM_FLOAT},
                      {"FROM_INTEGER", E::kFROM_INTEGER},
                      {"TO_FLOAT", E::kTO_FLOAT},
                      {"TO_INTEGER", E::kTO_INTEGER},
                      {"NEG", E::kNEG},
                      {"ABS", E::kABS},
                      {"FLOOR", E::kFLOOR},
                      {"CEIL", E::kCEIL},
                      {"ROUND", E::kROUND},
                      {"SQRT", E::kSQRT},
                      {"SUM", E::kSUM},
                      {"SUB", E::kSUB},
                      {"PROD", E::kPROD},
                      {"DIV", E::kDIV},
                      {"MAX", E::kMAX},
                      {"MIN", E::kMIN},
                      {"EQUAL", E::kEQUAL},
                      {"LESS", E::kLESS},
                      {"LESS_EQUAL", E::kLESS_EQUAL},
                  });
}

void addEnums(py::module_& m) {
    addDoubleOperations(m);
    {
        using E = RoiPooling;
        defineEnum<E>(m, "RoiPooling", "How add_roi_align makes one element of a bin.",
                      {
                          {"AVERAGE", E::kAVERAGE},
                          {"MAX", E::kMAX},
                          {"BINS", E::kBINS},
                      });
    }
    {
        using E = ScatterReduction;
        defineEnum<E>(m, "ScatterReduction", "How updates combine with the elements they meet.",
                      {
                          {"NONE", E::kNONE},
                          {"SUM", E::kSUM},
                          {"PROD", E::kPROD},
                          {"MAX", E::kMAX},
                          {"MIN", E::kMIN},
                      });
    }
}

} // namespace

void addExtraLayers(py::module_& m) {
    addEnums(m);
    m.def("add_roi_align", &addRoiAlign, "network"_a, "images"_a, "boxes"_a, "batch"_a,
          "height"_a = 1, "width"_a = 1, "sampling_ratio"_a = 0, "pooling"_a = RoiPooling::kAVERAGE,
          "scale"_a = 1.0F, "half_pixel"_a = true, kInternal,
          "Adds a layer that crops boxes out of images and brings them to one size; returns an "
          "ILayer, None on failure.\n\n"
          "images: [batch, channels, rows, columns], float32 | float16 | bfloat16. boxes: [boxes, "
          "4], floating point: left, top, right, bottom. batch: [boxes], int32 | int64: the image "
          "of each box; boxes of images that do not exist give zeros. height, width: of the "
          "output, [boxes, channels, height, width], of the images' type.\n"
          "sampling_ratio: samples of a bin along each axis; 0: as many as it has elements, "
          "rounded up. pooling: AVERAGE, the mean of bilinear samples; MAX, the largest product of "
          "an element and its weight; BINS, the largest element of a bin with whole borders. "
          "scale: multiplies the boxes. half_pixel: coordinates are those of pixels' corners.\n"
          "Source: ONNX RoiAlign-16; MaxRoiPool-1 for BINS.\n\n"
          "    layer = kiln.add_roi_align(network, images, boxes, batch, 7, 7, scale=1 / 16)\n"
          "    network.mark_output(layer.get_output(0))");
    m.def("add_unique", &addUnique, "network"_a, "input"_a, "sorted"_a = true,
          "axis"_a = py::none(), kInternal,
          "Adds a layer that finds the different elements of a tensor, or its different slices; "
          "returns an ILayer, None on failure.\n\n"
          "input: of any type of whole bytes but the 8-bit floats; NaN is above all numbers and "
          "equal to itself. sorted: ascending, else in the order of first occurrence. axis: int, "
          "of the slices; None: the elements, flattened. Raises ValueError for an axis that does "
          "not exist.\n"
          "Outputs, n being the number of different elements, which each run finds: these, [n] or "
          "the input's shape with n along the axis; and, int64, where each occurs first, [n], "
          "which of them each element or slice of the input is, and how often each occurs, [n].\n"
          "Source: ONNX Unique-11.\n\n"
          "    layer = kiln.add_unique(network, words)\n"
          "    words, first, inverse, counts = map(layer.get_output, range(4))");
    m.def("add_determinant", &addDeterminant, "network"_a, "input"_a, kInternal,
          "Adds the determinants of the square matrices in the last two axes; returns an ILayer, "
          "None on failure.\n\n"
          "input: [..., n, n], float32 | float16 | bfloat16. Source: ONNX Det-11.\n\n"
          "    volumes = kiln.add_determinant(network, matrices).get_output(0)");
    m.def("add_bit_cast", &addBitCast, "network"_a, "input"_a, "dtype"_a, kInternal,
          "Adds the bits of a tensor as elements of another type; returns an ILayer, None on "
          "failure.\n\n"
          "dtype: DataType, of as many bits as that of the input. Source: ONNX BitCast-26.\n\n"
          "    bits = kiln.add_bit_cast(network, numbers, kiln.int32).get_output(0)");
    m.def(
        "add_double_math", &addDoubleMath, "network"_a, "x"_a, "y"_a, "operation"_a, kInternal,
        "Adds arithmetic of float64 on int64 tensors that hold the bits of the numbers; returns an "
        "ILayer, None on failure. It is slow: for a few numbers that decide how often a loop "
        "runs.\n\n"
        "x: int64, bits of float64; float32 for FROM_FLOAT, integers for FROM_INTEGER. y: the "
        "second operand of SUM and what follows, of the shape of x unless one of them has one "
        "element; else None. operation: DoubleOperation.\n"
        "Output: int64, bits of float64; float32 for TO_FLOAT, integers for TO_INTEGER, bool for "
        "EQUAL, LESS and LESS_EQUAL.\n\n"
        "    wide = kiln.add_double_math(network, numbers, None, kiln.DoubleOperation.FROM_FLOAT)\n"
        "    t = wide.get_output(0)\n"
        "    twice = kiln.add_double_math(network, t, t, kiln.DoubleOperation.SUM).get_output(0)");
    m.def("set_scatter_reduction", &setScatterReduction, "layer"_a, "reduction"_a,
          "Makes a scatter layer combine updates with the data; returns whether it was done.\n\n"
          "layer: IScatterLayer. reduction: ScatterReduction; each of several updates of one "
          "element counts. On the target cuda their order, and so the rounding of sums, may differ "
          "from run to run.\n\n"
          "    layer = network.add_scatter(data, indices, updates, kiln.ScatterMode.ND)\n"
          "    kiln.set_scatter_reduction(layer, kiln.ScatterReduction.SUM)");
}

} // namespace kiln::python
