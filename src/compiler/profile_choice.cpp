// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/profile_choice.h"

#include <algorithm>

namespace kiln::compiler {
namespace {

bool isSameKernel(KernelChoice const& a, KernelChoice const& b) {
    return &a == &b || (a.record.kernel == b.record.kernel && a.record.code == b.record.code);
}

/// Whether two kernels have their constants in the same orders. A tag has a meaning for kernels of
/// one name.
bool packAlike(KernelChoice const& a, KernelChoice const& b) {
    bool const packs = !a.packedBytes.empty() || !b.packedBytes.empty();
    return !packs || (a.record.kernel == b.record.kernel && a.packedBytes == b.packedBytes &&
                      a.record.inputs == b.record.inputs);
}

StepKernels withoutDuplicates(std::vector<KernelChoice const*> const& best) {
    StepKernels result;
    for (KernelChoice const* const own : best) {
        auto const known =
            std::find_if(result.kernels.begin(), result.kernels.end(),
                         [&](KernelChoice const* other) { return isSameKernel(*own, *other); });
        result.ofProfile.push_back(static_cast<std::size_t>(known - result.kernels.begin()));
        if (known == result.kernels.end()) {
            result.kernels.push_back(own);
        }
        result.workspaceBytes = std::max(result.workspaceBytes, own->workspaceBytes);
        result.workspaces.push_back(own->workspaceBytes);
    }
    if (std::all_of(result.workspaces.begin(), result.workspaces.end(),
                    [&](uint64_t own) { return own == result.workspaceBytes; })) {
        result.workspaces.clear();
    }
    return result;
}

} // namespace

ProfileChooser::ProfileChooser(Program const& program, KernelChooser& chooser)
    : program_(program), chooser_(chooser), united_(extentsOf(program)) {
    if (program.profiles.size() > 1) {
        profiles_ = extentsByProfile(program);
    }
}

KernelChoice const& ProfileChooser::chooseAt(Step const& step,
                                             std::vector<target::OperandSpec> const& specs,
                                             KernelChooser::Timing timing) {
    std::span<target::OperandSpec const> const all(specs);
    return chooser_.choose(*step.op, step.name, all.first(step.inputs().size()),
                           all.subspan(step.inputs().size()), timing);
}

std::vector<KernelChoice const*> ProfileChooser::fastest(Step const& step, Specs const& specs,
                                                         KernelChooser::Timing timing) {
    std::vector<KernelChoice const*> best;
    // The host may do the work of a step that writes a shape output: it has one kernel.
    bool const single = std::any_of(step.outputs().begin(), step.outputs().end(),
                                    [&](ValueId id) { return program_.value(id).shapeOutput; });
    for (std::size_t i = 0; !single && i < profiles_.size(); ++i) {
        KernelChoice const& choice = chooseAt(step, specs(profiles_[i]), timing);
        if (!choice.found) {
            best.clear();
            break;
        }
        best.push_back(&choice);
    }
    if (best.empty()) {
        KernelChoice const& all = chooseAt(step, specs(united_), timing);
        refusals_ = all.reasons;
        best.assign(all.found ? program_.profiles.size() : 0, &all);
    }
    return best;
}

StepKernels ProfileChooser::choose(Step const& step, Specs const& specs) {
    std::vector<KernelChoice const*> best = fastest(step, specs, KernelChooser::Timing::kIfSeveral);
    settleOrders(best, step, specs);
    return withoutDuplicates(best);
}

std::optional<double> ProfileChooser::seconds(Step const& step, Specs const& specs) {
    std::vector<KernelChoice const*> const best = fastest(step, specs, KernelChooser::Timing::kAll);
    double sum = 0.0;
    for (KernelChoice const* const choice : best) {
        sum += choice->seconds;
    }
    return best.empty() ? std::nullopt : std::optional(sum / static_cast<double>(best.size()));
}

double ProfileChooser::secondsOf(KernelChoice const& choice, Step const& step, Specs const& specs,
                                 std::size_t profile) {
    std::vector<target::OperandSpec> const own = specs(profiles_[profile]);
    std::span<target::OperandSpec const> const all(own);
    return chooser_.secondsOf(choice, *step.op, step.name, all.first(step.inputs().size()),
                              all.subspan(step.inputs().size()));
}

/// Replaces kernels with different orders of constants by one for all profiles, if it is worth it.
void ProfileChooser::settleOrders(std::vector<KernelChoice const*>& best, Step const& step,
                                  Specs const& specs) {
    std::vector<std::size_t> orders; // the first profile of each
    for (std::size_t i = 0; i < best.size(); ++i) {
        if (std::none_of(orders.begin(), orders.end(),
                         [&](std::size_t first) { return packAlike(*best[first], *best[i]); })) {
            orders.push_back(i);
        }
    }
    if (orders.size() < 2) {
        return; // also where one kernel was chosen for all
    }
    double apart = 0.0;
    for (std::size_t i = 0; i < best.size(); ++i) {
        apart += secondsOf(*best[i], step, specs, i);
    }
    KernelChoice const* shared = nullptr;
    double least = 0.0;
    for (std::size_t const first : orders) {
        // For all shapes, but for the optimum of this profile.
        std::vector<target::OperandSpec> wide = specs(united_);
        std::vector<target::OperandSpec> const narrow = specs(profiles_[first]);
        for (std::size_t i = 0; i < wide.size(); ++i) {
            wide[i].opt = narrow[i].opt;
        }
        KernelChoice const& choice = chooseAt(step, wide, KernelChooser::Timing::kIfSeveral);
        double seconds = 0.0;
        for (std::size_t i = 0; choice.found && i < best.size(); ++i) {
            seconds += secondsOf(choice, step, specs, i);
        }
        if (choice.found && (shared == nullptr || seconds < least)) {
            shared = &choice;
            least = seconds;
        }
    }
    if (shared != nullptr && apart > (1.0 - kWorthTwice) * least) {
        std::fill(best.begin(), best.end(), shared);
    }
}

} // namespace kiln::compiler
