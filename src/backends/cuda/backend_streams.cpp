// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/backend.h"
#include "backends/cuda/device.h"

namespace kiln::backends::cuda {
namespace {

Driver const& entered() {
    Device const& device = Device::instance();
    device.enter();
    return device.driver;
}

} // namespace

backend::StreamHandle CudaBackend::createStream() {
    CUstream stream = nullptr;
    check(entered().streamCreate(&stream, CU_STREAM_NON_BLOCKING), "create a stream");
    return stream;
}

void CudaBackend::destroyStream(backend::StreamHandle stream) noexcept {
    try {
        entered().streamDestroy(stream);
    } catch (Error const&) {
        return; // the device is lost, and its streams with it
    }
}

void CudaBackend::synchronize(backend::StreamHandle stream) {
    check(entered().streamSynchronize(stream), "wait for a stream");
}

backend::Capture CudaBackend::capture(backend::StreamHandle stream) const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    Device::instance().driver.streamIsCapturing(stream, &status);
    return static_cast<backend::Capture>(status);
}

backend::EventHandle CudaBackend::createEvent() {
    CUevent event = nullptr;
    check(entered().eventCreate(&event, CU_EVENT_DEFAULT), "create an event");
    return event;
}

void CudaBackend::destroyEvent(backend::EventHandle event) noexcept {
    try {
        entered().eventDestroy(event);
    } catch (Error const&) {
        return;
    }
}

void CudaBackend::record(backend::EventHandle event, backend::StreamHandle stream) {
    check(entered().eventRecord(event, stream), "record an event");
}

void CudaBackend::synchronizeEvent(backend::EventHandle event) {
    check(entered().eventSynchronize(event), "wait for an event");
}

void CudaBackend::wait(backend::StreamHandle stream, backend::EventHandle event) {
    check(entered().streamWaitEvent(stream, event, 0), "make a stream wait for an event");
}

float CudaBackend::elapsedMs(backend::EventHandle start, backend::EventHandle stop) {
    float elapsed = 0.0F;
    check(entered().eventElapsedTime(&elapsed, start, stop), "ask for the time between two events");
    return elapsed;
}

} // namespace kiln::backends::cuda
