// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/control.h"

#include <algorithm>

#include "runtime/device_errors.h"
#include "runtime/plan_shapes.h"

namespace kiln::runtime {
namespace {

class ControlInstance final : public target::KernelInstance {
public:
    void reshape(std::span<Dims const>, std::span<Dims const>) override {}
    target::Launch launch() override { return {&run, nullptr}; }

private:
    static int32_t run(void*, target::KernelCall const&, target::StreamHandle) noexcept {
        return 1; // contexts never start it
    }
};

} // namespace

bool hasControl(plan::Document const& document) {
    return std::any_of(document.steps.begin(), document.steps.end(),
                       [](plan::StepRecord const& step) { return step.control.has_value(); });
}

void checkControl(plan::Document const& document, SizePoints const& points) {
    if (!hasControl(document)) {
        return;
    }
    std::vector<int64_t> const most = largestValues(document);
    std::size_t bodiesEnd = 0;
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        plan::StepRecord const& step = document.steps[i];
        if (i < bodiesEnd && !points.writtenBy(i).empty()) {
            fail(ErrorKind::kCorruptData,
                 "[plan] step '{}': expected known shapes in loops and branches, got a step that "
                 "finds sizes. Build the plan again with this layer outside.",
                 step.name);
        }
        if (!step.control.has_value()) {
            continue;
        }
        bodiesEnd = std::max(bodiesEnd, i + 1 + step.control->steps());
        int64_t const passes = most[static_cast<std::size_t>(step.control->value)];
        if (step.control->kind == plan::ControlKind::kRepeat && passes > kMostPasses) {
            fail(ErrorKind::kCorruptData,
                 "[plan] loop '{}': expected at most {} passes, the profiles allow {}. Build the "
                 "plan again with a smaller largest value.",
                 step.name, kMostPasses, passes);
        }
    }
}

std::unique_ptr<target::KernelInstance> makeControlInstance() {
    return std::make_unique<ControlInstance>();
}

std::string deciderAfter(plan::Document const& document, SizePoints const& points,
                         std::size_t step) {
    for (std::size_t i = step; i < document.steps.size(); ++i) {
        auto const& control = document.steps[i].control;
        if (control.has_value() &&
            points.knownAfter(control->value) == static_cast<int32_t>(step)) {
            return stepName(document, i);
        }
    }
    return {};
}

} // namespace kiln::runtime
