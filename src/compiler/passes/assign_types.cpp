// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Chooses element types and formats. In a strongly typed network the layers fix the types, and
// plugins only accept or refuse them. In a weakly typed network each layer has options (float,
// half, bfloat16, as the builder flags allow). Each option is timed, and options are taken such
// that the whole program is fast, casts and reformats included.
#include <algorithm>

#include "compiler/form_choice.h"
#include "compiler/layer_forms.h"
#include "compiler/passes/passes.h"

namespace kiln::compiler {
namespace {

class LayerTimer {
public:
    LayerTimer(Program const& program, Extents const& extents, KernelChooser& chooser)
        : program_(program), extents_(extents), chooser_(chooser) {}

    /// The forms for which the target has kernels, with the time of the fastest. If only one is
    /// left, or none, it is not timed.
    FormChoice formsOf(Step const& step) {
        std::vector<Combination> usable = layerForms(program_, extents_, step);
        FormChoice only{{usable.front()}, {0.0}, {}, 0}; // if no kernel: chooseKernels says why
        if (usable.size() > 1) {
            std::erase_if(usable, [&](Combination const& form) { return !offeredIn(step, form); });
        }
        if (usable.size() == 1) {
            only.options = usable;
        }
        if (usable.size() <= 1) {
            return only;
        }
        FormChoice timed;
        for (Combination const& form : usable) {
            KernelChoice const& kernel = kernelFor(step, form);
            if (kernel.found) {
                timed.options.push_back(form);
                timed.seconds.push_back(kernel.seconds);
            }
        }
        return timed.options.empty() ? only : timed;
    }

private:
    /// Whether the target has a kernel for the step in this form.
    bool offeredIn(Step const& step, Combination const& form) const {
        std::vector<target::OperandSpec> const specs = specsIn(program_, extents_, step, form);
        std::span<target::OperandSpec const> const all(specs);
        std::vector<target::Candidate> const candidates =
            program_.backend.candidates({*step.op, step.name, all.first(step.inputs().size()),
                                         all.subspan(step.inputs().size())});
        return std::any_of(candidates.begin(), candidates.end(),
                           [](target::Candidate const& one) { return one.offered(); });
    }

    KernelChoice const& kernelFor(Step const& step, Combination const& form) {
        std::vector<target::OperandSpec> const specs = specsIn(program_, extents_, step, form);
        std::span<target::OperandSpec const> const all(specs);
        return chooser_.choose(*step.op, step.name, all.first(step.inputs().size()),
                               all.subspan(step.inputs().size()), KernelChooser::Timing::kAll);
    }

    Program const& program_;
    Extents const& extents_;
    KernelChooser& chooser_;
};

} // namespace

void assignTypes(Program& program, KernelChooser& chooser) {
    Extents const extents = extentsOf(program); // over all profiles
    std::vector<Extents> profiles;
    for (Ranges const& ranges : program.profiles) {
        profiles.push_back(extentsOf(program, ranges));
    }
    LayerTimer timer(program, extents, chooser);
    FormChoices choices(program.stepIdCount());
    for (StepId const id : program.order()) {
        Step const& step = program.step(id);
        choices[id] =
            step.isPlugin() ? formsOfPlugin(program, extents, profiles, step) : timer.formsOf(step);
    }
    settleForms(program, extents, choices);
    for (StepId const id : program.order()) {
        Step& step = program.step(id);
        Combination const& form = choices[id].types();
        auto const border = form.begin() + static_cast<std::ptrdiff_t>(step.inputs().size());
        step.kernel.inputs.assign(form.begin(), border);
        step.kernel.outputs.assign(border, form.end());
        if (step.isPlugin()) {
            finishPlugin(program, profiles, step, choices[id]);
        }
    }
}

} // namespace kiln::compiler
