// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/timing.h"

#include <algorithm>
#include <cmath>

#include "base/tensor_layout.h"
#include "runtime/device_buffer.h"
#include "target/handles.h"

namespace kiln::compiler {
namespace {

// A measurement ends after this time or this number of runs: enough for a stable minimum, and short
// enough for a build of hundreds of layers.
constexpr double kBudgetMs = 4.0;
constexpr int32_t kMostRuns = 20;

// A device starts work with a delay. Launches of this much work between two events keep it busy, so
// that host overhead is not measured. They are recorded into a graph where the target has graphs,
// since small kernels take less time than their launch.
constexpr double kBusyMs = 0.1;
constexpr int32_t kMostLaunches = 32;

// In a network, the weights of a layer are not in a cache of the device: the other layers' were
// read since. So copies of large weights are used in turn, this much in all.
constexpr std::size_t kCacheBytes = std::size_t{64} << 20;
constexpr std::size_t kMostCopies = 64;

/// How many launches are timed together if a single one takes this long.
int32_t launchesFor(double milliseconds) {
    double const wanted = std::ceil(kBusyMs / std::max(milliseconds, 1e-6));
    return static_cast<int32_t>(std::min<double>(wanted, kMostLaunches));
}

/// Large constants are used where they are, if the device can. Smaller ones are copied, because
/// they may not be aligned as in a plan.
bool isLargeConstant(target::OperandSpec const& operand) {
    constexpr std::size_t kLarge = std::size_t{4} << 20;
    return operand.constant && operand.data.size() >= kLarge;
}

/// Stream and two events of the target.
class Stopwatch {
public:
    explicit Stopwatch(target::Device& device)
        : device_(device), stream_(device, device.createStream()), start_(device), stop_(device) {}

    target::StreamHandle stream() const noexcept { return stream_.get(); }

    template <typename Work>
    double measureMs(Work&& work) {
        device_.record(start_.get(), stream());
        work();
        device_.record(stop_.get(), stream());
        device_.synchronize(stream());
        return device_.elapsedMs(start_.get(), stop_.get());
    }

    target::Device& device() const noexcept { return device_; }

private:
    target::Device& device_;
    target::OwnedStream stream_;
    target::OwnedEvent start_;
    target::OwnedEvent stop_;
};

/// Work that ran before, as a graph, if the target can record it.
class RecordedGraph {
public:
    template <typename Work>
    RecordedGraph(Stopwatch& watch, Work&& work) : watch_(watch) {
        try {
            device().beginCapture(watch.stream());
        } catch (Error const&) {
            return;
        }
        bool usable = true;
        try {
            work();
        } catch (Error const&) {
            usable = false; // the capture must end all the same
        }
        try {
            graph_ = device().endCapture(watch.stream());
        } catch (Error const&) {
            return;
        }
        if (!usable) {
            device().destroyGraph(graph_);
            graph_ = nullptr;
        }
    }
    ~RecordedGraph() {
        if (graph_ != nullptr) {
            device().destroyGraph(graph_);
        }
    }
    RecordedGraph(RecordedGraph const&) = delete;
    RecordedGraph& operator=(RecordedGraph const&) = delete;

    bool runs() const noexcept { return graph_ != nullptr; }
    void launch() const { device().launchGraph(graph_, watch_.stream()); }

private:
    target::Device& device() const { return watch_.device(); }

    Stopwatch& watch_;
    target::GraphHandle graph_ = nullptr;
};

/// Device memory for the operands of a timed layer, with several copies of large constants.
class TimedOperands {
public:
    TimedOperands(Program const& program, std::span<target::OperandSpec const> inputs,
                  std::span<target::OperandSpec const> outputs, uint64_t workspaceBytes,
                  target::StreamHandle stream)
        : program_(program), inputs_(inputs.size()), stream_(stream) {
        std::size_t bytes = 0;
        for (target::OperandSpec const& input : inputs) {
            bytes += isLarge(input) ? input.data.size() : 0;
        }
        bool const turns = bytes > 0 && !program.device->isHost();
        pointers_.resize(turns ? (kCacheBytes + bytes - 1) / bytes : 1);
        for (auto const& operands : {inputs, outputs}) {
            for (target::OperandSpec const& operand : operands) {
                add(operand);
            }
        }
        workspace_ = allocate(workspaceBytes, "the workspace of a timed layer");
    }

    int32_t copies() const noexcept { return static_cast<int32_t>(pointers_.size()); }

    /// The operands of launch number i.
    target::KernelCall call(int32_t i) const {
        std::vector<void*> const& own = pointers_[static_cast<std::size_t>(i) % pointers_.size()];
        return {own.data(), own.data() + inputs_, workspace_};
    }

private:
    static bool isLarge(target::OperandSpec const& operand) {
        return operand.constant && !operand.host &&
               operand.data.size() >= kCacheBytes / kMostCopies;
    }

    void* allocate(std::size_t bytes, char const* what) {
        return buffers_.emplace_back(*program_.device, bytes, what, program_.options.memory).data();
    }

    void add(target::OperandSpec const& operand) {
        std::size_t const copies = isLarge(operand) ? pointers_.size() : 1;
        void* const first = filled(operand, nullptr);
        for (std::size_t i = 0; i < pointers_.size(); ++i) {
            pointers_[i].push_back(i == 0 || i >= copies ? first : copyOf(operand, first));
        }
    }

    /// A copy, or the original if there is no memory for one.
    void* copyOf(target::OperandSpec const& operand, void* original) {
        try {
            return filled(operand, original);
        } catch (Error const& error) {
            if (error.kind() != ErrorKind::kOutOfMemory) {
                throw;
            }
            return original;
        }
    }

    /// Memory with the data of `original`, of a constant, or with zeros.
    void* filled(target::OperandSpec const& operand, void const* original) {
        if (operand.isAbsent()) {
            return nullptr;
        }
        if (operand.host || (program_.device->isHost() && isLargeConstant(operand))) {
            return const_cast<std::byte*>(operand.data.data());
        }
        std::size_t const bytes =
            operand.constant ? operand.data.size() // may be packed
                             : storageBytes(operand.type.type, operand.type.format,
                                            operand.room.nbDims < 0 ? operand.opt : operand.room,
                                            "operand of a timed layer");
        void* const data = allocate(std::max<std::size_t>(bytes, 1), "an operand of a timed layer");
        if (original != nullptr) {
            program_.device->copy(data, original, bytes, target::CopyKind::kDeviceToDevice,
                                  stream_);
        } else if (operand.constant && bytes > 0) {
            program_.device->copy(data, operand.data.data(), bytes, target::CopyKind::kHostToDevice,
                                  stream_);
        } else {
            program_.device->fill(data, 0, bytes, stream_);
        }
        return data;
    }

    Program const& program_;
    std::size_t inputs_;
    target::StreamHandle stream_;
    std::vector<runtime::DeviceBuffer> buffers_;
    std::vector<std::vector<void*>> pointers_; ///< of each copy: inputs, outputs
    void* workspace_ = nullptr;
};

/// Milliseconds of one of `times` launches, the least of several rounds, on a device.
template <typename Run>
double bestInRounds(Stopwatch& watch, int32_t times, int32_t rounds, Run const& run) {
    RecordedGraph const graph(watch, [&] { run(times); });
    double best = 0.0;
    double spent = 0.0;
    for (int32_t i = 0; i == 0 || (i < rounds && spent < kBudgetMs); ++i) {
        double const elapsed = watch.measureMs([&] { graph.runs() ? graph.launch() : run(times); });
        best = i == 0 ? elapsed : std::min(best, elapsed);
        spent += elapsed;
    }
    return best / times;
}

} // namespace

void failOnMiss(Program const& program, std::string_view layer) {
    if (program.options.timingCacheOnly) {
        fail(ErrorKind::kInvalidState,
             "[builder] layer '{}': expected its timings in the timing cache, since "
             "ERROR_ON_TIMING_CACHE_MISS is set, got none. Clear the flag to time it.",
             layer);
    }
}

std::vector<Dims> dimsOf(std::span<target::OperandSpec const> operands,
                         Dims target::OperandSpec::* corner) {
    std::vector<Dims> dims;
    for (target::OperandSpec const& operand : operands) {
        dims.push_back(operand.*corner);
    }
    return dims;
}

double timeInstance(Program const& program, target::KernelInstance& instance,
                    std::span<target::OperandSpec const> inputs,
                    std::span<target::OperandSpec const> outputs, uint64_t workspaceBytes) {
    target::Device& device = *program.device;
    Stopwatch watch(device);
    TimedOperands const operands(program, inputs, outputs, workspaceBytes, watch.stream());
    instance.reshape(dimsOf(inputs, &target::OperandSpec::opt),
                     dimsOf(outputs, &target::OperandSpec::opt));
    target::Launch const launch = instance.launch();
    auto const run = [&](int32_t times) {
        for (int32_t i = 0; i < times; ++i) {
            if (launch.run(launch.state, operands.call(i), watch.stream()) != 0) {
                raise(ErrorKind::kPlugin, instance.failureText());
            }
        }
    };
    run(1); // warm up caches and lazy initialization
    device.synchronize(watch.stream());
    double best = watch.measureMs([&] { run(1); });
    double spent = best;
    int32_t const runs = program.options.timingRuns > 0 ? program.options.timingRuns : kMostRuns;
    if (device.isHost()) {
        for (int32_t i = 1; i < runs && spent < kBudgetMs; ++i) {
            double const elapsed = watch.measureMs([&] { run(1); });
            best = std::min(best, elapsed);
            spent += elapsed;
        }
    } else {
        best = bestInRounds(watch, std::max(launchesFor(best), operands.copies()), runs, run);
    }
    if (instance.faulted()) {
        raise(ErrorKind::kPlugin, instance.failureText());
    }
    return best / 1000.0;
}

} // namespace kiln::compiler
