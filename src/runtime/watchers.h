// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "runtime/step_timer.h"

namespace kiln::runtime {

/// What a program attached to a context: a profiler, a debug listener, output allocators, an event
/// for consumed inputs, and waiting for each step. These objects must outlive the context or be
/// removed with null.
class Watchers {
public:
    using Allocators = std::map<plan::TensorId, nvinfer1::IOutputAllocator*>;

    /// The arguments must outlive the object.
    Watchers(target::Device& device, plan::Document const& document);

    /// Whether a run must do more than start its steps.
    bool any() const;

    void setProfiler(nvinfer1::IProfiler* profiler);
    nvinfer1::IProfiler* profiler() const noexcept { return profiler_; }
    /// False: times of a run are kept until reportTimes(). Default: true.
    void setReportEachRun(bool each) noexcept { reportEachRun_ = each; }
    bool reportsEachRun() const noexcept { return reportEachRun_; }
    /// False if no run was timed.
    bool reportTimes();

    void setListener(nvinfer1::IDebugListener* listener) noexcept { listener_ = listener; }
    nvinfer1::IDebugListener* listener() const noexcept { return listener_; }
    /// Throws kInvalidArgument for tensors that were not marked when the engine was built.
    void setDebugState(std::string_view tensor, bool on) { debugOn_[debugTensor(tensor)] = on; }
    bool debugState(std::string_view tensor) const { return debugOn_[debugTensor(tensor)]; }
    void setAllDebugStates(bool on);
    void setUnfusedDebugStates(bool on); ///< of tensors that were not fused away
    /// Whether a listener is shown any tensor.
    bool showsTensors() const;

    /// Throws kInvalidArgument for an input.
    void setAllocator(plan::TensorId tensor, nvinfer1::IOutputAllocator* allocator);
    nvinfer1::IOutputAllocator* allocator(plan::TensorId tensor) const;
    Allocators const& allocators() const noexcept { return allocators_; }
    /// Asks the allocator of an output for memory. Throws kOutOfMemory if it gives none.
    void* reallocate(plan::TensorId tensor, void* current, Dims const& dims,
                     target::StreamHandle stream);

    /// Each run records the event after the last step that reads inputs. Null: none. Targets whose
    /// work is done when a run returns ignore it.
    void setConsumedEvent(target::EventHandle event) noexcept;
    /// Waits for each step, to find the one that fails. Always on with KILN_SYNC=1.
    void setSync(bool each);
    bool sync() const noexcept { return sync_; }

    // A run calls these around each step and at its end.
    void beforeStep(std::size_t step, target::StreamHandle stream);
    void afterStep(std::size_t step, target::StreamHandle stream);
    /// The steps [first, last) of a body that does not run.
    void skip(std::size_t first, std::size_t last, target::StreamHandle stream);
    /// Shows the outputs of a step that are being debugged. Throws kInvalidState if the listener
    /// refuses.
    void show(std::size_t step, Table<plan::TensorId, Dims> const& dims,
              Table<plan::TensorId, void*> const& addresses, target::StreamHandle stream);
    /// Shows one tensor if it is being debugged.
    void showTensor(plan::TensorId tensor, Dims const& dims, void const* address,
                    target::StreamHandle stream);
    /// The debug tensors that no step writes: inputs, constants, and values that the host computes.
    std::vector<plan::TensorId> const& unwritten() const noexcept { return unwritten_; }
    void afterRun(target::StreamHandle stream);

private:
    plan::TensorId debugTensor(std::string_view name) const;

    target::Device& device_;
    plan::Document const& document_;
    nvinfer1::IProfiler* profiler_ = nullptr;
    std::optional<StepTimer> timer_; ///< made with the first profiler
    bool reportEachRun_ = true;
    nvinfer1::IDebugListener* listener_ = nullptr;
    Table<plan::TensorId, bool> debugOn_;
    std::vector<plan::TensorId> unwritten_;
    std::set<plan::TensorId> hostInputs_; ///< inputs in host memory on every target
    Allocators allocators_;
    target::EventHandle consumed_ = nullptr;
    std::size_t lastReader_ = 0; ///< the last step outside of bodies that reads inputs
    bool sync_ = false;
};

} // namespace kiln::runtime
