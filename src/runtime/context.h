// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/ticks.h"
#include "runtime/device_copies.h"
#include "runtime/engine.h"
#include "runtime/host_values.h"
#include "runtime/python_stream.h"
#include "runtime/shapes.h"
#include "runtime/size_points.h"
#include "runtime/size_reader.h"
#include "runtime/step_timer.h"

namespace kiln::runtime {

/// The state of an engine for one stream: input shapes, bound addresses, the arena, and the flat
/// list of steps that a run walks. For one thread at a time.
///
/// Names are looked up when an address is bound, shapes are computed when they change (at the next
/// run), and a run only walks the list. Runs that need more (host values of inputs, sizes computed
/// by plugins, output allocators, a profiler, debug tensors) use runWatched(): the same list with
/// checks around each step.
class Context {
public:
    /// `allocateArena` false: the user provides the memory with setArena() before the first run.
    /// True: it comes from `allocator`, which must outlive the context; null: from the target.
    Context(Engine const& engine, plugin::ContextServices const& services, bool allocateArena,
            nvinfer1::IGpuAllocator* allocator = nullptr);
    ~Context();
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;

    Engine const& engine() const noexcept { return engine_; }

    /// Throws kInvalidArgument for a shape outside the profile.
    void setInputShape(int32_t tensor, Dims const& dims);
    /// Current dimensions; -1 where they depend on inputs whose shape is not set, or on sizes that
    /// plugins compute, which may differ in the next run.
    Dims shape(int32_t tensor) const { return shapeUpTo(tensor, SizePoints::kAlways); }
    /// As shape(), with the sizes of the last run; waits for sizes that the run itself did not
    /// need.
    Dims foundShape(int32_t tensor);
    bool shapesKnown() const { return inputShapesKnown() && inputValuesKnown(); }
    bool inputShapesKnown() const;
    /// Whether the host values of all inputs that are read by value were read.
    bool inputValuesKnown() const;
    /// Indices of the inputs whose shape or host values are missing; reads the host values.
    std::vector<int32_t> missingInputs();
    void setProfile(int32_t profile);
    int32_t profile() const noexcept { return profile_; }

    /// Throws kInvalidArgument for a pointer that the target cannot use or, for tensors in host
    /// memory, that the host cannot use. Null removes the address.
    void setAddress(int32_t tensor, void* address);
    void* address(int32_t tensor) const noexcept {
        return addresses_[static_cast<std::size_t>(tensor)];
    }
    void setArena(void* memory, uint64_t bytes);

    // These objects must outlive the context or be removed with null.
    void setOutputAllocator(int32_t tensor, nvinfer1::IOutputAllocator* allocator);
    nvinfer1::IOutputAllocator* outputAllocator(int32_t tensor) const;
    void setProfiler(nvinfer1::IProfiler* profiler);
    nvinfer1::IProfiler* profiler() const noexcept { return profiler_; }
    /// False: times of a run are kept until reportTimes(). Default: true.
    void setReportEachRun(bool each) noexcept { reportEachRun_ = each; }
    bool reportsEachRun() const noexcept { return reportEachRun_; }
    /// False if no run was timed.
    bool reportTimes();
    void setDebugListener(nvinfer1::IDebugListener* listener);
    nvinfer1::IDebugListener* debugListener() const noexcept { return listener_; }
    /// Throws kInvalidArgument for tensors that were not marked when the engine was built.
    void setDebugState(std::string_view tensor, bool on);
    bool debugState(std::string_view tensor) const;
    void setAllDebugStates(bool on);
    /// Each run records the event after the last step that reads inputs. Null: none. Targets whose
    /// work is done when a run returns ignore it.
    void setInputConsumedEvent(target::EventHandle event);
    /// Waits for each step, to find the one that fails. Always on with KILN_SYNC=1.
    void setSync(bool each);

    /// Runs all steps on `stream`. Throws kInvalidState if shapes or addresses are missing, or the
    /// error of a step.
    void run(target::StreamHandle stream) {
        Turn const turn(*this);
        if (remote_) {
            return runRemote(stream);
        }
        if (stale_ || watched_) [[unlikely]] {
            runWithLook(stream);
            return;
        }
        walk(stream);
    }

    /// Whether the next run only calls plugins written in Python and waits for nothing.
    bool callsPythonAlone() const noexcept { return pythonAlone_ && !stale_ && !watched_; }

    /// Waits for the work on `stream` and throws its errors.
    void finish(target::StreamHandle stream);

private:
    struct Step {
        target::Launch launch;
        target::KernelCall call;
    };

    /// Detects a second thread, or a plugin that runs its own context. Not a lock: an atomic
    /// exchange costs as much as a whole empty run, and this only reports a mistake.
    class Turn {
    public:
        explicit Turn(Context& context) : busy_(context.busy_) {
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

    void layOutPointers();
    void selectPlugins(int32_t profile);
    void placeFixed();
    void checkReady() const;
    Dims shapeUpTo(int32_t tensor, int32_t known) const;
    void resolveShapes();
    void uploadValues(int32_t tensor);
    void hideUnknown(int32_t tensor);
    void checkResolved(std::size_t tensor) const;
    void reshapeSteps(std::size_t first, std::size_t last);

    bool isHostTensor(int32_t tensor) const;
    void* fixedOperand(plan::StepRecord const& step, std::size_t input);
    void checkAddress(int32_t tensor, void const* address) const;

    // context_faults.cpp
    static bool syncWanted();
    std::string stepName(std::size_t step) const;
    [[noreturn]] void blame(Error const& error) const;
    std::string suspects(std::string const& words) const;
    /// Runs body(). A device error names the plugins that may have caused it.
    template <typename Body>
    void withSuspects(Body&& body) const {
        try {
            body();
        } catch (Error const& error) {
            blame(error);
        }
    }
    void reportFaults() const;
    void syncStep(std::size_t step, target::StreamHandle stream) const;
    [[noreturn, gnu::cold]] void failStep(Step const& step, target::StreamHandle stream) const;

    // context_capture.cpp
    static bool isActive(target::Capture state);
    bool mayCapture(target::StreamHandle stream) const;
    void checkCapture() const;
    void checkNothingToUpload() const;
    void checkStillCapturing(std::size_t step, target::StreamHandle stream) const;
    [[noreturn]] void failCapture(std::size_t step, std::string const& text) const;

    // Runs that do more than walk the list (context_watched.cpp).
    void decideWatched();
    bool runWithLook(target::StreamHandle stream);
    /// A run on a target other than cpu.
    void runRemote(target::StreamHandle stream);
    void walk(target::StreamHandle stream) {
        for (Step const& step : steps_) {
            if (step.launch.run(step.launch.state, step.call, stream) != 0) [[unlikely]] {
                failStep(step, stream);
            }
        }
        if (unasked_) {
            left_ = ticks();
        }
    }
    void runWatched(target::StreamHandle stream);
    bool readShapeInputs();
    void checkValues(plan::TensorRecord const& tensor, std::span<int64_t const> values) const;
    std::size_t debugTensor(std::string_view name) const;
    void runStep(std::size_t step, target::StreamHandle stream);
    int32_t launch(std::size_t step, target::StreamHandle stream);

    // context_sizes.cpp
    void clearSizes(std::size_t step, target::StreamHandle stream);
    bool needsSizes(std::size_t step) const;
    void readSizes();
    void settleSizes();
    void settleShapes(int32_t before);
    void takeSizes(std::size_t step, target::StreamHandle stream);
    void provideOutputs(int32_t known, target::StreamHandle stream);
    void showDebugTensors(std::size_t step, target::StreamHandle stream);
    static void expectWorkspace(plan::StepRecord const& record, std::size_t wanted);
    void point(int32_t tensor, void* address);
    void setTarget(int32_t tensor, void* address);
    void placeArena(std::byte* base);

    // Members that each run reads come first, close together.
    Engine const& engine_;
    target::Backend& backend_;
    std::vector<Step> steps_;
    target::StreamHandle last_ = nullptr; ///< stream of the last run with a query
    uint64_t left_ = 0;                   ///< ticks() at the end of the last run; 0: query again
    std::atomic<bool> busy_{false};
    bool stale_ = true;
    bool watched_ = false;
    bool pythonAlone_ = false; ///< whether all steps are plugins written in Python
    bool anyPython_ = false;   ///< whether any step is such a plugin
    bool attached_ = false;    ///< whether plugin code runs, which may do anything
    bool capturing_ = false;   ///< whether the current run is recorded into a graph
    bool sync_ = false;
    bool unasked_ = false; ///< whether runs in quick succession skip the query: mayCapture()
    bool const separate_;  ///< whether kernels cannot read host memory
    bool const remote_;    ///< whether runs enter the thread first: all targets but cpu

    std::optional<target::ThreadScope> leaving_; ///< for the destructors of all members below
    plan::Document const& document_;
    std::vector<std::unique_ptr<target::KernelInstance>> instances_;
    /// By step and plugin: attached plugins of profiles that are not selected.
    std::map<std::pair<std::size_t, int32_t>, std::unique_ptr<target::KernelInstance>> parked_;
    plugin::ContextServices services_;
    std::vector<void*> pointers_;               ///< operands of all steps, one after another
    std::vector<std::vector<uint32_t>> places_; ///< by tensor: its positions in pointers_
    std::vector<std::size_t> firstOperand_;     ///< by step: its first position in pointers_
    std::vector<void*> addresses_;              ///< by tensor
    Leaves leaves_;
    SizePoints sizePoints_;
    HostValues hostValues_;
    std::vector<int64_t> scratch_;               ///< values just read; reused buffer
    std::vector<int32_t> shapeInputs_;           ///< tensors whose values the host reads
    std::vector<std::vector<int32_t>> sharers_;  ///< by tensor: tensors that share its memory
    std::vector<int64_t> values_;                ///< of the plan's expressions
    std::vector<Dims> dims_;                     ///< by tensor; -1 where not known yet
    std::vector<Dims> bounds_;                   ///< the same with all sizes at their bounds
    std::vector<std::vector<Dims>> preparedFor_; ///< by step: operand shapes of the last reshape
    DeviceBuffer ownArena_;
    void* arena_ = nullptr;
    int32_t profile_ = 0;
    int32_t known_ = SizePoints::kAlways; ///< sizes up to this step are known
    SizeReader sizes_;
    std::vector<std::size_t> pendingSizes_; ///< steps whose sizes are being copied
    bool graphSizes_ = false;               ///< they arrive when the user launches a graph
    target::EventHandle consumed_ = nullptr;
    std::size_t lastReader_ = 0;               ///< the last step that reads inputs
    std::optional<PythonStream> pythonStream_; ///< created when first needed
    DeviceCopies copies_; ///< of host tensors, if kernels cannot read host memory

    std::map<int32_t, nvinfer1::IOutputAllocator*> allocators_; ///< by tensor
    nvinfer1::IProfiler* profiler_ = nullptr;
    bool reportEachRun_ = true;
    std::optional<StepTimer> timer_;
    nvinfer1::IDebugListener* listener_ = nullptr;
    std::vector<bool> debugOn_; ///< by tensor
};

} // namespace kiln::runtime
