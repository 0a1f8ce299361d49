// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/timing.h"

#include <algorithm>
#include <cmath>

#include "compiler/stopwatch.h"
#include "compiler/timed_operands.h"

namespace kiln::compiler {
namespace {

// A measurement ends after this time or this number of runs: enough for a stable minimum, and short
// enough for a build of hundreds of layers.
constexpr double kBudgetMs = 4.0;
constexpr int32_t kMostRuns = 20;
// On a host, other processes may take the core away in any run. So long kernels run a few times,
// too.
constexpr int32_t kLeastRuns = 3;
constexpr double kMostMs = 60.0;

// A device starts work with a delay. Launches of this much work between two events keep it busy, so
// that host overhead is not measured. They are recorded into a graph where the target has graphs,
// since small kernels take less time than their launch.
constexpr double kBusyMs = 0.1;
constexpr int32_t kMostLaunches = 32;

/// How many launches are timed together if a single one takes this long.
int32_t launchesFor(double milliseconds) {
    double const wanted = std::ceil(kBusyMs / std::max(milliseconds, 1e-6));
    return static_cast<int32_t>(std::min<double>(wanted, kMostLaunches));
}

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
        auto const goesOn = [&](int32_t done) {
            return done < runs && spent < (done < kLeastRuns ? kMostMs : kBudgetMs);
        };
        for (int32_t i = 1; goesOn(i); ++i) {
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
