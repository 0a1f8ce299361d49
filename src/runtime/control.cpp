// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/control.h"

#include <algorithm>

#include "runtime/device_errors.h"
#include "runtime/plan_shapes.h"
#include "runtime/size_scopes.h"

namespace kiln::runtime {
namespace {

class ControlInstance final : public target::KernelInstance {
public:
    explicit ControlInstance(bool isChecked) : isChecked_(isChecked) {}

    void reshape(std::span<Dims const>, std::span<Dims const>) override {}
    target::Launch launch() override { return {isChecked_ ? &pass : &refuse, nullptr}; }

private:
    static int32_t pass(void*, target::KernelCall const&, target::StreamHandle) noexcept {
        return 0;
    }
    static int32_t refuse(void*, target::KernelCall const&, target::StreamHandle) noexcept {
        return 1; // contexts never start it
    }

    bool const isChecked_; ///< when shapes change
};

} // namespace

bool isCheckedBefore(plan::ControlRecord const& control) {
    return control.kind == plan::ControlKind::kRequire && control.decider.isNone();
}

bool hasControl(plan::Document const& document) {
    return std::any_of(document.steps.begin(), document.steps.end(),
                       [](plan::StepRecord const& step) {
                           return step.control.has_value() && !isCheckedBefore(*step.control);
                       });
}

void checkControl(plan::Document const& document, SizePoints const& points) {
    if (!hasControl(document)) {
        return;
    }
    std::vector<int64_t> const most = largestValues(document);
    if (points.any()) {
        checkSizeScopes(document);
    }
    for (plan::StepRecord const& step : document.steps) {
        if (!step.control.has_value()) {
            continue;
        }
        bool const counts =
            step.control->kind == plan::ControlKind::kRepeat && step.control->value >= 0;
        int64_t const passes = counts ? most[static_cast<std::size_t>(step.control->value)] : 0;
        if (passes > kMostPasses) {
            fail(ErrorKind::kCorruptData,
                 "[plan] loop '{}': expected at most {} passes, the profiles allow {}. Build the "
                 "plan again with a smaller largest value.",
                 step.name, kMostPasses, passes);
        }
    }
}

std::unique_ptr<target::KernelInstance> makeControlInstance(plan::ControlRecord const& control) {
    return std::make_unique<ControlInstance>(isCheckedBefore(control));
}

std::string deciderAfter(plan::Document const& document, SizePoints const& points,
                         std::size_t step) {
    for (std::size_t i = step; i < document.steps.size(); ++i) {
        auto const& control = document.steps[i].control;
        if (control.has_value() && control->value >= 0 &&
            points.knownAfter(control->value) == static_cast<int32_t>(step)) {
            return stepName(document, i);
        }
    }
    return {};
}

} // namespace kiln::runtime
