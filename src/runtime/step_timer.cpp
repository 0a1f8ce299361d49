// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_timer.h"

namespace kiln::runtime {

StepTimer::StepTimer(backend::Backend& backend, std::size_t steps) : backend_(backend) {
    for (std::size_t i = 0; i <= steps; ++i) {
        events_.push_back(backend_.createEvent());
    }
}

StepTimer::~StepTimer() {
    for (backend::EventHandle const event : events_) {
        backend_.destroyEvent(event);
    }
}

void StepTimer::mark(std::size_t index, backend::StreamHandle stream) {
    backend_.record(events_[index], stream);
    complete_ = index + 1 == events_.size();
}

bool StepTimer::report(nvinfer1::IProfiler& profiler, plan::Document const& document) {
    if (!complete_) {
        return false;
    }
    backend_.synchronizeEvent(events_.back());
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        profiler.reportLayerTime(document.steps[i].name.c_str(),
                                 backend_.elapsedMs(events_[i], events_[i + 1]));
    }
    return true;
}

} // namespace kiln::runtime
