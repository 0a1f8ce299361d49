// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <NvInferRuntime.h>

#include "plan/document.h"
#include "target/handles.h"

namespace kiln::runtime {

/// Times each step of a run with events between the steps.
class StepTimer {
public:
    StepTimer(target::Device& device, std::size_t steps);

    /// Call it before step `index`, and once more after the last step.
    void mark(std::size_t index, target::StreamHandle stream);
    /// Waits for the run and reports every step; false if no run was timed yet.
    bool report(nvinfer1::IProfiler& profiler, plan::Document const& document);

private:
    target::Device& device_;
    std::vector<target::OwnedEvent> events_;
    bool complete_ = false;
};

} // namespace kiln::runtime
