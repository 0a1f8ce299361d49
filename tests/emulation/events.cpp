// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "emulation/chance.h"
#include "emulation/memory.h"
#include "emulation/streams.h"

namespace kiln::emulation {
namespace {

using Shared = std::shared_ptr<Event>; // pending work keeps it alive when the handle is destroyed

std::set<Shared*>& events() {
    static auto* const all = new std::set<Shared*>;
    return *all;
}

Shared* eventOf(CUevent handle) {
    auto* const event = reinterpret_cast<Shared*>(handle);
    return events().count(event) != 0 ? event : nullptr;
}

/// Runs the event's stream unless the event has passed this often.
void pass(Shared const& event, uint64_t count) {
    if (event->passed < count && event->stream != nullptr) {
        drain(*event->stream);
    }
}

void passed(Shared const& event, uint64_t count) {
    event->passed = count;
    event->time = std::chrono::steady_clock::now();
}

} // namespace

KILN_EMULATED CUresult cuEventCreate(CUevent* handle, unsigned flags) {
    Call const call(__func__);
    if (call.refused()) {
        return call.result();
    }
    auto* const event = new Shared(std::make_shared<Event>());
    (*event)->timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    if (Chance* const times = randomTimes()) { // from 1 ms: a builder then launches a kernel once
        (*event)->milliseconds = 1.0F + static_cast<float>(times->below(1024)) / 64.0F;
    }
    events().insert(event);
    *handle = reinterpret_cast<CUevent>(event);
    return CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuEventDestroy_v2(CUevent handle) {
    Call const call(__func__);
    Shared* const event = eventOf(handle);
    if (call.refused() || event == nullptr) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    events().erase(event);
    delete event;
    return CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuEventRecord(CUevent handle, CUstream streamHandle) {
    Call const call(__func__);
    Shared* const event = eventOf(handle);
    Stream* const stream = streamOf(streamHandle);
    if (call.refused() || event == nullptr || stream == nullptr) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    (*event)->captured = stream->capture;
    if (stream->capture != nullptr) {
        return stream->capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    }
    (*event)->stream = stream;
    uint64_t const count = ++(*event)->recorded;
    return enqueue(*stream, [event = *event, count] { passed(event, count); });
}

KILN_EMULATED CUresult cuEventSynchronize(CUevent handle) {
    Call const call(__func__);
    Shared* const event = eventOf(handle);
    if (call.refused() || event == nullptr) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    if ((*event)->captured != nullptr) {
        (*event)->captured->invalid = true;
        return kCapturedEvent;
    }
    pass(*event, (*event)->recorded);
    checkGuards();
    return lostWith();
}

KILN_EMULATED CUresult cuEventQuery(CUevent handle) {
    return cuEventSynchronize(handle);
}

KILN_EMULATED CUresult cuStreamWaitEvent(CUstream streamHandle, CUevent handle, unsigned) {
    Call const call(__func__);
    Shared* const event = eventOf(handle);
    Stream* const stream = streamOf(streamHandle);
    if (call.refused() || event == nullptr || stream == nullptr) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    if ((*event)->captured != nullptr) { // the stream joins the capture
        if (stream->capture == nullptr) {
            stream->capture = (*event)->captured;
        }
        return stream->capture == (*event)->captured ? CUDA_SUCCESS
                                                     : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (stream->capture != nullptr) { // it would depend on work outside of the graph
        stream->capture->invalid = true;
        return CUresult{905}; // CUDA_ERROR_STREAM_CAPTURE_ISOLATION
    }
    return enqueue(*stream, [event = *event, count = (*event)->recorded] { pass(event, count); });
}

KILN_EMULATED CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent stop) {
    Call const call(__func__);
    Shared* const from = eventOf(start);
    Shared* const to = eventOf(stop);
    if (call.refused() || from == nullptr || to == nullptr || !(*from)->timed || !(*to)->timed ||
        (*from)->recorded == 0 || (*to)->recorded == 0) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    if ((*from)->passed < (*from)->recorded || (*to)->passed < (*to)->recorded) {
        return CUDA_ERROR_NOT_READY;
    }
    *ms = (*from)->milliseconds != 0.0F
              ? (*from)->milliseconds
              : std::chrono::duration<float, std::milli>((*to)->time - (*from)->time).count();
    return CUDA_SUCCESS;
}

} // namespace kiln::emulation
