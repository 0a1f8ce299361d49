// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/measure.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "failure.h"

namespace kiln::trtexec {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using Streams = std::vector<Stream const*>;

double msSince(Clock::time_point origin) {
    return Milliseconds(Clock::now() - origin).count();
}

void sleepFor(double ms) {
    if (ms > 0) {
        std::this_thread::sleep_for(Milliseconds(ms));
    }
}

void start(Stream const& stream) {
    if (!(stream.device->hasGraph() ? stream.device->launchGraph()
                                    : stream.context->enqueueV3(stream.device->handle()))) {
        fail("[run] the engine's execution failed; the lines above say why");
    }
}

/// For synchronous targets: there is nothing to copy or to wait for.
void runOnHost(Stream const& stream, Query& run, Clock::time_point origin) {
    start(stream);
    run.enqueuedMs = msSince(origin);
    run.endMs = run.enqueuedMs;
    run.computeMs = run.endMs - run.beginMs;
}

void runOnDevice(Stream const& stream, bool copies, Query& run, Clock::time_point origin) {
    DeviceStream& device = *stream.device;
    device.mark(DeviceStream::kBegin);
    if (copies) {
        stream.bindings->upload(device.handle());
    }
    device.mark(DeviceStream::kUploaded);
    double const beforeMs = msSince(origin);
    start(stream);
    run.enqueuedMs = run.beginMs + (msSince(origin) - beforeMs); // only the call
    device.mark(DeviceStream::kComputed);
    if (copies) {
        stream.bindings->download(device.handle());
    }
    device.mark(DeviceStream::kEnd);
    device.wait();
    run.endMs = msSince(origin);
    run.h2dMs = device.between(DeviceStream::kBegin, DeviceStream::kUploaded);
    run.computeMs = device.between(DeviceStream::kUploaded, DeviceStream::kComputed);
    run.d2hMs = device.between(DeviceStream::kComputed, DeviceStream::kEnd);
}

Query runOnce(Stream const& stream, InferenceOptions const& options, Clock::time_point origin) {
    Query run{};
    run.beginMs = msSince(origin);
    sleepFor(options.sleepMs);
    if (device().usesHostMemory()) {
        runOnHost(stream, run, origin);
    } else {
        runOnDevice(stream, !options.noDataTransfers, run, origin);
    }
    sleepFor(options.idleMs);
    return run;
}

/// The work of one thread: runs its streams in turn.
class Worker {
public:
    Worker(Streams streams, InferenceOptions const& options)
        : streams_(std::move(streams)), options_(options) {}

    size_t warmUp() {
        Clock::time_point const begin = Clock::now();
        size_t count = 0;
        for (; msSince(begin) < options_.warmUpMs; ++count) {
            runOnce(*streams_[count % streams_.size()], options_, begin);
        }
        return count;
    }

    void measure(Clock::time_point begin) {
        for (size_t count = 0; options_.endless; ++count) { // until somebody ends the process
            runOnce(*streams_[count % streams_.size()], options_, begin);
        }
        size_t const least = static_cast<size_t>(options_.iterations) * streams_.size();
        double const durationMs = options_.durationS * 1000;
        runs.reserve(std::max<size_t>(least, 1U << 14));
        while (runs.size() < least || runs.back().endMs - runs.front().beginMs < durationMs) {
            runs.push_back(runOnce(*streams_[runs.size() % streams_.size()], options_, begin));
        }
    }

    std::vector<Query> runs;

private:
    Streams streams_;
    InferenceOptions const& options_;
};

std::vector<Worker> makeWorkers(std::vector<Stream> const& streams,
                                InferenceOptions const& options) {
    std::vector<Worker> workers;
    Streams all;
    for (Stream const& stream : streams) {
        if (options.threads) {
            workers.emplace_back(Streams{&stream}, options);
        } else {
            all.push_back(&stream);
        }
    }
    if (!options.threads) {
        workers.emplace_back(std::move(all), options);
    }
    return workers;
}

/// Calls work(worker) for each worker: a single one in this thread, several in a thread each.
/// Throws the first failure after all have finished.
template <typename Work>
void forEach(std::vector<Worker>& workers, Work work) {
    if (workers.size() == 1) {
        work(workers.front());
        return;
    }
    std::vector<std::exception_ptr> failures(workers.size());
    auto const workKeeping = [&](size_t i) {
        try {
            work(workers[i]);
        } catch (...) {
            failures[i] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads; // joined even if starting the next one throws
        threads.reserve(workers.size());
        for (size_t i = 0; i < workers.size(); ++i) {
            threads.emplace_back(workKeeping, i);
        }
    }
    for (std::exception_ptr const& failure : failures) {
        if (failure != nullptr) {
            std::rethrow_exception(failure);
        }
    }
}

std::vector<Query> merged(std::vector<Worker> const& workers) {
    std::vector<Query> runs;
    for (Worker const& worker : workers) {
        runs.insert(runs.end(), worker.runs.begin(), worker.runs.end());
    }
    std::sort(runs.begin(), runs.end(),
              [](Query const& a, Query const& b) { return a.beginMs < b.beginMs; });
    return runs;
}

} // namespace

std::vector<Query> measure(std::vector<Stream> const& streams, InferenceOptions const& options,
                           Logger& logger, std::function<void()> const& warm) {
    logger.info("Starting inference");
    std::vector<Worker> workers = makeWorkers(streams, options);
    std::vector<size_t> counts(workers.size());
    forEach(workers, [&](Worker& worker) {
        counts[static_cast<size_t>(&worker - workers.data())] = worker.warmUp();
    });
    size_t warmUpRuns = 0;
    for (size_t const count : counts) {
        warmUpRuns += count;
    }
    logger.info("Warmup completed {} queries over {:g} ms", warmUpRuns, options.warmUpMs);
    if (warm) {
        warm();
    }
    Clock::time_point const begin = Clock::now();
    forEach(workers, [&](Worker& worker) { worker.measure(begin); });
    std::vector<Query> runs = merged(workers);
    logger.info("Timing trace has {} queries over {:g} s", runs.size(), msSince(begin) / 1000);
    return runs;
}

} // namespace kiln::trtexec
