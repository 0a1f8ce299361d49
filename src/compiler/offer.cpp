// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/offer.h"

#include <algorithm>

#include "base/text.h"

namespace kiln::compiler {
namespace {

std::vector<Combination> formsIn(Program const& program, Extents const& extents, Step const& step,
                                 std::optional<DataType> type) {
    std::vector<Combination> forms = layerForms(program, extents, step);
    auto const isOther = [&](Combination const& form) { return form[0].type != *type; };
    if (type.has_value() && !std::all_of(forms.begin(), forms.end(), isOther)) {
        std::erase_if(forms, isOther);
    }
    return forms;
}

} // namespace

Offer offerFor(Program const& program, Extents const& extents, Step const& step,
               std::optional<DataType> type) {
    Offer offer;
    std::vector<std::string> refusals; // each once
    for (Combination const& form : formsIn(program, extents, step, type)) {
        std::vector<target::OperandSpec> const specs = specsIn(program, extents, step, form);
        std::span<target::OperandSpec const> const all(specs);
        bool found = false;
        for (target::Candidate const& candidate :
             program.backend.candidates({*step.op, step.name, all.first(step.inputs().size()),
                                         all.subspan(step.inputs().size())})) {
            if (!candidate.offered()) {
                std::string refusal = fmt::format("{}: {}", candidate.kernel, candidate.refusal);
                if (std::find(refusals.begin(), refusals.end(), refusal) == refusals.end()) {
                    refusals.push_back(std::move(refusal));
                }
                continue;
            }
            offer.seconds = found ? std::min(offer.seconds, candidate.estimatedSeconds)
                                  : candidate.estimatedSeconds;
            found = true;
        }
        if (found) {
            offer.form = form;
            return offer;
        }
    }
    offer.refusal = refusals.empty() ? "the target has no kernels for it" : join(refusals, "; ");
    return offer;
}

} // namespace kiln::compiler
