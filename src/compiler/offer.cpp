// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/offer.h"

#include <algorithm>

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
    offer.refusal = "the target has no kernels for it";
    for (Combination const& form : formsIn(program, extents, step, type)) {
        std::vector<target::OperandSpec> const specs = specsIn(program, extents, step, form);
        std::span<target::OperandSpec const> const all(specs);
        bool found = false;
        for (target::Candidate const& candidate :
             program.backend.candidates({*step.op, step.name, all.first(step.inputs().size()),
                                         all.subspan(step.inputs().size())})) {
            if (!candidate.offered()) {
                offer.refusal = fmt::format("{}: {}", candidate.kernel, candidate.refusal);
                continue;
            }
            offer.seconds = found ? std::min(offer.seconds, candidate.estimatedSeconds)
                                  : candidate.estimatedSeconds;
            found = true;
        }
        if (found) {
            offer.form = form;
            offer.refusal.clear();
            return offer;
        }
    }
    return offer;
}

} // namespace kiln::compiler
