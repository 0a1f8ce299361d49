// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// BitShift, BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot, by arithmetic on INT64.
// Layer: elementwise. By arithmetic on INT64 and a table for four bits at a time: slow.
// `BitwiseAnd` with constants that keep the lowest bits, such as 15, is fast.

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

enum class Bitwise { kAnd, kOr, kXor };

constexpr int32_t kDigitBits = 4;
constexpr int64_t kDigits = int64_t{1} << kDigitBits; // numbers that a digit may be

int64_t appliedTo(Bitwise operation, int64_t x, int64_t y) {
    switch (operation) {
    case Bitwise::kAnd: return x & y;
    case Bitwise::kOr: return x | y;
    default: return x ^ y;
    }
}

// The result for each pair of digits, then, for signed numbers, for each pair of highest ones.
Term tableOf(NodeContext& context, Bitwise operation, bool isSigned) {
    std::vector<int64_t> table;
    for (int32_t highest = 0; highest < (isSigned ? 2 : 1); ++highest) {
        for (int64_t x = 0; x < kDigits; ++x) {
            for (int64_t y = 0; y < kDigits; ++y) {
                int64_t const digit = appliedTo(operation, x, y);
                bool const isNegative = highest != 0 && digit >= kDigits / 2;
                table.push_back(isNegative ? digit - kDigits : digit);
            }
        }
    }
    return Term::vector(context, table);
}

// The numbers of a last axis, for tensors of a rank.
Term alongLast(NodeContext& context, std::vector<double> const& numbers, int32_t rank) {
    Dims dims = repeatedDims(rank, 1, "digits");
    dims.d[rank - 1] = static_cast<int64_t>(numbers.size());
    return Term::constant(context, numbers, dims, DataType::kINT64);
}

// The operation on all digits of both numbers at once, by a table: few layers, for any number of
// bits. The tensors need room for another axis, that of the digits.
Term byDigits(Term x, Term y, Bitwise operation, WholeForm form) {
    NodeContext& context = x.context();
    int32_t const rank = std::max(x.rank(), y.rank()) + 1;
    std::vector<double> values{1};
    while (static_cast<int32_t>(values.size()) < form.bits / kDigitBits) {
        values.push_back(values.back() * kDigits);
    }
    Term const places = alongLast(context, values, rank);
    Term const base = alongLast(context, {kDigits}, rank);
    auto const digitsOf = [&](Term number) {
        Term const rest = number.withRank(rank - 1).inserted({rank - 1}).floorDiv(places);
        return rest - rest.floorDiv(base) * base;
    };
    Term pairs = digitsOf(x) * base + digitsOf(y);
    if (form.isSigned) {
        std::vector<double> table(values.size(), 0);
        table.back() = kDigits * kDigits;
        pairs = pairs + alongLast(context, table, rank);
    }
    Term const found = tableOf(context, operation, form.isSigned).gathered(pairs, 0);
    return (found * places).sum({rank - 1}, false);
}

// Whether an input is constants that each keep some of the lowest bits: 0, 1, 3, 7, ...
bool keepsLowBits(NodeContext& context, size_t index) {
    constexpr int64_t kMost = 64;
    Value const& mask = context.input(index);
    if (!mask.isConstant || mask.constant.weights.count > kMost) {
        return false;
    }
    std::vector<int64_t> numbers;
    if (mask.constant.weights.type == DataType::kINT8 ||
        mask.constant.weights.type == DataType::kUINT8) {
        auto const* const bytes = static_cast<int8_t const*>(mask.constant.weights.values);
        numbers.assign(bytes, bytes + mask.constant.weights.count);
    } else {
        numbers = context.integers(index, "mask", kMost);
    }
    return std::all_of(numbers.begin(), numbers.end(), [](int64_t number) {
        return number >= 0 && number < (int64_t{1} << 62) && (number & (number + 1)) == 0;
    });
}

Term keptLowBits(Term x, Term mask) {
    Term const span = mask + 1;
    return x - x.floorDiv(span) * span;
}

template <Bitwise kOperation>
void importBitwise(NodeContext& context) {
    Term const x = Term::input(context, 0);
    DataType const type = x.type();
    WholeForm form = formOf(context);
    form.isSigned = form.isSigned || form.bits == 64; // INT64 stands for UINT64
    Term const left = x.cast(DataType::kINT64);
    Term const right = Term::input(context, 1).cast(DataType::kINT64);
    Term result;
    if (kOperation == Bitwise::kAnd && keepsLowBits(context, 1)) {
        result = keptLowBits(left, right);
    } else if (kOperation == Bitwise::kAnd && keepsLowBits(context, 0)) {
        result = keptLowBits(right, left);
    } else if (std::max(left.rank(), right.rank()) < Dims::MAX_DIMS) {
        result = byDigits(left, right, kOperation, form);
    } else {
        Term const whole = left + right * 0.0;
        Term const other = right + left * 0.0;
        Term const flat = Term::vector(context, {-1});
        result = byDigits(whole.reshaped(flat), other.reshaped(flat), kOperation, form)
                     .reshaped(whole.shape());
    }
    context.setOutput(0, result.cast(type).value());
}

void importBitwiseNot(NodeContext& context) {
    Term const x = Term::input(context, 0);
    WholeForm const form = formOf(context);
    double const all = form.isSigned || form.bits == 64 ? -1 : form.largest();
    Term const wide = x.cast(DataType::kINT64);
    context.setOutput(0, (all - wide).cast(x.type()).value());
}

// 2^(places - first) for each number of places up to `most`: 1 below `first`, 0 from `end` on.
Term powerOf(Term places, int32_t first, int32_t most, int32_t end) {
    std::vector<int64_t> powers;
    for (int32_t i = 0; i <= most; ++i) {
        powers.push_back(i >= end ? 0
                                  : static_cast<int64_t>(uint64_t{1} << std::max(i - first, 0)));
    }
    return Term::vector(places.context(), powers).gathered(places, 0);
}

// Powers above 2^62 are no positive INT64: such shifts take two steps.
Term shiftedRight(Term x, Term places, int32_t bits) {
    constexpr int32_t kFirst = 62;
    if (bits <= kFirst) {
        return x.floorDiv(powerOf(places, 0, bits, bits + 1));
    }
    return x.floorDiv(powerOf(places.min(kFirst), 0, kFirst, kFirst + 1))
        .floorDiv(powerOf(places, kFirst, bits, bits + 1));
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
        Term const quarter = (result < 0.0).cast(DataType::kINT64) * 0x1p62;
        Term const first = result.floorDiv(2) + quarter + quarter; // the highest bit becomes 0
        Term const moves = rest > 0.0;
        result = moves.choose(first, result);
        rest = moves.choose(rest - 1, rest);
    }
    result = left ? result * powerOf(rest, 0, bits, bits) : shiftedRight(result, rest, bits);
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
