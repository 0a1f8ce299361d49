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
#include "compiler/profile_choice.h"
#include "compiler/progress.h"

namespace kiln::compiler {
namespace {

class LayerTimer {
public:
    LayerTimer(Program const& program, KernelChooser& chooser)
        : program_(program), chooser_(program, chooser) {}

    Extents const& united() const noexcept { return chooser_.united(); }

    /// The forms for which the target has kernels, with the time of the fastest, over all profiles.
    /// If only one is left, or none, it is not timed.
    FormChoice formsOf(Step const& step) {
        std::vector<Combination> usable = layerForms(program_, united(), step);
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
            auto const specs = [&](Extents const& extents) {
                return specsIn(program_, extents, step, form);
            };
            if (std::optional<double> const seconds = chooser_.seconds(step, specs)) {
                timed.options.push_back(form);
                timed.seconds.push_back(*seconds);
            }
        }
        return timed.options.empty() ? only : timed;
    }

private:
    /// Whether the target has a kernel for the step in this form.
    bool offeredIn(Step const& step, Combination const& form) const {
        std::vector<target::OperandSpec> const specs = specsIn(program_, united(), step, form);
        std::span<target::OperandSpec const> const all(specs);
        std::vector<target::Candidate> const candidates =
            program_.backend.candidates({*step.op, step.name, all.first(step.inputs().size()),
                                         all.subspan(step.inputs().size())});
        return std::any_of(candidates.begin(), candidates.end(),
                           [](target::Candidate const& one) { return one.offered(); });
    }

    Program const& program_;
    ProfileChooser chooser_;
};

} // namespace

void assignTypes(Program& program, KernelChooser& chooser) {
    LayerTimer timer(program, chooser);
    Extents const& extents = timer.united(); // over all profiles
    std::vector<Extents> const profiles = extentsByProfile(program);
    FormChoices choices(program.stepIdCount());
    {
        ProgressPhase phase(program.options.progress, "Measuring layers", kBuildPhase,
                            program.order().size());
        for (StepId const id : program.order()) {
            Step const& step = program.step(id);
            choices[id] = step.isPlugin() ? formsOfPlugin(program, extents, profiles, step)
                                          : timer.formsOf(step);
            phase.step();
        }
    }
    settleForms(program, profiles, choices);
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
