// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Profiler, output allocators and debug listener of a context.
#include "api/execution_context.h"
#include "base/text.h"

namespace kiln::api {

void ExecutionContext::setProfiler(nvinfer1::IProfiler* profiler) noexcept {
    reporter_.guard([&] {
        context_.watch([&](runtime::Watchers& watchers) { watchers.setProfiler(profiler); });
    });
}

nvinfer1::IProfiler* ExecutionContext::getProfiler() const noexcept {
    return context_.watchers().profiler();
}

bool ExecutionContext::reportToProfiler() const noexcept {
    return reporter_.guard(false, [&] {
        if (context_.watchers().profiler() == nullptr || !context_.reportTimes()) {
            fail(ErrorKind::kInvalidState,
                 "[run] report to the profiler: expected a profiler and a run that it watched, got "
                 "{}. "
                 "Set a profiler, switch off that each run reports to it, and run first.",
                 context_.watchers().profiler() == nullptr ? "no profiler" : "no run");
        }
        return true;
    });
}

void ExecutionContext::setEnqueueEmitsProfile(bool enqueueEmitsProfile) noexcept {
    context_.watch(
        [&](runtime::Watchers& watchers) { watchers.setReportEachRun(enqueueEmitsProfile); });
}

bool ExecutionContext::getEnqueueEmitsProfile() const noexcept {
    return context_.watchers().reportsEachRun();
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
        nullptr, [&] { return context_.watchers().allocator(index(tensorName)); });
}

bool ExecutionContext::setDebugListener(nvinfer1::IDebugListener* listener) noexcept {
    return reporter_.guard(false, [&] {
        context_.watch([&](runtime::Watchers& watchers) { watchers.setListener(listener); });
        return true;
    });
}

nvinfer1::IDebugListener* ExecutionContext::getDebugListener() noexcept {
    return context_.watchers().listener();
}

bool ExecutionContext::setTensorDebugState(char const* name, bool flag) noexcept {
    return reporter_.guard(false, [&] {
        context_.watch(
            [&](runtime::Watchers& watchers) { watchers.setDebugState(orEmpty(name), flag); });
        return true;
    });
}

bool ExecutionContext::getDebugState(char const* name) const noexcept {
    return reporter_.guard(false, [&] { return context_.watchers().debugState(orEmpty(name)); });
}

bool ExecutionContext::setAllTensorsDebugState(bool flag) noexcept {
    return reporter_.guard(false, [&] {
        context_.watch([&](runtime::Watchers& watchers) { watchers.setAllDebugStates(flag); });
        return true;
    });
}

bool ExecutionContext::setUnfusedTensorsDebugState(bool flag) noexcept {
    return reporter_.guard(false, [&] {
        context_.watch([&](runtime::Watchers& watchers) { watchers.setUnfusedDebugStates(flag); });
        unfusedDebug_ = flag;
        return true;
    });
}

} // namespace kiln::api
