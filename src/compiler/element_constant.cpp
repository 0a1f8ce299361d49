// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rules of constants, and of host tensors whose elements are.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/constants.h"
#include "compiler/element_rule.h"
#include "compiler/read_weights.h"

namespace kiln::compiler {
namespace {

// Larger constants are no masks.
constexpr int64_t kMostElements = 1 << 24;

struct Matrix {
    std::vector<double> const& elements;
    int64_t rows;
    int64_t columns;

    double at(int64_t row, int64_t column) const {
        return elements[static_cast<std::size_t>(row * columns + column)];
    }
    /// Whether every element is f(row, column).
    template <typename F>
    bool is(F&& f) const {
        for (int64_t row = 0; row < rows; ++row) {
            for (int64_t column = 0; column < columns; ++column) {
                if (at(row, column) != f(row, column)) {
                    return false;
                }
            }
        }
        return true;
    }
};

bool isWhole(double number) {
    return std::trunc(number) == number && std::abs(number) < 0x1p31;
}

/// Number, plus multiples of row and column.
std::optional<ElementRule> rampRule(graph::ExprPool& pool, Matrix const& matrix, int32_t rank) {
    double const first = matrix.at(0, 0);
    double const down = matrix.rows > 1 ? matrix.at(1, 0) - first : 0.0;
    double const right = matrix.columns > 1 ? matrix.at(0, 1) - first : 0.0;
    bool const whole = isWhole(first) && isWhole(down) && isWhole(right);
    if (!whole || !matrix.is([&](int64_t row, int64_t column) {
            return first + down * static_cast<double>(row) + right * static_cast<double>(column);
        })) {
        return std::nullopt;
    }
    ElementRule rule;
    rule.offset = pool.constant(static_cast<int64_t>(first));
    if (rank > 0) {
        rule.along[static_cast<std::size_t>(rank - 1)] = static_cast<int64_t>(right);
    }
    if (rank > 1) {
        rule.along[static_cast<std::size_t>(rank - 2)] = static_cast<int64_t>(down);
    }
    return rule;
}

/// One number where column <= row + diagonal, another one elsewhere.
std::optional<ElementRule> triangleRule(graph::ExprPool& pool, Matrix const& matrix, int32_t rank) {
    ElementRule rule;
    rule.isChoice = true;
    rule.yes = matrix.at(matrix.rows - 1, 0);
    rule.no = matrix.at(0, matrix.columns - 1);
    std::optional<int64_t> diagonal;
    for (int64_t row = 0; row < matrix.rows && !diagonal.has_value(); ++row) {
        int64_t seen = 0;
        while (seen < matrix.columns && matrix.at(row, seen) == rule.yes) {
            ++seen;
        }
        if (seen > 0 && (seen < matrix.columns || row + 1 == matrix.rows)) {
            diagonal = seen - 1 - row;
        }
    }
    if (rank < 2 || !diagonal.has_value() || !matrix.is([&](int64_t row, int64_t column) {
            return column <= row + *diagonal ? rule.yes : rule.no;
        })) {
        return std::nullopt;
    }
    rule.offset = pool.constant(*diagonal);
    rule.along[static_cast<std::size_t>(rank - 2)] = 1;
    rule.along[static_cast<std::size_t>(rank - 1)] = -1;
    return rule;
}

/// Of a constant or a host tensor; empty if they are unknown.
std::vector<double> elementsOf(Program const& program, ValueId id) {
    Value const& constant = program.value(id);
    if (isFloatConstant(constant) && !mustStayOpen(program, *constant.recipe)) {
        std::vector<float> const floats = floatsOf(constant);
        return {floats.begin(), floats.end()};
    }
    std::vector<double> elements;
    if (auto const numbers = expressionsOf(program, id)) {
        for (graph::ExprRef const number : *numbers) {
            if (!program.pool.isConstant(number)) {
                return {};
            }
            elements.push_back(static_cast<double>(program.pool.constantOr(number)));
        }
        return elements;
    }
    if (constant.role == plan::TensorRole::kConstant && constant.type.type == DataType::kBOOL) {
        ReadWeights::note(*constant.recipe);
        target::Elements const bytes = target::elementsOf(*constant.recipe);
        for (std::byte const byte : bytes.view) {
            elements.push_back(byte == std::byte{0} ? 0.0 : 1.0);
        }
    }
    return elements;
}

} // namespace

std::optional<ElementRule> matrixRule(graph::ExprPool& pool, std::vector<double> const& elements,
                                      int64_t rows, int64_t columns, int32_t rank) {
    Matrix const matrix{elements, rows, columns};
    double const first = elements.front();
    if (matrix.is([&](int64_t, int64_t) { return first; })) {
        ElementRule rule;
        rule.offset = pool.constant(0);
        rule.isChoice = true;
        rule.yes = rule.no = first;
        return rule;
    }
    std::optional<ElementRule> const triangle = triangleRule(pool, matrix, rank);
    return triangle.has_value() ? triangle : rampRule(pool, matrix, rank);
}

std::optional<ElementRule> constantRule(Program const& program, ValueId id) {
    Value const& value = program.value(id);
    Dims const dims = graph::knownDims(program.pool, value.shape);
    int64_t matrices = 1;
    for (int32_t axis = 0; axis < dims.nbDims - 2; ++axis) {
        matrices *= dims.d[axis];
    }
    int64_t const rows = dims.nbDims > 1 ? dims.d[dims.nbDims - 2] : 1;
    int64_t const columns = dims.nbDims > 0 ? dims.d[dims.nbDims - 1] : 1;
    int64_t const size = rows * columns; // of memory, so nothing overflows
    if (value.isAbsent() || matrices < 1 || size < 1 || matrices * size > kMostElements) {
        return std::nullopt;
    }
    std::vector<double> elements = elementsOf(program, id);
    if (static_cast<int64_t>(elements.size()) != matrices * size) {
        return std::nullopt;
    }
    for (int64_t matrix = 1; matrix < matrices; ++matrix) { // all are the same
        if (!std::equal(elements.begin(), elements.begin() + size,
                        elements.begin() + matrix * size)) {
            return std::nullopt;
        }
    }
    elements.resize(static_cast<std::size_t>(size));
    return matrixRule(program.pool, elements, rows, columns, dims.nbDims);
}

} // namespace kiln::compiler
