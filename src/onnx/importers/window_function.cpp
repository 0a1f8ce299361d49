// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// HannWindow, HammingWindow and BlackmanWindow: sums of cosines of 2 * pi * n / size.
// Layer: fill, elementwise and unary. The size may be computed from extents.

#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <numbers>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

Term cosineOf(Term position, double multiple) {
    return (position * (2.0 * std::numbers::pi * multiple)).cos();
}

template <int kA, int kB, int kC> // in units of 1e-8; kC of the second cosine
void importWindow(NodeContext& context) {
    auto& attributes = context.attributes();
    bool const periodic = attributes.flag("periodic", true);
    auto const number = static_cast<ElementType>(
        toInt32(attributes.integer("output_datatype", 1), "attribute 'output_datatype'"));
    Term size = Term::input(context, 0).cast(DataType::kINT64);
    size = size.rank() == 0 ? size.inserted({0}) : size;
    Term const span = (periodic ? size : size - 1).cast(DataType::kFLOAT);
    Term const position = Term::range(size).cast(DataType::kFLOAT) / span;
    constexpr double kUnit = 1e-8;
    Term result = position.like(kA * kUnit) - cosineOf(position, 1) * (kB * kUnit);
    if constexpr (kC != 0) {
        result = result + cosineOf(position, 2) * (kC * kUnit);
    }
    context.setOutput(0,
                      result.cast(requireDataType(number, "attribute 'output_datatype'")).value());
}

} // namespace

void registerImporter_window_function(ImporterRegistry& registry) {
    registry.add("HannWindow", importWindow<50000000, 50000000, 0>);
    registry.add("HammingWindow", importWindow<54347826, 45652174, 0>);
    registry.add("BlackmanWindow", importWindow<42000000, 50000000, 8000000>);
}

} // namespace kiln::onnx
