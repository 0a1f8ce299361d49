// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kiln/device.h>

namespace kiln::trtexec {

/// Makes GPU number `index` of those that CUDA_VISIBLE_DEVICES shows the only one; to be called
/// before anything asks for the device. Throws a Failure on a negative number.
void selectDevice(int32_t index);

/// What engines run on: the default target's, or that of useDeviceOf(). Throws a Failure with the
/// reason when there is none.
IDevice& device();

/// Takes the device of an engine from a plan, which may be for another target than the default; to
/// be called before anything asks for the device.
void useDeviceOf(nvinfer1::ICudaEngine const& engine);

/// Throws a Failure "[run] <action>: <the device's words>" unless `succeeded`.
void checkDevice(bool succeeded, char const* action);

/// Memory of the device.
struct ReleaseMemory {
    void operator()(void* memory) const noexcept { device().release(memory); }
};
using DeviceMemory = std::unique_ptr<void, ReleaseMemory>;

/// A stream with the events and the graph of its runs.
class DeviceStream {
public:
    /// The moments of one run.
    enum Moment { kBegin, kUploaded, kComputed, kEnd, kMoments };

    DeviceStream();
    ~DeviceStream();
    DeviceStream(DeviceStream const&) = delete;
    DeviceStream& operator=(DeviceStream const&) = delete;

    cudaStream_t handle() const noexcept { return stream_; }
    void mark(Moment moment);
    /// Milliseconds between two moments of a run that is done.
    double between(Moment from, Moment to) const;
    void wait() const;

    bool hasGraph() const noexcept { return graph_ != nullptr; }
    void beginCapture();
    void endCapture();
    bool launchGraph() noexcept;

private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t events_[kMoments] = {};
    void* graph_ = nullptr;
};

} // namespace kiln::trtexec
