// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Operators of two or more tensors with broadcasting: arithmetic, comparisons, logic. Ranks are
// made equal with leading extents of 1.
// Layer: elementwise. Ranks are made equal by leading extents of 1.

#include "onnx/control_flow.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"
#include "onnx/term.h"

#include <algorithm>
#include <optional>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;

namespace {

// Two operands of equal rank. UINT8 and INT8 are computed in INT32: the kernels have no others.
struct Operands {
    Term x;
    Term y;
    DataType type; // of the inputs
};

Operands operandsOf(NodeContext& context) {
    int32_t const rank =
        std::max(context.dims(context.input(0)).nbDims, context.dims(context.input(1)).nbDims);
    Term const x(context, withRank(context, 0, rank));
    Term const y(context, withRank(context, 1, rank));
    DataType const type = x.type();
    bool const isNarrow = type == DataType::kUINT8 || type == DataType::kINT8;
    return isNarrow ? Operands{x.cast(DataType::kINT32), y.cast(DataType::kINT32), type}
                    : Operands{x, y, type};
}

// Gives the result the type of the operands, unless it is a truth value.
void setResult(NodeContext& context, Term result, DataType type) {
    bool const same = result.type() == DataType::kBOOL || result.type() == type;
    context.setOutput(0, (same ? result : result.cast(type)).value());
}

// x - floor(x / y) * y, which has the sign of y.
std::optional<int64_t> remainderOf(int64_t x, int64_t y) {
    if (y == 0 || y == -1) {
        return y == 0 ? std::nullopt : std::optional<int64_t>(0); // the lowest x / -1 overflows
    }
    int64_t const rest = x % y;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

// kFLOOR_DIV stands for the remainder of the floored division.
std::optional<int64_t> computed(ElementWiseOperation operation, int64_t x, int64_t y) {
    int64_t result = 0;
    if (operation == ElementWiseOperation::kFLOOR_DIV) {
        return remainderOf(x, y);
    }
    bool const beyond =
        operation == ElementWiseOperation::kSUM   ? __builtin_add_overflow(x, y, &result)
        : operation == ElementWiseOperation::kSUB ? __builtin_sub_overflow(x, y, &result)
                                                  : __builtin_mul_overflow(x, y, &result);
    return beyond ? std::nullopt : std::optional(result);
}

// Folds sums, differences, products and remainders of INT64 constants, because models compute axes
// like this. One operand has a single element, or both have the same size.
std::optional<Value> folded(NodeContext& context, ElementWiseOperation operation) {
    Value const& left = context.input(0);
    Value const& right = context.input(1);
    auto const isInteger = [](Value const& value) {
        return value.isConstant && value.constant.weights.type == nvinfer1::DataType::kINT64 &&
               value.constant.dims.nbDims <= 1 && value.constant.weights.count <= kMostFolded;
    };
    if (!isInteger(left) || !isInteger(right)) {
        return std::nullopt;
    }
    auto const x = integersOf(left.constant, "x");
    auto const y = integersOf(right.constant, "y");
    if (x.size() != y.size() && x.size() != 1 && y.size() != 1) {
        return std::nullopt; // the network reports the error
    }
    std::vector<int64_t> results;
    for (size_t i = 0; i < (x.size() == 1 ? y.size() : x.size()); ++i) {
        auto const result = computed(operation, x[x.size() == 1 ? 0 : i], y[y.size() == 1 ? 0 : i]);
        if (!result) {
            return std::nullopt;
        }
        results.push_back(*result);
    }
    return constantOf(context, results,
                      std::max(left.constant.dims.nbDims, right.constant.dims.nbDims));
}

// A slice of data needs to know that its end is so many elements behind its start.
void noteOffset(NodeContext& context) {
    for (size_t i = 0; i < 2; ++i) {
        Value const& base = context.input(i);
        auto const offset = base.isConstant ? std::nullopt : knownNumber(context.input(1 - i));
        if (offset) {
            Value sum = context.outputs().front();
            sum.base = base.base != nullptr ? base.base : base.tensor;
            sum.offset = sumOf(base.base != nullptr ? base.offset : 0, *offset, "offset");
            context.setOutput(0, sum);
            return;
        }
    }
}

template <ElementWiseOperation kOperation>
void importBinary(NodeContext& context) {
    constexpr bool kFolds = kOperation == ElementWiseOperation::kSUM ||
                            kOperation == ElementWiseOperation::kSUB ||
                            kOperation == ElementWiseOperation::kPROD;
    if constexpr (kFolds) {
        if (auto const value = folded(context, kOperation)) {
            context.setOutput(0, *value);
            return;
        }
    }
    auto const [x, y, type] = operandsOf(context);
    auto* layer = context.network().addElementWise(x.tensor(), y.tensor(), kOperation);
    setResult(context, Term(context, *context.named(layer).getOutput(0)), type);
    if constexpr (kOperation == ElementWiseOperation::kSUM) {
        noteOffset(context);
    }
}

// The remainder of integers, with the sign of the divisor, or of the dividend if `fmod` is set.
void importMod(NodeContext& context) {
    bool const truncates = context.attributes().flag("fmod", false);
    auto const value = truncates ? std::nullopt : folded(context, ElementWiseOperation::kFLOOR_DIV);
    if (value) {
        context.setOutput(0, *value);
        return;
    }
    auto const [x, y, type] = operandsOf(context);
    if (isReal(type)) {
        Term const ratio = x / y;
        Term const quotient =
            truncates
                ? (ratio < 0.0).choose(ratio.unary(nvinfer1::UnaryOperation::kCEIL), ratio.floor())
                : ratio.floor();
        Term const rest = x - quotient * y;
        // The remainder of an infinite divisor is the dividend.
        bool const signs = !truncates;
        Term const infinite = y.unary(nvinfer1::UnaryOperation::kISINF);
        Term const opposite = (x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0);
        context.setOutput(0, infinite.choose(signs ? opposite.choose(y, x) : x, rest).value());
        return;
    }
    Term const quotient =
        x.binary(truncates ? ElementWiseOperation::kDIV : ElementWiseOperation::kFLOOR_DIV, y);
    setResult(context, x - quotient * y, type);
}

// The exponent may have another type than the base. The result has the type of the base.
void importPow(NodeContext& context) {
    int32_t const rank =
        std::max(context.dims(context.input(0)).nbDims, context.dims(context.input(1)).nbDims);
    Term const base(context, withRank(context, 0, rank));
    Term const exponent(context, withRank(context, 1, rank));
    // An integer to a real power is real before it is rounded.
    bool const widens = isReal(exponent.type()) && !isReal(base.type());
    DataType const type = widens ? exponent.type() : base.type();
    auto* power = context.network().addElementWise(
        base.cast(type).tensor(), exponent.cast(type).tensor(), ElementWiseOperation::kPOW);
    setResult(context, Term(context, *context.named(power).getOutput(0)), base.type());
}

// x > y or x == y; not the negation of the other comparison, because of NaN.
template <ElementWiseOperation kStrict>
void importOrEqual(NodeContext& context) {
    auto const [x, y, type] = operandsOf(context);
    auto* strict = context.network().addElementWise(x.tensor(), y.tensor(), kStrict);
    ITensor& holds = *context.named(strict, "strict").getOutput(0);
    auto* equal =
        context.network().addElementWise(x.tensor(), y.tensor(), ElementWiseOperation::kEQUAL);
    ITensor& same = *context.named(equal, "equal").getOutput(0);
    context.setOutput(
        context.named(context.network().addElementWise(holds, same, ElementWiseOperation::kOR)));
}

// Any number of inputs, combined from the left.
template <ElementWiseOperation kOperation, bool kDivides = false>
void importVariadic(NodeContext& context) {
    int32_t rank = 0;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        rank = std::max(rank, context.dims(context.input(i)).nbDims);
    }
    ITensor* result = &withRank(context, 0, rank);
    if (context.nbInputs() == 1) {
        context.setOutput(context.named(context.network().addIdentity(*result)));
        return;
    }
    DataType const type = result->getType();
    bool const isNarrow = type == DataType::kUINT8 || type == DataType::kINT8;
    DataType const wide = isNarrow ? DataType::kINT32 : type;
    result = &Term(context, *result).cast(wide).tensor();
    for (size_t i = 1; i < context.nbInputs(); ++i) {
        bool const last = i + 1 == context.nbInputs() && !kDivides;
        ITensor& next = Term(context, withRank(context, i, rank)).cast(wide).tensor();
        auto& layer = context.named(context.network().addElementWise(*result, next, kOperation),
                                    last ? "" : text("step", i));
        result = layer.getOutput(0);
    }
    if constexpr (kDivides) {
        ITensor& count = context.scalar(static_cast<float>(context.nbInputs()), result->getType(),
                                        rank, "count");
        auto* layer = context.network().addElementWise(*result, count, ElementWiseOperation::kDIV);
        result = context.named(layer).getOutput(0);
    }
    setResult(context, Term(context, *result), type);
}

} // namespace

void registerImporter_elementwise(ImporterRegistry& registry) {
    registry.add("Add", importBinary<ElementWiseOperation::kSUM>);
    registry.add("Sub", importBinary<ElementWiseOperation::kSUB>);
    registry.add("Mul", importBinary<ElementWiseOperation::kPROD>);
    registry.add("Div", importBinary<ElementWiseOperation::kDIV>);
    registry.add("And", importBinary<ElementWiseOperation::kAND>);
    registry.add("Or", importBinary<ElementWiseOperation::kOR>);
    registry.add("Xor", importBinary<ElementWiseOperation::kXOR>);
    registry.add("Equal", importBinary<ElementWiseOperation::kEQUAL>);
    registry.add("Greater", importBinary<ElementWiseOperation::kGREATER>);
    registry.add("Less", importBinary<ElementWiseOperation::kLESS>);
    registry.add("GreaterOrEqual", importOrEqual<ElementWiseOperation::kGREATER>);
    registry.add("LessOrEqual", importOrEqual<ElementWiseOperation::kLESS>);
    registry.add("Mod", importMod);
    registry.add("Pow", importPow);
    registry.add("Min", importVariadic<ElementWiseOperation::kMIN>);
    registry.add("Max", importVariadic<ElementWiseOperation::kMAX>);
    registry.add("Sum", importVariadic<ElementWiseOperation::kSUM>);
    registry.add("Mean", importVariadic<ElementWiseOperation::kSUM, true>);
}

} // namespace kiln::onnx
