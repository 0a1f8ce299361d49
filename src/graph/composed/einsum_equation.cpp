// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/einsum_equation.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace kiln::graph {
namespace {

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Appends the axes of one term; returns a problem, or nothing. A letter twice in an input is a
/// diagonal.
std::string parseTerm(std::string_view text, bool isInput, EinsumTerm& term) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (c == ' ') {
            continue;
        }
        bool const dots = text.substr(i, 3) == "...";
        if (!isLetter(c) && !dots) {
            return fmt::format("expected letters, ',', '->' and '...', got '{}'.", c);
        }
        char const axis = dots ? EinsumTerm::kEllipsis : c;
        if ((dots || !isInput) && term.axes.find(axis) != std::string::npos) {
            return fmt::format("expected each axis once in '{}', got '{}' twice.", text,
                               dots ? "..." : std::string(1, c));
        }
        term.axes.push_back(axis);
        i += dots ? 2 : 0;
    }
    return {};
}

/// The letters that occur once, in alphabetical order, behind the ellipsis.
EinsumTerm derivedOutput(std::vector<EinsumTerm> const& inputs) {
    std::map<char, int64_t> counts;
    for (EinsumTerm const& term : inputs) {
        for (char const axis : term.axes) {
            ++counts[axis];
        }
    }
    EinsumTerm output;
    if (counts.erase(EinsumTerm::kEllipsis) != 0) {
        output.axes.push_back(EinsumTerm::kEllipsis);
    }
    for (auto const& [axis, count] : counts) {
        if (count == 1) {
            output.axes.push_back(axis);
        }
    }
    return output;
}

} // namespace

EinsumEquation EinsumEquation::parse(std::string_view text) {
    EinsumEquation equation;
    std::size_t const arrow = text.find("->");
    std::string_view inputs = text.substr(0, arrow);
    while (equation.problem.empty()) {
        std::size_t const comma = inputs.find(',');
        equation.inputs.emplace_back();
        equation.problem = parseTerm(inputs.substr(0, comma), true, equation.inputs.back());
        if (comma == std::string_view::npos) {
            break;
        }
        inputs.remove_prefix(comma + 1);
    }
    if (arrow == std::string_view::npos) {
        equation.output = derivedOutput(equation.inputs);
    } else if (equation.problem.empty()) {
        equation.problem = parseTerm(text.substr(arrow + 2), false, equation.output);
    }
    for (char const axis : equation.output.axes) {
        bool const known = std::any_of(
            equation.inputs.begin(), equation.inputs.end(),
            [axis](EinsumTerm const& term) { return term.axes.find(axis) != std::string::npos; });
        if (!known && equation.problem.empty()) {
            equation.problem =
                fmt::format("expected an input with each axis of the output, got none with '{}'.",
                            axis == EinsumTerm::kEllipsis ? "..." : std::string(1, axis));
        }
    }
    return equation;
}

} // namespace kiln::graph
