// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/slice_start.h"

#include <algorithm>
#include <vector>

#include "compiler/constants.h"
#include "graph/ops/slice.h"

namespace kiln::compiler {
namespace {

using graph::Slice;

/// The numbers of an operand, or those of the op if there is no operand; nullopt if unknown.
std::optional<std::vector<int64_t>> numbersOf(Program const& program, Step const& step,
                                              Slice::Role role, Dims const& otherwise) {
    auto const operand = static_cast<std::size_t>(role);
    if (operand >= step.inputs().size() || program.value(step.inputs()[operand]).isAbsent()) {
        return std::vector<int64_t>(otherwise.d, otherwise.d + std::max(otherwise.nbDims, 0));
    }
    Value const& value = program.value(step.inputs()[operand]);
    if (std::optional<std::vector<int64_t>> constant = integersOf(value)) {
        return constant;
    }
    std::vector<int64_t> numbers;
    for (graph::ExprRef const ref : value.values) {
        if (!program.pool.isConstant(ref)) {
            return std::nullopt;
        }
        numbers.push_back(program.pool.constantOr(ref));
    }
    return numbers.empty() ? std::nullopt : std::optional(std::move(numbers));
}

} // namespace

std::optional<int64_t> startOfSlice(Program const& program, Step const& step) {
    auto const* op = step.as<Slice>();
    if (op == nullptr) {
        return std::nullopt;
    }
    graph::ShapeExpr const& from = program.value(step.inputs()[0]).shape;
    graph::ShapeExpr const& to = program.value(step.outputs()[0]).shape;
    auto const starts = numbersOf(program, step, Slice::kStart, op->start);
    auto const strides = numbersOf(program, step, Slice::kStride, op->stride);
    auto axes = numbersOf(program, step, Slice::kAxes, op->axes);
    if (!starts.has_value() || !strides.has_value() || !axes.has_value()) {
        return std::nullopt;
    }
    if (axes->empty()) { // all, in order
        for (int32_t i = 0; i < from.rank; ++i) {
            axes->push_back(i);
        }
    }
    int32_t const last = from.rank - 1;
    int64_t start = 0;
    for (std::size_t i = 0; i < axes->size() && i < starts->size(); ++i) {
        bool const isLast = (*axes)[i] == last || (*axes)[i] == -1;
        if (!isLast && (*starts)[i] != 0) {
            return std::nullopt;
        }
        start = isLast ? (*starts)[i] : start;
    }
    bool whole = std::all_of(strides->begin(), strides->end(), [](int64_t by) { return by == 1; });
    for (int32_t i = 0; i < last; ++i) {
        whole = whole && from[i] == to[i];
    }
    int64_t const end = start + program.pool.constantOr(to[last], INT32_MAX);
    bool const inside = start >= 0 && end <= program.pool.constantOr(from[last]);
    return whole && inside ? std::optional(start) : std::nullopt;
}

} // namespace kiln::compiler
