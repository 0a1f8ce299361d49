// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Streams defer their work until something waits for it, so that a host that reads too early reads
// old values. Only events and the legacy stream order work between streams.
#include "emulation/streams.h"

#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include "emulation/chance.h"
#include "emulation/context.h"
#include "emulation/memory.h"

namespace kiln::emulation {
namespace {

Stream& legacy() {
    static auto* const stream = new Stream;
    return *stream;
}

std::set<Stream*>& streams() {
    static auto* const all = new std::set<Stream*>{&legacy()};
    return *all;
}

bool worksAtOnce() {
    static char const* const text = std::getenv("KILN_EMULATION_STREAMS");
    return text != nullptr && std::string_view(text) == "now";
}

bool capturesLegacy() {
    bool found = false;
    for (Stream* const stream : streams()) {
        if (stream->blocking && stream->capture != nullptr) {
            stream->capture->invalid = found = true;
        }
    }
    return found;
}

} // namespace

Stream* streamOf(CUstream handle) {
    auto* const stream = reinterpret_cast<Stream*>(handle);
    if (stream == nullptr || handle == reinterpret_cast<CUstream>(1)) {
        return &legacy();
    }
    return streams().count(stream) != 0 && stream->context == currentContext() ? stream : nullptr;
}

CUresult enqueue(Stream& stream, Work work) {
    if (stream.capture != nullptr) {
        if (!stream.capture->invalid) {
            stream.capture->works.push_back(std::move(work));
        }
        return stream.capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    }
    if (&stream == &legacy()) {
        if (capturesLegacy()) {
            return kCaptureImplicit;
        }
        for (Stream* const other : streams()) {
            if (other != &stream && other->blocking) {
                drain(*other);
            }
        }
    } else if (stream.blocking) {
        drain(legacy());
    }
    stream.queue.push_back(std::move(work));
    if (worksAtOnce()) {
        drain(stream);
    }
    return CUDA_SUCCESS;
}

/// Runs the first piece of work of a stream, which has some.
static void runFirst(Stream& stream) {
    DeviceAccess const access;
    Work const work = std::move(stream.queue.front());
    stream.queue.pop_front();
    if (lostWith() == CUDA_SUCCESS) {
        work();
    }
}

void drain(Stream& stream) {
    DeviceAccess const access;
    while (!stream.queue.empty()) {
        runFirst(stream);
    }
}

void drainAll() {
    std::vector<Stream*> busy(streams().begin(), streams().end());
    for (Chance* const chance = randomOrder(); chance != nullptr && !busy.empty();) {
        auto const at = busy.begin() + chance->below(static_cast<unsigned>(busy.size()));
        if ((*at)->queue.empty()) {
            busy.erase(at);
        } else {
            runFirst(**at);
        }
    }
    for (Stream* const stream : busy) {
        drain(*stream);
    }
}

bool forbidsCapture() {
    bool found = false;
    for (Stream* const stream : streams()) {
        Graph* const graph = stream->capture.get();
        if (graph != nullptr && (graph->mode == CU_STREAM_CAPTURE_MODE_GLOBAL ||
                                 (graph->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
                                  graph->thread == std::this_thread::get_id()))) {
            graph->invalid = found = true;
        }
    }
    return found;
}

bool forbidsCapture(Stream& stream) {
    if (stream.capture != nullptr) {
        stream.capture->invalid = true;
    }
    return stream.capture != nullptr;
}

KILN_EMULATED CUresult cuStreamCreate(CUstream* handle, unsigned flags) {
    Call const call(__func__);
    if (call.refused()) {
        return call.result();
    }
    auto* const stream = new Stream;
    stream->context = currentContext();
    stream->blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
    streams().insert(stream);
    *handle = reinterpret_cast<CUstream>(stream);
    return CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuStreamDestroy_v2(CUstream handle) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || stream == nullptr || stream == &legacy()) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    drain(*stream);
    streams().erase(stream);
    delete stream;
    return lostWith();
}

KILN_EMULATED CUresult cuStreamSynchronize(CUstream handle) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || stream == nullptr) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    if (forbidsCapture(*stream)) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (stream == &legacy()) {
        if (capturesLegacy()) {
            return kCaptureImplicit;
        }
        for (Stream* const other : streams()) {
            if (other->blocking) {
                drain(*other);
            }
        }
    }
    drain(*stream);
    checkGuards();
    return lostWith();
}

KILN_EMULATED CUresult cuStreamQuery(CUstream handle) {
    return cuStreamSynchronize(handle);
}

KILN_EMULATED CUresult cuCtxSynchronize() {
    Call const call(__func__);
    if (call.refused() || forbidsCapture()) {
        return call.refused() ? call.result() : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    drainAll();
    checkGuards();
    return lostWith();
}

KILN_EMULATED CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
    Call const call(__func__);
    Stream const* const stream = streamOf(handle);
    if (call.refused() || stream == nullptr) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    if (stream == &legacy() && capturesLegacy()) {
        return kCaptureImplicit;
    }
    *status = stream->capture == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE
              : stream->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                         : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || stream == nullptr) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    if (stream == &legacy() || stream->capture != nullptr) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    stream->capture = std::make_shared<Graph>();
    stream->capture->mode = mode;
    stream->capture->thread = std::this_thread::get_id();
    stream->startedCapture = true;
    return CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    *graph = nullptr;
    if (call.refused() || stream == nullptr || stream->capture == nullptr) {
        return call.refused() ? call.result() : CUDA_ERROR_INVALID_VALUE;
    }
    if (!stream->startedCapture) {
        return CUresult{904}; // CUDA_ERROR_STREAM_CAPTURE_UNMATCHED
    }
    std::shared_ptr<Graph> const captured = stream->capture;
    for (Stream* const other : streams()) { // includes those that joined through events
        if (other->capture == captured) {
            other->capture.reset();
            other->startedCapture = false;
        }
    }
    if (captured->invalid) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    *graph = reinterpret_cast<CUgraph>(new std::shared_ptr<Graph>(captured));
    return CUDA_SUCCESS;
}

} // namespace kiln::emulation
