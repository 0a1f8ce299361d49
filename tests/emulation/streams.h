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

/// Something that a stream does. Whatever it needs it holds.
using Work = std::function<void()>;

/// What a capture recorded, in the order of the calls.
struct Graph {
    std::vector<Work> works;
    bool invalid = false;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    std::thread::id thread; ///< that began it
};

struct Stream;

struct Event {
    bool timed = true;
    uint64_t recorded = 0; ///< how often it was recorded, and how many of these have passed
    uint64_t passed = 0;
    Stream* stream = nullptr;        ///< of the last record
    std::shared_ptr<Graph> captured; ///< of the last record, if that was captured
    std::chrono::steady_clock::time_point time;
};

struct Stream {
    bool blocking = true; ///< waits for the legacy stream, and that for it
    std::deque<Work> queue;
    std::shared_ptr<Graph> capture;
    bool startedCapture = false;
    CUcontext context = nullptr; ///< null: of any
};

/// The stream of a handle, null for an unknown one. The legacy stream is 0.
Stream* streamOf(CUstream handle);

/// Puts work on a stream: it is recorded, done at once, or waits until somebody asks for it.
CUresult enqueue(Stream& stream, Work work);

/// Does all the work of a stream, of all streams.
void drain(Stream& stream);
void drainAll();

/// Whether some capture forbids calls that allocate or wait, as its mode says; it is invalid then.
bool forbidsCapture();
/// The same for calls that concern one stream.
bool forbidsCapture(Stream& stream);

} // namespace kiln::emulation
