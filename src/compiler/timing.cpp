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
// that host overhead is not measured.
constexpr double kBusyMs = 0.05;
constexpr int32_t kMostLaunches = 32;

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

private:
    target::Device& device_;
    target::OwnedStream stream_;
    target::OwnedEvent start_;
    target::OwnedEvent stop_;
};

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
    std::vector<runtime::DeviceBuffer> buffers;
    std::vector<void*> pointers;
    for (auto const& operands : {inputs, outputs}) {
        for (target::OperandSpec const& operand : operands) {
            if (operand.isAbsent()) {
                pointers.push_back(nullptr);
                continue;
            }
            if (operand.host || (device.isHost() && isLargeConstant(operand))) {
                pointers.push_back(const_cast<std::byte*>(operand.data.data()));
                continue;
            }
            std::size_t const bytes =
                operand.constant
                    ? operand.data.size() // may be packed
                    : storageBytes(operand.type.type, operand.type.format,
                                   operand.room.nbDims < 0 ? operand.opt : operand.room,
                                   "operand of a timed layer");
            void* const data =
                buffers
                    .emplace_back(device, std::max<std::size_t>(bytes, 1),
                                  "an operand of a timed layer", program.options.memory)
                    .data();
            pointers.push_back(data);
            if (operand.constant && bytes > 0) {
                device.copy(data, operand.data.data(), bytes, target::CopyKind::kHostToDevice,
                            watch.stream());
            } else {
                device.fill(data, 0, bytes, watch.stream());
            }
        }
    }
    void* const workspace =
        buffers
            .emplace_back(device, workspaceBytes, "the workspace of a timed layer",
                          program.options.memory)
            .data();
    target::KernelCall const call{pointers.data(), pointers.data() + inputs.size(), workspace};
    instance.reshape(dimsOf(inputs, &target::OperandSpec::opt),
                     dimsOf(outputs, &target::OperandSpec::opt));
    target::Launch const launch = instance.launch();
    auto const run = [&](int32_t times) {
        for (int32_t i = 0; i < times; ++i) {
            if (launch.run(launch.state, call, watch.stream()) != 0) {
                raise(ErrorKind::kPlugin, instance.failureText());
            }
        }
    };
    run(1); // warm up caches and lazy initialization
    device.synchronize(watch.stream());
    double best = watch.measureMs([&] { run(1); });
    double spent = best;
    int32_t const runs = program.options.timingRuns > 0 ? program.options.timingRuns : kMostRuns;
    int32_t const times = device.isHost() ? 1 : launchesFor(best);
    for (int32_t i = 1; i < runs && spent < kBudgetMs; ++i) {
        double const elapsed = watch.measureMs([&] { run(times); });
        best = std::min(best, elapsed / times);
        spent += elapsed;
    }
    if (instance.faulted()) {
        raise(ErrorKind::kPlugin, instance.failureText());
    }
    return best / 1000.0;
}

} // namespace kiln::compiler
