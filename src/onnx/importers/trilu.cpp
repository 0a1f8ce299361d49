// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Trilu: the upper or lower triangle of matrices, zeros elsewhere. Element [row, column] of the
// upper triangle has column - row >= k. A fill layer computes column - row.
// Layer: fill, elementwise and select. `k` is a constant.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

#include <algorithm>
#include <cstring>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;

namespace {

// Eight zero bytes are a zero of every type.
ITensor& zeroOf(NodeContext& context, DataType type, int32_t rank) {
    std::byte* const bytes = context.tensors().store.allocate(sizeof(int64_t));
    std::memset(bytes, 0, sizeof(int64_t));
    auto* layer = context.network().addConstant(repeatedDims(rank, 1, "scalar"), {type, bytes, 1});
    return *context.named(layer, "zero").getOutput(0);
}

ITensor& scalarOf(NodeContext& context, int64_t value, int32_t rank, std::string_view name) {
    Constant const constant = constantOf(context, {value}, 1).constant;
    auto* layer = context.network().addConstant(repeatedDims(rank, 1, "scalar"), constant.weights);
    return *context.named(layer, name).getOutput(0);
}

void importTrilu(NodeContext& context) {
    ITensor& tensor = context.tensor(0);
    int32_t const rank = context.dims(tensor).nbDims;
    if (rank < 2) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 0: expected 2 dimensions or more, got ", rank, "."));
    }
    int64_t k = 0;
    if (context.hasInput(1)) {
        auto const given = context.integers(1, "k", 1);
        k = given.empty() ? 0 : std::clamp(given[0], -kFarthest, kFarthest);
    }
    bool const upper = context.attributes().flag("upper", true);
    auto& network = context.network();
    ShapeMath math(context);
    auto* fill = network.addFill(repeatedDims(2, 0, "matrix"), nvinfer1::FillOperation::kLINSPACE,
                                 DataType::kINT64);
    auto& difference = context.named(fill, "difference");
    difference.setInput(0, math.extents(tensor, {rank - 2, rank - 1}));
    difference.setInput(1, scalarOf(context, 0, 0, "start"));
    difference.setInput(2, math.vector({-1, 1}));
    ITensor& bound = scalarOf(context, upper ? k - 1 : k + 1, 2, "bound");
    auto* compare = network.addElementWise(*difference.getOutput(0), bound,
                                           upper ? ElementWiseOperation::kGREATER
                                                 : ElementWiseOperation::kLESS);
    ITensor& inside = *context.named(compare, "inside").getOutput(0);
    ITensor& mask = withRank(context, inside, rank, "mask");
    context.setOutput(
        context.named(network.addSelect(mask, tensor, zeroOf(context, tensor.getType(), rank))));
}

} // namespace

void registerImporter_trilu(ImporterRegistry& registry) {
    registry.add("Trilu", importTrilu);
}

} // namespace kiln::onnx
