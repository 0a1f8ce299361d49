// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// An event stores the time at which it was recorded. All earlier work is complete by then.
#include <chrono>
#include <optional>

#include "handles.h"
#include "status.h"
#include "streams.h"

namespace kiln::cudart {
namespace {

using Clock = std::chrono::steady_clock;

struct Event {
    unsigned int flags = cudaEventDefault;
    std::optional<Clock::time_point> recorded;
};

constexpr unsigned int kAllFlags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

/// Never destroyed: other threads may use events while the process ends.
Handles<cudaEvent_t, Event>& events() {
    static auto* const all = new Handles<cudaEvent_t, Event>;
    return *all;
}

cudaError_t checkEvent(cudaEvent_t event) {
    bool const alive = events().with(event, [](Event const&) {});
    return alive ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/// When the event was recorded; empty if it was not, or is without timing.
std::optional<Clock::time_point> timeOf(cudaEvent_t event) {
    std::optional<Clock::time_point> time;
    events().with(event, [&](Event const& found) {
        if ((found.flags & cudaEventDisableTiming) == 0) {
            time = found.recorded;
        }
    });
    return time;
}

} // namespace
} // namespace kiln::cudart

using namespace kiln::cudart;

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
    bool const shared = (flags & cudaEventInterprocess) != 0;
    bool const timed = (flags & cudaEventDisableTiming) == 0;
    if (event == nullptr || (flags & ~kAllFlags) != 0 || (shared && timed)) {
        return report(cudaErrorInvalidValue);
    }
    return guarded([&] {
        *event = events().add({flags, std::nullopt});
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return events().remove(event) ? cudaSuccess : report(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    if (flags > cudaEventRecordExternal) {
        return report(cudaErrorInvalidValue);
    }
    bool const done = isStream(stream) &&
                      events().with(event, [](Event& found) { found.recorded = Clock::now(); });
    return report(done ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return report(checkEvent(event));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return report(checkEvent(event));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    if (flags > cudaEventWaitExternal) {
        return report(cudaErrorInvalidValue);
    }
    return report(isStream(stream) ? checkEvent(event) : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
    if (ms == nullptr) {
        return report(cudaErrorInvalidValue);
    }
    std::optional<Clock::time_point> const from = timeOf(start);
    std::optional<Clock::time_point> const to = timeOf(end);
    if (!from || !to) {
        return report(cudaErrorInvalidResourceHandle);
    }
    *ms = std::chrono::duration<float, std::milli>(*to - *from).count();
    return cudaSuccess;
}
