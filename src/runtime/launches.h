// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "runtime/memory_layout.h"
#include "runtime/size_points.h"
#include "target/kernel.h"

namespace kiln::runtime {

class PartTimes;

/// The kernels and plugins of one context, and the flat list of steps that a run walks.
class Launches {
public:
    struct Step {
        target::Launch launch;
        target::KernelCall call;
    };
    /// Creates the kernel or plugin of a step for a profile.
    using MakeInstance =
        std::function<std::unique_ptr<target::KernelInstance>(std::size_t step, int32_t profile)>;

    /// The document and the points must outlive the object. Profile 0 is selected.
    Launches(plan::Document const& document, SizePoints const& points, MakeInstance make);

    std::size_t size() const noexcept { return steps_.size(); }
    /// Starts every step, in order. Calls fail(Step const&), which must throw, for the first that
    /// could not be started.
    template <typename Fail>
    void startAll(target::StreamHandle stream, Fail&& fail) const {
        for (Step const& step : steps_) {
            if (step.launch.run(step.launch.state, step.call, stream) != 0) [[unlikely]] {
                fail(step);
            }
        }
    }
    /// Starts one step. Returns 0 on success.
    int32_t start(std::size_t step, target::StreamHandle stream) const noexcept {
        return steps_[step].launch.run(steps_[step].launch.state, steps_[step].call, stream);
    }
    std::size_t indexOf(Step const& step) const noexcept {
        return static_cast<std::size_t>(&step - steps_.data());
    }
    target::KernelInstance const& instance(std::size_t step) const { return *instances_[step]; }

    /// Sets the operand pointers of a step. The arrays must keep their addresses.
    void setCall(std::size_t step, target::KernelCall const& call) { steps_[step].call = call; }

    /// Sets the kernel of a step; the next prepare() prepares it. Drops those of other profiles.
    void replace(std::size_t step, std::unique_ptr<target::KernelInstance> instance) noexcept;

    /// What steps are prepared for.
    struct Shapes {
        Table<plan::TensorId, Dims> const& dims;   ///< -1 where not known yet
        Table<plan::TensorId, Dims> const& bounds; ///< the same with all sizes at their bounds
        std::span<int64_t const> values;           ///< of the plan's expressions
        MemoryLayout const* layout = nullptr;      ///< of workspaces; null: that of the plan
    };
    /// Prepares the steps [first, last) whose operands changed their shape since the last call.
    /// `times`: takes the times of kernels, if not null.
    void prepare(std::size_t first, std::size_t last, Shapes const& shapes,
                 PartTimes* times = nullptr);
    /// Reduces the workspaces of kernels, by step, to what they need at these shapes.
    void fitWorkspaces(Shapes const& shapes, std::span<uint64_t> bytes) const;

    /// Takes the kernels of a profile and attaches its plugins; the next prepare() announces the
    /// shapes to these and to all plugins. Those of other profiles stay, because programs switch
    /// back and forth. Changes nothing if it throws.
    void select(int32_t profile);

private:
    /// A step, and the plugin or the kernel that runs it in a profile.
    using Work = std::pair<std::size_t, int32_t>;
    Work workOf(std::size_t step, int32_t profile) const;
    void findOperands(std::size_t step, Shapes const& shapes, std::vector<Dims>& operands) const;
    void prepareStep(std::size_t step, std::span<Dims const> operands, Shapes const& shapes);

    std::vector<Step> steps_; // first: each run reads it
    plan::Document const& document_;
    SizePoints const& points_;
    MakeInstance make_;
    int32_t selected_ = 0;                                           ///< profile
    std::vector<std::unique_ptr<target::KernelInstance>> instances_; ///< by step
    /// Kernels and attached plugins of profiles that are not selected.
    std::map<Work, std::unique_ptr<target::KernelInstance>> parked_;
    std::vector<std::vector<Dims>> preparedFor_; ///< by step: operand shapes of the last reshape
};

} // namespace kiln::runtime
