// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/timing.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/gather.h"

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
// Runs during which another process had a core do not count, up to this multiple of the limits.
constexpr double kPatience = 2.0;
// Runs that are longer than a slice of the scheduler always count.
constexpr double kSliceMs = 3.0;
// A minimum that a second run confirms.
constexpr double kConfirmed = 1.05;
// How long a run waits until all threads have a core: about a slice of the scheduler.
constexpr std::chrono::microseconds kGather{4000};
constexpr int32_t kMostMissed = 2;
// Shorter runs do not wait: few of them use several threads, and they decide little.
constexpr double kWorthGatheringMs = 0.05;
// Of Timer::again().
constexpr int32_t kFewRuns = 4;
constexpr double kFewMs = 1.0;

// A device starts work with a delay. Launches of this much work between two events keep it busy, so
// that host overhead is not measured. They are recorded into a graph where the target has graphs,
// since small kernels take less time than their launch.
constexpr double kBusyMs = 0.1;
constexpr int32_t kMostLaunches = 32;

/// How often the threads of this process lost a core to others.
long lostCores() {
    rusage usage{};
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

/// Keeps the minimum of runs, and decides how many there are.
class HostRuns {
public:
    HostRuns(int32_t least, int32_t runs, double milliseconds, int32_t most)
        : least_(least), runs_(runs), milliseconds_(milliseconds), most_(most) {}

    bool goOn() const {
        if (all_ == 0 || (most_ > 0 && all_ >= most_)) {
            return all_ == 0;
        }
        if (counted_ < least_) {
            return all_ < kPatience * least_ && whole_ < kMostMs;
        }
        bool const enough = counted_ >= runs_ || spent_ >= milliseconds_;
        bool const patient = all_ < kPatience * runs_ && whole_ < kPatience * milliseconds_;
        return patient && !(enough && second_ <= kConfirmed * best_);
    }
    /// `waited`: until all threads had a core. A run that is disturbed counts only as the minimum.
    void add(double elapsed, double waited, bool disturbed) {
        ++all_;
        whole_ += waited + elapsed;
        if (!disturbed || elapsed > kSliceMs) {
            ++counted_;
            spent_ += elapsed;
        }
        second_ = std::min(second_, std::max(elapsed, best_));
        best_ = std::min(best_, elapsed);
    }
    double best() const { return best_; }
    /// By the runs so far.
    bool isLongerThan(double milliseconds) const { return all_ > 0 && best_ > milliseconds; }

private:
    int32_t least_;
    int32_t runs_;
    double milliseconds_;
    int32_t most_;
    int32_t all_ = 0;
    int32_t counted_ = 0;
    double spent_ = 0.0;
    double whole_ = 0.0;
    double best_ = std::numeric_limits<double>::infinity();
    double second_ = std::numeric_limits<double>::infinity();
};

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

/// Before operands take memory: what prepares the kernel for its shapes takes memory as well.
static target::Launch prepared(target::KernelInstance& instance,
                               std::span<target::OperandSpec const> inputs,
                               std::span<target::OperandSpec const> outputs) {
    instance.reshape(dimsOf(inputs, &target::OperandSpec::opt),
                     dimsOf(outputs, &target::OperandSpec::opt));
    return instance.launch();
}

Timer::Timer(Program const& program, target::KernelInstance& instance,
             std::span<target::OperandSpec const> inputs,
             std::span<target::OperandSpec const> outputs, uint64_t workspaceBytes,
             OperandMemory* shared)
    : program_(program), instance_(instance), watch_(*program.device),
      launch_(prepared(instance, inputs, outputs)),
      operands_(program, inputs, outputs, workspaceBytes, watch_.stream(), shared),
      best_(std::numeric_limits<double>::infinity()) {
    run(1); // warm up caches and lazy initialization
    watch_.device().synchronize(watch_.stream());
}

void Timer::run(int32_t times) {
    for (int32_t i = 0; i < times; ++i) {
        if (launch_.run(launch_.state, operands_.next(), watch_.stream()) != 0) {
            raise(ErrorKind::kPlugin, instance_.failureText());
        }
    }
}

void Timer::check() {
    if (instance_.faulted()) {
        raise(ErrorKind::kPlugin, instance_.failureText());
    }
}

void Timer::measure() {
    int32_t const runs = program_.options.timingRuns > 0 ? program_.options.timingRuns : kMostRuns;
    if (watch_.device().isHost()) {
        runOnHost(kLeastRuns, runs, kBudgetMs);
    } else {
        double const once = watch_.measureMs([&] { run(1); });
        best_ = bestInRounds(watch_, std::max(launchesFor(once), operands_.copies()), runs,
                             [&](int32_t times) { run(times); });
    }
    check();
}

void Timer::again() {
    operands_.refresh();
    runOnHost(1, kFewRuns, kFewMs);
    check();
}

void Timer::runOnHost(int32_t least, int32_t runs, double milliseconds) {
    HostRuns all(least, runs, milliseconds, program_.options.timingRuns);
    int32_t const threads = gatherableThreads();
    int32_t missed = 0;
    while (all.goOn()) {
        bool gathered = true;
        double waited = 0.0;
        if (all.isLongerThan(kWorthGatheringMs) && missed < kMostMissed) {
            waited = watch_.measureMs([&] { gathered = gatherThreads(threads, kGather); });
            missed += gathered ? 0 : 1;
        }
        long const lost = lostCores();
        double const elapsed = watch_.measureMs([&] { run(1); });
        all.add(elapsed, waited, !gathered || lostCores() != lost);
    }
    best_ = std::min(best_, all.best());
}

double timeInstance(Program const& program, target::KernelInstance& instance,
                    std::span<target::OperandSpec const> inputs,
                    std::span<target::OperandSpec const> outputs, uint64_t workspaceBytes) {
    Timer timer(program, instance, inputs, outputs, workspaceBytes);
    timer.measure();
    return timer.seconds();
}

} // namespace kiln::compiler
