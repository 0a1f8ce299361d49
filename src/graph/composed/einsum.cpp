// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/einsum.h"

#include <algorithm>
#include <map>

#include "graph/composed/contraction.h"
#include "graph/ops/identity.h"

namespace kiln::graph {
namespace {

std::string nameOfAxis(int32_t name) {
    return name < 0 ? fmt::format("the {}th last axis of '...'", -name)
                    : fmt::format("'{}'", static_cast<char>(name));
}

} // namespace

std::string Einsum::problem() const {
    EinsumEquation const parsed = EinsumEquation::parse(equation);
    return parsed.problem.empty() ? std::string()
                                  : fmt::format("equation '{}': {}", equation, parsed.problem);
}

std::vector<std::vector<int32_t>> Einsum::names(InferContext const& context) const {
    EinsumEquation const parsed = EinsumEquation::parse(equation);
    std::vector<std::vector<int32_t>> result;
    int32_t most = 0; // axes of an ellipsis
    auto const append = [&](EinsumTerm const& term, int32_t open) {
        std::vector<int32_t> axes;
        for (char const c : term.axes) {
            if (c != EinsumTerm::kEllipsis) {
                axes.push_back(c);
            }
            for (int32_t i = open; c == EinsumTerm::kEllipsis && i > 0; --i) {
                axes.push_back(-i);
            }
        }
        result.push_back(std::move(axes));
    };
    for (std::size_t i = 0; i < parsed.inputs.size(); ++i) {
        int32_t const open = context.inputs[i].shape.rank - parsed.inputs[i].letters();
        most = std::max(most, parsed.inputs[i].hasEllipsis() ? open : 0);
        append(parsed.inputs[i], open);
    }
    append(parsed.output, most);
    return result;
}

void Einsum::check(InferContext const& context) const {
    EinsumEquation const parsed = EinsumEquation::parse(equation);
    expectInputs(context, kKind, parsed.inputs.size(), parsed.inputs.size());
    DataType const type = expectSameType(context, kKind);
    if (type != DataType::kINT32 && type != DataType::kINT64) {
        expectFloating(context, kKind);
    }
    for (std::size_t i = 0; i < parsed.inputs.size(); ++i) {
        int32_t const rank = context.inputs[i].shape.rank;
        EinsumTerm const& term = parsed.inputs[i];
        if (rank < term.letters() || (rank > term.letters() && !term.hasEllipsis())) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, input {}: expected rank {} as in the equation '{}', got {}. Change the "
                 "equation or reshape the input.",
                 where(context, kKind), i, term.letters(), equation, rank);
        }
    }
    std::map<int32_t, int64_t> extents; // known ones other than 1
    std::vector<std::vector<int32_t>> const axes = names(context);
    for (std::size_t i = 0; i < parsed.inputs.size(); ++i) {
        for (std::size_t axis = 0; axis < axes[i].size(); ++axis) {
            int64_t const extent =
                context.pool.constantOr(context.inputs[i].shape[static_cast<int32_t>(axis)], 1);
            if (extent == 1) {
                continue;
            }
            int64_t const before = extents.try_emplace(axes[i][axis], extent).first->second;
            if (before != extent) {
                fail(ErrorKind::kInvalidArgument,
                     "{}, input {}: expected an extent of {} or 1 for {} of the equation '{}', as "
                     "another input has, got {}. Use another letter.",
                     where(context, kKind), i, before, nameOfAxis(axes[i][axis]), equation, extent);
            }
        }
    }
    if (axes.back().size() > static_cast<std::size_t>(Dims::MAX_DIMS)) {
        fail(ErrorKind::kInvalidArgument, "{}: expected an output of at most {} axes, got {}.",
             where(context, kKind), static_cast<int32_t>(Dims::MAX_DIMS), axes.back().size());
    }
}

std::unique_ptr<Region> Einsum::parts(InferContext const& context) const {
    Parts parts(context);
    Contraction contraction(parts, context.pool);
    std::vector<std::vector<int32_t>> const axes = names(context);
    std::vector<int32_t> const& output = axes.back();
    std::size_t const inputs = axes.size() - 1;
    NamedValue total = contraction.diagonal({0, axes[0]});
    for (std::size_t i = 1; i < inputs; ++i) {
        // What the output or later inputs have, in the order of the output.
        std::vector<int32_t> kept = output;
        for (std::size_t later = i + 1; later < inputs; ++later) {
            for (int32_t const name : axes[later]) {
                if (std::find(kept.begin(), kept.end(), name) == kept.end()) {
                    kept.push_back(name);
                }
            }
        }
        NamedValue const next = contraction.diagonal({static_cast<int32_t>(i), axes[i]});
        total = contraction.multiply(total, next, kept);
    }
    total = contraction.ordered(contraction.sum(total, output), output);
    if (total.value == 0) {
        total.value = parts.add(Identity(), {0});
    }
    return parts.finish({total.value});
}

} // namespace kiln::graph
