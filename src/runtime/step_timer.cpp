// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_timer.h"

namespace kiln::runtime {

StepTimer::StepTimer(target::Device& device, std::size_t steps) : device_(device) {
    events_.reserve(steps + 1);
    for (std::size_t i = 0; i <= steps; ++i) {
        events_.emplace_back(device_);
    }
}

void StepTimer::mark(std::size_t index, target::StreamHandle stream) {
    device_.record(events_[index].get(), stream);
    complete_ = index + 1 == events_.size();
}

bool StepTimer::report(nvinfer1::IProfiler& profiler, plan::Document const& document) {
    if (!complete_) {
        return false;
    }
    device_.synchronizeEvent(events_.back().get());
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        profiler.reportLayerTime(document.steps[i].name.c_str(),
                                 device_.elapsedMs(events_[i].get(), events_[i + 1].get()));
    }
    return true;
}

} // namespace kiln::runtime
