// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/backend.h"
#include "targets/cuda/device.h"

namespace kiln::targets::cuda {
namespace {

CUstream newStream(unsigned flags) {
    CUstream stream = nullptr;
    check(DeviceScope()->streamCreate(&stream, flags), "create a stream");
    return stream;
}

} // namespace

target::StreamHandle CudaBackend::createStream() {
    return newStream(CU_STREAM_NON_BLOCKING);
}

target::StreamHandle CudaBackend::createBlockingStream() {
    return newStream(CU_STREAM_DEFAULT);
}

void CudaBackend::destroyStream(target::StreamHandle stream) noexcept {
    try {
        DeviceScope()->streamDestroy(stream);
    } catch (...) {
        return; // the device is lost, and its streams too
    }
}

void CudaBackend::synchronize(target::StreamHandle stream) {
    check(DeviceScope()->streamSynchronize(stream), "wait for a stream");
}

std::string CudaBackend::knownFailure(target::StreamHandle stream) const {
    try {
        CUresult const result = DeviceScope()->streamQuery(stream);
        bool const known =
            result != CUDA_ERROR_NOT_READY && result != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        check(known ? result : CUDA_SUCCESS, "query the status of a stream");
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

target::Capture CudaBackend::capture(target::StreamHandle stream) const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    DeviceScope()->streamIsCapturing(stream, &status);
    return static_cast<target::Capture>(status);
}

void CudaBackend::beginCapture(target::StreamHandle stream) {
    // Other threads may allocate during the recording.
    check(DeviceScope()->streamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
          "begin to record a graph");
}

target::GraphHandle CudaBackend::endCapture(target::StreamHandle stream) {
    DeviceScope const driver;
    CUgraph graph = nullptr;
    check(driver->streamEndCapture(stream, &graph), "end the recording of a graph");
    CUgraphExec executable = nullptr;
    CUresult const result = driver->graphInstantiate(&executable, graph, 0);
    driver->graphDestroy(graph);
    check(result, "make a graph executable");
    return executable;
}

void CudaBackend::launchGraph(target::GraphHandle graph, target::StreamHandle stream) {
    check(DeviceScope()->graphLaunch(static_cast<CUgraphExec>(graph), stream), "launch a graph");
}

void CudaBackend::destroyGraph(target::GraphHandle graph) noexcept {
    try {
        DeviceScope()->graphExecDestroy(static_cast<CUgraphExec>(graph));
    } catch (...) {
        return;
    }
}

target::EventHandle CudaBackend::createEvent() {
    CUevent event = nullptr;
    check(DeviceScope()->eventCreate(&event, CU_EVENT_DEFAULT), "create an event");
    return event;
}

void CudaBackend::destroyEvent(target::EventHandle event) noexcept {
    try {
        DeviceScope()->eventDestroy(event);
    } catch (...) {
        return;
    }
}

void CudaBackend::record(target::EventHandle event, target::StreamHandle stream) {
    check(DeviceScope()->eventRecord(event, stream), "record an event");
}

void CudaBackend::synchronizeEvent(target::EventHandle event) {
    check(DeviceScope()->eventSynchronize(event), "wait for an event");
}

void CudaBackend::wait(target::StreamHandle stream, target::EventHandle event) {
    check(DeviceScope()->streamWaitEvent(stream, event, 0), "make a stream wait for an event");
}

float CudaBackend::elapsedMs(target::EventHandle start, target::EventHandle stop) {
    float elapsed = 0.0F;
    check(DeviceScope()->eventElapsedTime(&elapsed, start, stop),
          "ask for the time between two events");
    return elapsed;
}

} // namespace kiln::targets::cuda
