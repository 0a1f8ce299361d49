// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kiln/device.h>

namespace kiln::trtexec {

/// Restricts CUDA_VISIBLE_DEVICES to its GPU number `index`; call it before the device is first
/// used. Throws a Failure if the variable lists fewer GPUs.
void selectDevice(int32_t index);

/// The device that engines run on: that of the default target, or of useDeviceOf(). Throws a
/// Failure with the reason if there is none.
IDevice& device();

/// Selects the device of a loaded engine, which may be for another target than the default; call it
/// before the device is first used.
void useDeviceOf(nvinfer1::ICudaEngine const& engine);

/// Throws a Failure "[run] <action>: <reason from the device>" unless `succeeded`.
void checkDevice(bool succeeded, char const* action);

/// Deleter for device memory.
struct ReleaseMemory {
    void operator()(void* memory) const noexcept { device().release(memory); }
};
using DeviceMemory = std::unique_ptr<void, ReleaseMemory>;

/// A stream with the events of a run and an optional graph.
class DeviceStream {
public:
    /// The measured points of a run.
    enum Moment { kBegin, kUploaded, kComputed, kEnd, kMoments };

    DeviceStream();
    ~DeviceStream();
    DeviceStream(DeviceStream const&) = delete;
    DeviceStream& operator=(DeviceStream const&) = delete;

    cudaStream_t handle() const noexcept { return stream_; }
    void mark(Moment moment);
    /// Milliseconds between two points of a completed run.
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
