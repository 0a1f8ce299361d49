// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "emulation/emulation.h"

namespace kiln::emulation {

/// One operation of a stream. It owns what it needs.
using Work = std::function<void()>;

/// What a capture recorded, in the order of the calls.
struct Graph {
    std::vector<Work> works;
    bool invalid = false;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    std::thread::id thread; ///< that began the capture
};

struct Stream;

struct Event {
    bool timed = true;
    float milliseconds = 0.0F; ///< until any later event, if times are random; else 0
    uint64_t recorded = 0;     ///< number of records, and number of records that have passed
    uint64_t passed = 0;
    Stream* stream = nullptr;        ///< of the last record
    std::shared_ptr<Graph> captured; ///< of the last record, if that was captured
    std::chrono::steady_clock::time_point time;
};

struct Stream {
    bool blocking = true; ///< synchronizes with the legacy stream
    std::deque<Work> queue;
    std::shared_ptr<Graph> capture;
    bool startedCapture = false;
    CUcontext context = nullptr; ///< null: any
};

/// The stream of a handle; null for an unknown one. Handles 0 and 1 are the legacy stream.
Stream* streamOf(CUstream handle);

/// Puts work on a stream. It is captured, run at once, or deferred until something waits for it.
CUresult enqueue(Stream& stream, Work work);

/// Runs all work of a stream, or of all streams.
void drain(Stream& stream);
void drainAll();

/// Whether a capture forbids calls that allocate or wait, given its mode; that invalidates it.
bool forbidsCapture();
/// The same for calls that affect one stream only.
bool forbidsCapture(Stream& stream);

} // namespace kiln::emulation
