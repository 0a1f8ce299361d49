// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Profiler, output allocators and debug listener of a context.
#include "api/execution_context.h"
#include "base/text.h"

namespace kiln::api {

void ExecutionContext::setProfiler(nvinfer1::IProfiler* profiler) noexcept {
    reporter_.guard([&] { context_.setProfiler(profiler); });
}

nvinfer1::IProfiler* ExecutionContext::getProfiler() const noexcept {
    return context_.profiler();
}

bool ExecutionContext::reportToProfiler() const noexcept {
    return reporter_.guard(false, [&] {
        if (context_.profiler() == nullptr || !context_.reportTimes()) {
            fail(ErrorKind::kInvalidState,
                 "[run] report to the profiler: expected a profiler and a run that it watched, got "
                 "{}. "
                 "Set a profiler, switch off that each run reports to it, and run first.",
                 context_.profiler() == nullptr ? "no profiler" : "no run");
        }
        return true;
    });
}

void ExecutionContext::setEnqueueEmitsProfile(bool enqueueEmitsProfile) noexcept {
    context_.setReportEachRun(enqueueEmitsProfile);
}

bool ExecutionContext::getEnqueueEmitsProfile() const noexcept {
    return context_.reportsEachRun();
}

bool ExecutionContext::setOutputAllocator(char const* tensorName,
                                          nvinfer1::IOutputAllocator* outputAllocator) noexcept {
    return reporter_.guard(false, [&] {
        context_.setOutputAllocator(index(tensorName), outputAllocator);
        return true;
    });
}

nvinfer1::IOutputAllocator* ExecutionContext::getOutputAllocator(
    char const* tensorName) const noexcept {
    return reporter_.guard<nvinfer1::IOutputAllocator*>(
        nullptr, [&] { return context_.outputAllocator(index(tensorName)); });
}

bool ExecutionContext::setDebugListener(nvinfer1::IDebugListener* listener) noexcept {
    return reporter_.guard(false, [&] {
        context_.setDebugListener(listener);
        return true;
    });
}

nvinfer1::IDebugListener* ExecutionContext::getDebugListener() noexcept {
    return context_.debugListener();
}

bool ExecutionContext::setTensorDebugState(char const* name, bool flag) noexcept {
    return reporter_.guard(false, [&] {
        context_.setDebugState(orEmpty(name), flag);
        return true;
    });
}

bool ExecutionContext::getDebugState(char const* name) const noexcept {
    return reporter_.guard(false, [&] { return context_.debugState(orEmpty(name)); });
}

bool ExecutionContext::setAllTensorsDebugState(bool flag) noexcept {
    return reporter_.guard(false, [&] {
        context_.setAllDebugStates(flag);
        return true;
    });
}

bool ExecutionContext::setUnfusedTensorsDebugState(bool flag) noexcept {
    unfusedDebug_ = flag;
    return setAllTensorsDebugState(flag);
}

} // namespace kiln::api
