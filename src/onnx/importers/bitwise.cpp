// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// BitShift, BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot, by arithmetic on the bits of INT64.
// Layer: elementwise. Many layers for each bit: slow.

#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/whole_numbers.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

// The form of the numbers in the model: UINT16 has 16 bits, though INT32 stands for it.
WholeForm formOf(NodeContext& context) {
    auto const form = wholeFormOf(context.elementType(0));
    if (!form || form->bits == 1) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
                     text("expected integers, got ", nameOf(context.elementType(0)), "."));
    }
    return *form;
}

// The sum of 2^i where both numbers have bit i. The highest bit of a signed number is its sign.
Term commonBits(Term x, Term y, WholeForm form) {
    bool const isSigned = form.isSigned;
    int32_t const plain = isSigned ? form.bits - 1 : form.bits;
    Term result = (x * 0.0) * (y * 0.0);
    if (isSigned) {
        Term const lowest = Term::number(x.context(), -1, DataType::kINT64);
        Term sign = ((x < 0.0) && (y < 0.0)).cast(DataType::kINT64) * lowest;
        for (int32_t i = 0; i < plain; i += 31) {
            sign = sign * static_cast<double>(int64_t{1} << std::min(31, plain - i));
        }
        result = result + sign;
    }
    Term xRest = x;
    Term yRest = y;
    for (int32_t i = 0; i < plain; ++i) {
        Term const xHalf = xRest.floorDiv(2);
        Term const yHalf = yRest.floorDiv(2);
        Term const both = (xRest - xHalf * 2.0) * (yRest - yHalf * 2.0);
        result = result + (i < 62 ? both * static_cast<double>(int64_t{1} << i)
                                  : both * static_cast<double>(int64_t{1} << 31) *
                                        static_cast<double>(int64_t{1} << (i - 31)));
        xRest = xHalf;
        yRest = yHalf;
    }
    return result;
}

enum class Bitwise { kAnd, kOr, kXor };

template <Bitwise kOperation>
void importBitwise(NodeContext& context) {
    Term const x = Term::input(context, 0);
    DataType const type = x.type();
    WholeForm form = formOf(context);
    form.isSigned = form.isSigned || form.bits == 64; // INT64 stands for UINT64
    Term const left = x.cast(DataType::kINT64);
    Term const right = Term::input(context, 1).cast(DataType::kINT64);
    Term const both = commonBits(left, right, form);
    Term const result = kOperation == Bitwise::kAnd  ? both
                        : kOperation == Bitwise::kOr ? left + right - both
                                                     : left + right - both - both;
    context.setOutput(0, result.cast(type).value());
}

void importBitwiseNot(NodeContext& context) {
    Term const x = Term::input(context, 0);
    WholeForm const form = formOf(context);
    double const all = form.isSigned || form.bits == 64 ? -1 : form.largest();
    Term const wide = x.cast(DataType::kINT64);
    context.setOutput(0, (all - wide).cast(x.type()).value());
}

// Shifts by as many bits as the type has, or more, give 0, or -1 to the right of a negative number.
void importBitShift(NodeContext& context) {
    Term const x = Term::input(context, 0);
    WholeForm const form = formOf(context);
    int32_t const bits = form.bits;
    bool const left = context.attributes().string("direction", "") == "LEFT";
    Term result = x.cast(DataType::kINT64);
    Term const given = Term::input(context, 1).cast(DataType::kINT64);
    Term rest = (given < 0.0).choose(given.like(bits), given).min(bits);
    if (!left && bits == 64 && !form.isSigned) { // a first place apart, since INT64 keeps its sign
        constexpr double kLowest = -0x1p63;
        Term const half = result.floorDiv(2);
        Term const first = (result < 0.0).choose(half - kLowest, half);
        Term const moves = rest > 0.0;
        result = moves.choose(first, result);
        rest = moves.choose(rest - 1, rest);
    }
    // Powers of two by the bits of the distance: 1, 2, 4, ... places.
    for (int32_t step = 1; step <= bits; step *= 2) {
        Term const half = rest.floorDiv(2);
        Term const isSet = rest > half * 2.0;
        Term moved = result;
        for (int32_t done = 0; done < step; done += 16) {
            auto const factor = static_cast<double>(1 << std::min(16, step - done));
            moved = left ? moved * factor : moved.floorDiv(factor);
        }
        result = isSet.choose(moved, result);
        rest = half;
    }
    if (left && bits < 64) { // keeps the low bits, as the type has them
        auto const span = static_cast<double>(int64_t{1} << bits);
        result = result - result.floorDiv(span) * span;
        result = form.isSigned ? (result >= span / 2).choose(result - span, result) : result;
    }
    context.setOutput(0, result.cast(x.type()).value());
}

} // namespace

void registerImporter_bitwise(ImporterRegistry& registry) {
    registry.add("BitShift", importBitShift);
    registry.add("BitwiseAnd", importBitwise<Bitwise::kAnd>);
    registry.add("BitwiseOr", importBitwise<Bitwise::kOr>);
    registry.add("BitwiseXor", importBitwise<Bitwise::kXor>);
    registry.add("BitwiseNot", importBitwiseNot);
}

} // namespace kiln::onnx
