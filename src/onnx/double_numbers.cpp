// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/double_numbers.h"

#include "onnx/element_type.h"
#include "onnx/tensor_data.h"

#include <kiln/extra_layers.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

struct Row {
    std::string_view opType;
    DoubleOperation operation;
    bool isSwapped = false;
};

constexpr std::array<Row, 17> kRows{{
    {"Neg", DoubleOperation::kNEG},
    {"Abs", DoubleOperation::kABS},
    {"Floor", DoubleOperation::kFLOOR},
    {"Ceil", DoubleOperation::kCEIL},
    {"Round", DoubleOperation::kROUND},
    {"Sqrt", DoubleOperation::kSQRT},
    {"Add", DoubleOperation::kSUM},
    {"Sub", DoubleOperation::kSUB},
    {"Mul", DoubleOperation::kPROD},
    {"Div", DoubleOperation::kDIV},
    {"Max", DoubleOperation::kMAX},
    {"Min", DoubleOperation::kMIN},
    {"Equal", DoubleOperation::kEQUAL},
    {"Less", DoubleOperation::kLESS},
    {"LessOrEqual", DoubleOperation::kLESS_EQUAL},
    {"Greater", DoubleOperation::kLESS, true},
    {"GreaterOrEqual", DoubleOperation::kLESS_EQUAL, true},
}};

int64_t countOf(Dims const& dims) {
    int64_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        count *= dims.d[i];
    }
    return count;
}

Term applied(Term x, DoubleOperation operation) {
    return x.of(addDoubleMath(x.context().network(), x.tensor(), nullptr, operation));
}

// A constant of one FLOAT number as the shortest decimal number that rounds to it: 0.1F is 0.1.
Value decimalOf(Value value) {
    float number = 0;
    std::memcpy(&number, value.constant.weights.values, sizeof(number));
    double wide = number;
    std::array<char, 32> digits{};
    auto const written = std::to_chars(digits.begin(), digits.end(), number);
    if (std::isfinite(number) && written.ec == std::errc{}) {
        std::from_chars(digits.begin(), written.ptr, wide);
    }
    value.meant = ElementType::kDouble;
    value.doubles = std::make_shared<std::vector<double> const>(1, wide);
    return value;
}

// Gives a FLOAT number beside a number of Python digits, as the program has them.
void widen(NodeContext& context, size_t index) {
    Value value = context.input(index);
    if (value.meant == ElementType::kDouble || NodeContext::typeOf(value) != DataType::kFLOAT) {
        return;
    }
    bool const isOne = value.isConstant && value.constant.weights.count == 1;
    Value wanted = isOne ? decimalOf(value) : value;
    wanted.meant = ElementType::kDouble;
    if (context.dims(value).nbDims == 0) {
        context.setInput(index, wanted);
    }
}

bool isPythonFloat(NodeContext& context, size_t operands) {
    for (size_t i = 0; i < operands; ++i) {
        if (context.hasInput(i) && context.anyInput(i).isPythonFloat) {
            return true;
        }
    }
    return false;
}

// Both operands have one shape, or one of them has one element.
bool canCombine(NodeContext& context) {
    int64_t const left = countOf(context.dims(context.input(0)));
    int64_t const right = countOf(context.dims(context.input(1)));
    return left == right || left == 1 || right == 1;
}

bool importArithmetic(NodeContext& context, Row const& row) {
    size_t const operands = row.operation >= DoubleOperation::kSUM ? 2 : 1;
    if (context.nbInputs() != operands) {
        return false; // Max and Min have any number of them
    }
    bool const isPython = isPythonFloat(context, operands);
    auto const resultOf = [&](Term bits) { return isPython ? pythonFloat(bits) : fromBits(bits); };
    for (size_t i = 0; isPython && i < operands; ++i) {
        widen(context, i);
    }
    for (size_t i = 0; i < operands; ++i) {
        if (!hasDigits(context, context.input(i))) {
            return false;
        }
    }
    if (operands == 1) {
        Term const x = bitsOf(context, context.input(0));
        context.setOutput(0, resultOf(applied(x, row.operation)));
        return true;
    }
    if (!canCombine(context)) {
        return false;
    }
    Term const x = bitsOf(context, context.input(row.isSwapped ? 1 : 0));
    Term const y = bitsOf(context, context.input(row.isSwapped ? 0 : 1));
    int32_t const rank = std::max(x.rank(), y.rank());
    auto* const layer = addDoubleMath(context.network(), x.withRank(rank).tensor(),
                                      &y.withRank(rank).tensor(), row.operation);
    Term const result(context, *context.named(layer).getOutput(0));
    context.setOutput(0, result.type() == DataType::kBOOL ? result.value() : resultOf(result));
    return true;
}

bool isWhole(ElementType type) {
    switch (type) {
    case ElementType::kInt8:
    case ElementType::kInt16:
    case ElementType::kInt32:
    case ElementType::kInt64:
    case ElementType::kUint8:
    case ElementType::kUint16:
    case ElementType::kUint32: return true;
    default: return false;
    }
}

bool importConversion(NodeContext& context, ElementType to) {
    Value& value = context.input(0);
    if (to == ElementType::kDouble && isWhole(context.elementType(0))) {
        Value wanted = value;
        wanted.meant = to;
        if (!hasDigits(context, wanted)) {
            return false;
        }
        Term const whole = Term::input(context, 0).cast(DataType::kINT64);
        context.setOutput(0, fromBits(applied(whole, DoubleOperation::kFROM_INTEGER)));
        return true;
    }
    if (value.isPythonFloat && to == ElementType::kFloat) {
        context.setOutput(0, pythonFloat(bitsOf(context, value)));
        return true;
    }
    bool const isInteger = to == ElementType::kInt32 || to == ElementType::kInt64;
    if (!isInteger || !hasDigits(context, value)) {
        return false;
    }
    Term const whole = applied(bitsOf(context, value), DoubleOperation::kTO_INTEGER);
    context.setOutput(0, whole.cast(requireDataType(to, "attribute 'to'")).value(), to);
    return true;
}

} // namespace

bool hasDigits(NodeContext const& context, Value const& value) {
    bool const isTensor = value.isConstant || value.tensor != nullptr;
    if (value.meant != ElementType::kDouble || !isTensor) {
        return false;
    }
    Dims const dims = context.dims(value);
    return dims.nbDims == 0 || (dims.nbDims == 1 && dims.d[0] > 0 && dims.d[0] <= kMostDigits);
}

Term bitsOf(NodeContext& context, Value& value) {
    if (value.bits != nullptr) {
        return {context, *value.bits};
    }
    if (value.doubles != nullptr) {
        std::vector<double> const& numbers = *value.doubles;
        auto const count = static_cast<int64_t>(numbers.size());
        auto* const bytes = context.tensors().store.allocate(numbers.size() * sizeof(double));
        std::memcpy(bytes, numbers.data(), numbers.size() * sizeof(double));
        auto* const layer =
            context.network().addConstant(value.constant.dims, {DataType::kINT64, bytes, count});
        return {context, *context.named(layer, context.nextName()).getOutput(0)};
    }
    Term const x(context, context.tensorOf(value, text(context.layerName(), "/double")));
    return applied(x, DoubleOperation::kFROM_FLOAT);
}

Value fromBits(Term bits) {
    Value value = applied(bits, DoubleOperation::kTO_FLOAT).value();
    value.bits = &bits.tensor();
    value.meant = ElementType::kDouble;
    return value;
}

Value pythonFloat(Term bits) {
    Value value = fromBits(bits);
    value.isPythonFloat = true;
    return value;
}

bool importDigits(NodeContext& context) {
    if (!context.hasInput(0) || context.anyInput(0).sequence != nullptr) {
        return false;
    }
    std::string const& opType = context.node().opType;
    if (opType == "Cast" || opType == "CastLike") {
        bool const isCast = opType == "Cast";
        return importConversion(
            context, isCast ? static_cast<ElementType>(context.attributes().integer("to", 0))
                            : context.elementType(1));
    }
    if (context.anyInput(0).meant != ElementType::kDouble && !isPythonFloat(context, 2)) {
        return false;
    }
    auto const* const row = std::find_if(kRows.begin(), kRows.end(),
                                         [&](Row const& each) { return each.opType == opType; });
    return row != kRows.end() && importArithmetic(context, *row);
}

void keepDigits(NodeContext& context) {
    if (!context.hasInput(0) || context.outputs().empty()) {
        return;
    }
    Value const& from = context.anyInput(0);
    std::string const& opType = context.node().opType;
    bool const isSame = opType == "Identity";
    bool const keeps =
        isSame || opType == "Reshape" || opType == "Squeeze" || opType == "Unsqueeze";
    if (!keeps || (from.doubles == nullptr && from.bits == nullptr)) {
        return;
    }
    Value result = context.outputs().front();
    result.doubles = result.isConstant ? from.doubles : nullptr;
    result.bits = isSame ? from.bits : nullptr;
    result.isPythonFloat = isSame && from.isPythonFloat;
    result.meant = ElementType::kDouble;
    context.setOutput(0, result);
}

} // namespace kiln::onnx
