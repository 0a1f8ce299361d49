// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/quantized_blas_product.h"

#include "base/checked.h"
#include "graph/ops/activation.h"

namespace kiln::targets::cuda {
namespace {

/// Whether a window of one position moves over all positions.
bool isPlain(QuantizedArguments const& arguments) {
    auto const whole = [](QuantizedAxis const& axis) {
        return axis.size == 1 && axis.stride == 1 && axis.before == 0 && axis.input == axis.output;
    };
    return arguments.taps == 0 ||
           (whole(arguments.depth) && whole(arguments.height) && whole(arguments.width));
}

/// The function of the only operation behind the anchor; false if there are others.
bool functionBehind(graph::Region const& chain, MatmulEpilogue::Function& function) {
    if (chain.nodes().empty()) {
        return true;
    }
    graph::Op const& op = *chain.nodes().front().op;
    bool const relu =
        chain.nodes().size() == 1 && op.kind() == graph::Activation::kKind &&
        static_cast<graph::Activation const&>(op).type == nvinfer1::ActivationType::kRELU;
    function = MatmulEpilogue::Function::kRelu;
    return relu;
}

} // namespace

QuantizedBlas::QuantizedBlas(QuantizedRegion const& region,
                             std::span<target::OperandType const> inputs,
                             target::OperandType const& output, std::vector<bool> const& constant)
    : types_(inputs[region.left()].type, DataType::kFLOAT) {
    if (types_.areWhole()) {
        types_.result = DataType::kINT32;
        return;
    }
    MatmulEpilogue::Function function = MatmulEpilogue::Function::kNone;
    direct_ = region.bias() < 0 && constant[region.leftScale()] && constant[region.rightScale()] &&
              isFloating(output.type) && functionBehind(region.chain(), function);
    if (direct_) {
        types_.result = output.type;
        epilogue_.function = function;
    }
}

std::string QuantizedBlas::problem(QuantizedArguments const& arguments) const {
    constexpr int32_t kMultiple = 16; // bytes, and more than cuBLASLt needs of int8
    if (!isPlain(arguments)) {
        return "expected a product, or a window of one position";
    }
    if (types_.operands != DataType::kINT8 && types_.operands != DataType::kFP8) {
        return fmt::format("expected int8 or fp8, got {}", nameOf(types_.operands));
    }
    if (arguments.loops > 1 || arguments.wideLeft == 0 || arguments.wideRight == 0) {
        return "expected a batch of matrices with terms along their rows";
    }
    if (arguments.terms == 0 || arguments.terms % kMultiple != 0 ||
        arguments.columns % kMultiple != 0 || arguments.resultRow != arguments.columns) {
        return fmt::format("expected terms and columns in multiples of {}, got {} and {}",
                           kMultiple, arguments.terms, arguments.columns);
    }
    if (direct_ && arguments.scaleColumn != 0) {
        return "expected one scale for all columns";
    }
    return {};
}

MatrixProduct QuantizedBlas::product(QuantizedArguments const& arguments) const {
    MatrixProduct product;
    QuantizedLoop const& loop = arguments.batch[0];
    product.inner = arguments.terms;
    product.batch = arguments.loops == 0 ? 1 : loop.extent;
    // One row has no distance to the next; BLAS checks it all the same.
    int64_t const leftRow = std::max<int64_t>(arguments.leftRow, arguments.terms);
    product.a = {arguments.terms, arguments.columns, arguments.rightColumn, true, loop.right};
    product.b = {arguments.terms, arguments.rows, leftRow, false, loop.left};
    product.c = {arguments.columns, arguments.rows, arguments.columns, false,
                 arguments.columns * arguments.rows};
    product.calls = {{}};
    return product;
}

std::size_t QuantizedBlas::sumBytes(QuantizedArguments const& arguments) const {
    constexpr std::size_t kAlignment = 256;
    auto const elements =
        static_cast<std::size_t>(arguments.allRows) * static_cast<std::size_t>(arguments.columns);
    return direct_ ? 0 : roundUp(elements * 4, kAlignment);
}

} // namespace kiln::targets::cuda
