// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// OneHot, EyeLike and Hardmax: ones at indices, zeros elsewhere.
// Layer: fill, elementwise and select.

#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

// The numbers 0, 1, ... along `axis` of a tensor of the given rank.
Term along(Term count, int32_t axis, int32_t rank) {
    Axes others = axesBetween(0, rank);
    others.erase(others.begin() + axis);
    return Term::range(count).inserted(others);
}

void importOneHot(NodeContext& context) {
    Term const indices = Term::input(context, 0).cast(DataType::kINT64);
    Term depth = Term::input(context, 1);
    depth = (depth.rank() == 0 ? depth.inserted({0}) : depth).cast(DataType::kINT64);
    Term const values = Term::input(context, 2);
    int32_t const rank = indices.rank() + 1;
    int32_t const axis = toAxis(context.attributes().integer("axis", -1), rank);
    Term const wrapped = (indices < 0.0).choose(indices + depth, indices);
    Term const isHot = wrapped.inserted({axis}) == along(depth, axis, rank);
    context.setOutput(0, isHot.choose(values.sliced(0, 1, 1), values.sliced(0, 0, 1)).value());
}

void importEyeLike(NodeContext& context) {
    Term const x = Term::input(context, 0);
    auto& attributes = context.attributes();
    auto const number =
        static_cast<ElementType>(toInt32(attributes.integer("dtype", 0), "attribute 'dtype'"));
    DataType const type =
        attributes.has("dtype") ? requireDataType(number, "attribute 'dtype'") : x.type();
    Term const difference = along(x.extent(1), 1, 2) - along(x.extent(0), 0, 2);
    auto const k = static_cast<double>(attributes.integer("k", 0));
    context.setOutput(0, (difference == k).cast(type).value());
}

// The first of the largest elements. Before operator set 13 the axes from `axis` on are one.
void importHardmax(NodeContext& context) {
    Term x = Term::input(context, 0);
    Dims const dims = x.dims();
    bool const oneAxis = context.opset() >= 13;
    int32_t axis = toAxis(context.attributes().integer("axis", oneAxis ? -1 : 1), x.rank());
    Term const shape = x.shape();
    bool const flattens = !oneAxis && axis < x.rank() - 1;
    if (flattens) {
        Term const rows =
            axis == 0 ? Term::vector(context, {1}) : x.extents(axesBetween(0, axis)).product({0});
        Term const columns = x.extents(axesBetween(axis, dims.nbDims)).product({0});
        x = x.reshaped(Term::joined({rows, columns}, 0));
        axis = 1;
    }
    auto* best = context.network().addTopK(x.tensor(), nvinfer1::TopKOperation::kMAX, 1,
                                           1U << static_cast<uint32_t>(axis), DataType::kINT64);
    Term const index = x.of(best, 1);
    Term const result = (along(x.extent(axis), axis, x.rank()) == index).cast(x.type());
    context.setOutput(0, (flattens ? result.reshaped(shape) : result).value());
}

} // namespace

void registerImporter_one_hot(ImporterRegistry& registry) {
    registry.add("OneHot", importOneHot);
    registry.add("EyeLike", importEyeLike);
    registry.add("Hardmax", importHardmax);
}

} // namespace kiln::onnx
