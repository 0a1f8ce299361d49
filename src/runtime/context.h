// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "runtime/bindings.h"
#include "runtime/capture.h"
#include "runtime/context_memory.h"
#include "runtime/decisions.h"
#include "runtime/device_errors.h"
#include "runtime/engine.h"
#include "runtime/host_tensors.h"
#include "runtime/launches.h"
#include "runtime/part_times.h"
#include "runtime/python_stream.h"
#include "runtime/shapes.h"
#include "runtime/sizes.h"
#include "runtime/step_ranges.h"
#include "runtime/watchers.h"
#include "runtime/weight_slots.h"

namespace kiln::runtime {

/// The state of an engine for one stream. For one thread at a time. The parts own the state and do
/// not know each other; this class makes them work together.
///
/// Names are looked up when an address is bound, shapes are computed when they change (at the next
/// run), and a run only walks the list of launches. A run that needs more (host values of inputs,
/// sizes computed by plugins, watchers) walks the same list with checks around each step.
class Context {
public:
    /// With MemoryStrategy::kUser, the user provides memory with setArena() before the first run.
    /// Else it comes from `allocator`, which must outlive the context; null: from the target.
    Context(Engine const& engine, plugin::ContextServices const& services, MemoryStrategy strategy,
            nvinfer1::IGpuAllocator* allocator = nullptr);
    ~Context();
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;

    Engine const& engine() const noexcept { return engine_; }

    /// Throws kInvalidArgument for a shape outside the profile.
    void setInputShape(plan::TensorId tensor, Dims const& dims);
    /// `stream`: of the runs so far.
    void setProfile(int32_t profile, target::StreamHandle stream = nullptr);
    /// Throws kInvalidArgument for a pointer that the target cannot use or, for tensors in host
    /// memory, that the host cannot use. Null removes the address.
    void setAddress(plan::TensorId tensor, void* address);
    void* address(plan::TensorId tensor) const noexcept { return bindings_.address(tensor); }
    /// Throws kInvalidArgument for memory that is too small for the current shapes, or for the
    /// profile if they are not known yet. Without a size, each run uses as little as its shapes
    /// allow.
    void setArena(void* memory, std::optional<uint64_t> bytes);
    MemoryStrategy memoryStrategy() const noexcept { return memory_.strategy(); }
    /// Bytes of memory that suffice for the current shapes. Throws kInvalidState if shapes or host
    /// values of inputs are missing.
    uint64_t arenaBytesForShapes();

    Shapes const& shapes() const noexcept { return shapes_; }
    /// Dimensions with the sizes of the last run; waits for sizes that the run itself did not need.
    Dims foundShape(plan::TensorId tensor);
    /// The inputs whose shape or host values are missing; reads the host values.
    std::vector<plan::TensorId> missingInputs();

    using Instances = std::vector<std::unique_ptr<target::KernelInstance>>;
    /// For Engine::rebind(): instances of these kernels, which were loaded again.
    Instances newInstances(std::span<std::size_t const> steps) const;
    /// Takes them, and the new addresses of constants.
    void takeInstances(std::span<std::size_t const> steps, Instances instances,
                       std::span<plan::TensorId const> constants) noexcept;

    Watchers const& watchers() const noexcept { return watchers_; }
    /// Calls change(Watchers&), which may add or remove watchers.
    template <typename Change>
    void watch(Change&& change) {
        change(watchers_);
        decideWatched();
    }
    /// Which ranges a profiler sees, see StepRanges.
    void setRanges(nvinfer1::ProfilingVerbosity verbosity);
    void setOutputAllocator(plan::TensorId tensor, nvinfer1::IOutputAllocator* allocator);
    /// Reports the times of the last run to the profiler; false if there are none.
    bool reportTimes();

    /// Runs all steps on `stream`. Throws kInvalidState if shapes or addresses are missing, or the
    /// error of a step.
    void run(target::StreamHandle stream) {
        Turn const turn(busy_);
        if (!onHost_) {
            return runOnDevice(stream);
        }
        if (!prepared_ || watched_) [[unlikely]] {
            return runWatched(stream);
        }
        startAll(stream);
    }

    /// Whether the next run only calls plugins written in Python and waits for nothing.
    bool callsPythonAlone() const noexcept {
        return python_ == PythonSteps::kAll && prepared_ && !watched_;
    }

    /// Waits for the work on `stream` and throws its errors.
    void finish(target::StreamHandle stream);

private:
    enum class PythonSteps { kNone, kSome, kAll };

    /// Detects a second thread, or a plugin that runs its own context. Not a lock: an atomic
    /// exchange costs as much as a whole empty run, and this only reports a mistake.
    class Turn {
    public:
        explicit Turn(std::atomic<bool>& busy) : busy_(busy) {
            if (busy_.load(std::memory_order_relaxed)) [[unlikely]] {
                failBusy();
            }
            busy_.store(true, std::memory_order_relaxed);
        }
        ~Turn() { busy_.store(false, std::memory_order_release); }
        Turn(Turn const&) = delete;
        Turn& operator=(Turn const&) = delete;

    private:
        std::atomic<bool>& busy_;
    };
    [[noreturn, gnu::cold]] static void failBusy();

    static PythonSteps pythonSteps(Engine const& engine);
    static CaptureState::Query captureQuery(Engine const& engine);
    void placeFixed();
    void placeConstant(plan::TensorId tensor);
    void setCalls();
    void placeArena();
    bool streams() const noexcept { return slots_ != nullptr && slots_->bytes() > 0; }
    Launches::Shapes currentShapes() const {
        return {shapes_.dims(), shapes_.bounds(), shapes_.values(), memory_.layout()};
    }
    MemoryLayout layoutForShapes() const;
    void decideWatched();

    // context_run.cpp
    void startAll(target::StreamHandle stream) {
        launches_.startAll(stream, [&](Launches::Step const& step) { failStarted(step, stream); });
    }
    void runOnDevice(target::StreamHandle stream);
    void runWatched(target::StreamHandle stream);
    void endFirstRun();
    void prepare();
    void expectReady() const;
    void placeForShapes();
    void readInputs();
    void runStep(std::size_t step, target::StreamHandle stream);

    // context_control.cpp
    /// Runs the steps [first, last), and control steps among them with their bodies.
    void runSteps(std::size_t first, std::size_t last, target::StreamHandle stream);
    void runControl(std::size_t step, target::StreamHandle stream);
    void prepareBody(std::size_t control, std::size_t first, std::size_t last);
    void prepareBehind(std::size_t control);
    void findExtents(std::size_t step, plan::Body const* body, target::StreamHandle stream);
    int64_t decision(std::size_t step, target::StreamHandle stream);
    static void require(plan::StepRecord const& step, int64_t value);
    void checkRequirements() const;
    void copyTensor(void const* from, plan::TensorId to, target::StreamHandle stream);
    void copyResult(plan::StepRecord const& step, plan::TensorId from, plan::TensorId to,
                    target::StreamHandle stream);
    void repeat(std::size_t step, int64_t passes, target::StreamHandle stream);

    // context_run.cpp
    int32_t startStep(std::size_t step, target::StreamHandle stream);
    void prepareSteps(std::size_t first, std::size_t last);
    void clearSizes(std::size_t step, target::StreamHandle stream);
    bool needsSizes(std::size_t step) const;
    void takeSizes(std::size_t step, target::StreamHandle stream);
    void settleSizes(int32_t before, target::StreamHandle stream);
    void keepSizes(std::vector<std::size_t> const& steps);
    void showUnwritten(int32_t knownAfter, target::StreamHandle stream);
    void allocateOutputs(int32_t knownAfter, target::StreamHandle stream);

    // context_errors.cpp
    /// Runs body(). A device error names the plugins that may have caused it.
    template <typename Body>
    void withBlame(Body&& body) const {
        try {
            body();
        } catch (Error const& error) {
            if (onHost_) {
                throw;
            }
            blame(document_, error);
        }
    }
    void expectRecordableRun() const;
    void waitForStep(std::size_t step, target::StreamHandle stream) const;
    void expectStillRecording(std::size_t step, target::StreamHandle stream) const;
    [[noreturn, gnu::cold]] void failStarted(Launches::Step const& step,
                                             target::StreamHandle stream) const;
    [[noreturn, gnu::cold]] void failStep(std::size_t step, target::StreamHandle stream) const;

    std::optional<target::DeviceScope> leaving_; ///< for the destructors of all members below
    // Members that each run reads lie close together.
    Engine const& engine_;
    target::Device& device_;
    bool const onHost_; ///< runs are done when they return, and kernels read host memory
    PythonSteps const python_;
    bool const controls_; ///< whether there are loops or branches
    std::atomic<bool> busy_{false};
    bool prepared_ = false; ///< whether the steps are ready for the current shapes and addresses
    bool watched_ = false;  ///< whether a run does more than start its steps
    Launches launches_;
    CaptureState capture_;

    plan::Document const& document_;
    SizePoints const& points_;
    HostTensors hostTensors_;
    Bindings bindings_;
    std::unique_ptr<StepRanges> ranges_; ///< null: no profiler
    std::unique_ptr<WeightSlots> slots_; ///< null: all constants are where the engine put them
    ContextMemory memory_;
    Shapes shapes_;
    Watchers watchers_;
    Sizes sizes_;
    Decisions decisions_;
    std::optional<PythonStream> pythonStream_; ///< created when first needed
    std::unique_ptr<PartTimes> firstRun_ = std::make_unique<PartTimes>(); ///< then null
};

} // namespace kiln::runtime
