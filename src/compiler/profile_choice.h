// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/kernel_choice.h"
#include "compiler/program.h"

namespace kiln::compiler {

/// The kernels that run a step.
struct StepKernels {
    std::vector<KernelChoice const*> kernels; ///< without duplicates; the first profile's first
    std::vector<std::size_t> ofProfile;       ///< by profile: index into `kernels`
    uint64_t workspaceBytes = 0;              ///< enough for all of them
    std::vector<uint64_t> workspaces;         ///< by profile: enough there; empty: the same in all

    bool found() const noexcept { return !kernels.empty(); }
};

/// Chooses a kernel for each profile, at its optimum.
///
/// Kernels may have their constants in orders of their own. One kernel for all profiles is taken
/// instead of several with different orders, unless these are faster by kWorthTwice over all
/// profiles together: the plan would hold the weights several times.
class ProfileChooser {
public:
    /// The operands of a step for the shapes in `extents`: inputs, then outputs.
    using Specs = std::function<std::vector<target::OperandSpec>(Extents const& extents)>;
    static constexpr double kWorthTwice = 0.05;

    ProfileChooser(Program const& program, KernelChooser& chooser);

    Extents const& united() const noexcept { return united_; }
    std::vector<Extents> const& profiles() const noexcept { return profiles_; }

    /// None is found if a kernel is missing for any profile, and for all of them together.
    StepKernels choose(Step const& step, Specs const& specs);
    /// The mean time over the profiles, each with its fastest kernel, which is timed even if it is
    /// the only one. Nullopt where choose() finds none.
    std::optional<double> seconds(Step const& step, Specs const& specs);
    /// Why no kernel was found for all profiles together.
    std::vector<std::string> const& refusals() const noexcept { return refusals_; }

private:
    /// By profile; all the same if a profile has none of its own; empty if there is none.
    std::vector<KernelChoice const*> fastest(Step const& step, Specs const& specs,
                                             KernelChooser::Timing timing);
    KernelChoice const& chooseAt(Step const& step, std::vector<target::OperandSpec> const& specs,
                                 KernelChooser::Timing timing);
    double secondsOf(KernelChoice const& choice, Step const& step, Specs const& specs,
                     std::size_t profile);
    void settleOrders(std::vector<KernelChoice const*>& best, Step const& step, Specs const& specs);

    Program const& program_;
    KernelChooser& chooser_;
    Extents united_;
    std::vector<Extents> profiles_; ///< empty if there is one
    std::vector<std::string> refusals_;
};

} // namespace kiln::compiler
