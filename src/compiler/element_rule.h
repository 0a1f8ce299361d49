// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <unordered_map>

#include "compiler/program.h"

namespace kiln::compiler {

/// An element of a tensor as a function of its coordinates: the number L, or one of two numbers,
/// with L = offset + the sum of along[axis] * coordinate[axis]. Ranges of indices are numbers;
/// comparisons of them, and the masks made of these, are choices.
struct ElementRule {
    std::array<int64_t, Dims::MAX_DIMS> along{};
    graph::ExprRef offset = -1;
    bool isChoice = false; ///< the element is L >= 0 ? yes : no
    double yes = 0.0;
    double no = 0.0;

    bool sameForm(ElementRule const& other) const {
        return along == other.along && offset == other.offset;
    }
};

/// Finds the rules of tensors from the steps that make them, for any shapes. Remembers what it
/// found, since all layers of a network read one mask.
class ElementRules {
public:
    explicit ElementRules(Program const& program) : program_(program) {}

    /// nullopt: not known.
    std::optional<ElementRule> of(ValueId value);
    /// The element, if all of a tensor's are equal.
    std::optional<double> uniform(ElementRule const& rule) const;

private:
    std::optional<ElementRule> find(ValueId value);
    std::optional<ElementRule> found(Step const& step, ValueId value);
    std::optional<ElementRule> fill(Step const& step, ValueId value);
    std::optional<ElementRule> slice(Step const& step, ValueId value);
    std::optional<ElementRule> shuffle(Step const& step, ValueId value);
    std::optional<ElementRule> cast(Step const& step, ValueId value);
    std::optional<ElementRule> unary(Step const& step);
    std::optional<ElementRule> elementwise(Step const& step);
    std::optional<ElementRule> select(Step const& step);
    std::optional<ElementRule> orEqual(Step const& step);

    /// a - b, for numbers.
    ElementRule difference(ElementRule const& a, ElementRule const& b) const;
    /// x >= y + margin, for integers.
    ElementRule atLeast(ElementRule const& x, ElementRule const& y, int64_t margin) const;
    ElementRule uniformRule(double element) const;
    /// As a choice; nullopt for numbers that change with the coordinates.
    std::optional<ElementRule> asChoice(ElementRule const& rule) const;
    /// As a number; nullopt for choices, unless all elements are one integer.
    std::optional<ElementRule> asNumber(ElementRule const& rule) const;
    /// The integer that all elements are.
    std::optional<int64_t> scalar(ValueId value);

    Program const& program_;
    std::unordered_map<ValueId, std::optional<ElementRule>> known_;
    int32_t depth_ = 0;
};

/// The rule of a matrix, [rows, columns]: equal elements, a ramp of integers, or a triangle. Along
/// the last two axes of `rank`.
std::optional<ElementRule> matrixRule(graph::ExprPool& pool, std::vector<double> const& elements,
                                      int64_t rows, int64_t columns, int32_t rank);
std::optional<ElementRule> constantRule(Program const& program, ValueId constant);

} // namespace kiln::compiler
