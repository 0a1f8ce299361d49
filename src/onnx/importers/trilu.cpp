// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Trilu: the upper or lower triangle of matrices, zeros elsewhere. Element [row, column] of the
// upper triangle has column > row + k - 1. Fill layers count rows and columns; as float32, where
// that is exact, the comparison and the choice are one pass over the data.
// Layer: fill, elementwise and select. `k` is a constant.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

#include <algorithm>
#include <cstring>
#include <vector>

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

// Rows and columns up to here are counted as float32.
constexpr int64_t kMostCounted = int64_t{1} << 23;

// The numbers start, start + 1, ... along `axis` of the tensor, with extent 1 along its other axes.
ITensor& countedAlong(NodeContext& context, ShapeMath& math, ITensor& tensor, int32_t axis,
                      int64_t start, bool asFloats, std::string_view name) {
    int32_t const rank = context.dims(tensor).nbDims;
    auto& network = context.network();
    auto* fill = network.addFill(repeatedDims(1, 0, name), nvinfer1::FillOperation::kLINSPACE,
                                 DataType::kINT64);
    auto& range = context.named(fill, name);
    range.setInput(0, math.extents(tensor, {axis}));
    range.setAlphaInt64(start);
    range.setBetaInt64(1);
    ITensor* numbers = range.getOutput(0);
    if (asFloats) {
        auto* cast = network.addCast(*numbers, DataType::kFLOAT);
        numbers = context.named(cast, text(name, "_as_float")).getOutput(0);
    }
    std::vector<int32_t> others;
    for (int32_t i = 0; i < rank; ++i) {
        if (i != axis) {
            others.push_back(i);
        }
    }
    return *insertAxes(context, Value(*numbers), others, name).tensor;
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
    auto const& dims = context.dims(tensor);
    auto const isCounted = [&](int32_t axis) {
        return dims.d[axis] >= 0 && dims.d[axis] <= kMostCounted;
    };
    bool const asFloats = isCounted(rank - 2) && isCounted(rank - 1);
    ShapeMath math(context);
    ITensor& rows =
        countedAlong(context, math, tensor, rank - 2, upper ? k - 1 : k + 1, asFloats, "rows");
    ITensor& columns = countedAlong(context, math, tensor, rank - 1, 0, asFloats, "columns");
    auto& network = context.network();
    auto* compare = network.addElementWise(
        columns, rows, upper ? ElementWiseOperation::kGREATER : ElementWiseOperation::kLESS);
    ITensor& mask = *context.named(compare, "inside").getOutput(0);
    context.setOutput(
        context.named(network.addSelect(mask, tensor, zeroOf(context, tensor.getType(), rank))));
}

} // namespace

void registerImporter_trilu(ImporterRegistry& registry) {
    registry.add("Trilu", importTrilu);
}

} // namespace kiln::onnx
