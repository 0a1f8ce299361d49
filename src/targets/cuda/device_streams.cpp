// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/device.h"

namespace kiln::targets::cuda {
namespace {

CUstream newStream(Gpu const& gpu, unsigned flags) {
    CUstream stream = nullptr;
    check(GpuScope(gpu)->streamCreate(&stream, flags), "create a stream");
    return stream;
}

} // namespace

target::StreamHandle CudaDevice::createStream() {
    return newStream(gpu(), CU_STREAM_NON_BLOCKING);
}

target::StreamHandle CudaDevice::createBlockingStream() {
    return newStream(gpu(), CU_STREAM_DEFAULT);
}

void CudaDevice::destroyStream(target::StreamHandle stream) noexcept {
    try {
        enter()->streamDestroy(stream);
    } catch (...) {
        return; // the device is lost, and its streams too
    }
}

void CudaDevice::synchronize(target::StreamHandle stream) {
    check(enter()->streamSynchronize(stream), "wait for a stream");
}

std::string CudaDevice::knownFailure(target::StreamHandle stream) const {
    try {
        CUresult const result = enter()->streamQuery(stream);
        bool const known =
            result != CUDA_ERROR_NOT_READY && result != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        check(known ? result : CUDA_SUCCESS, "query the status of a stream");
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

target::Capture CudaDevice::capture(target::StreamHandle stream) const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    enter()->streamIsCapturing(stream, &status);
    return static_cast<target::Capture>(status);
}

void CudaDevice::beginCapture(target::StreamHandle stream) {
    // Other threads may allocate during the recording.
    check(enter()->streamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
          "begin to record a graph");
}

target::GraphHandle CudaDevice::endCapture(target::StreamHandle stream) {
    GpuScope const driver = enter();
    CUgraph graph = nullptr;
    check(driver->streamEndCapture(stream, &graph), "end the recording of a graph");
    CUgraphExec executable = nullptr;
    CUresult const result = driver->graphInstantiate(&executable, graph, 0);
    driver->graphDestroy(graph);
    check(result, "make a graph executable");
    return executable;
}

void CudaDevice::launchGraph(target::GraphHandle graph, target::StreamHandle stream) {
    check(enter()->graphLaunch(static_cast<CUgraphExec>(graph), stream), "launch a graph");
}

void CudaDevice::destroyGraph(target::GraphHandle graph) noexcept {
    try {
        enter()->graphExecDestroy(static_cast<CUgraphExec>(graph));
    } catch (...) {
        return;
    }
}

target::EventHandle CudaDevice::createEvent() {
    CUevent event = nullptr;
    check(enter()->eventCreate(&event, CU_EVENT_DEFAULT), "create an event");
    return event;
}

void CudaDevice::destroyEvent(target::EventHandle event) noexcept {
    try {
        enter()->eventDestroy(event);
    } catch (...) {
        return;
    }
}

void CudaDevice::record(target::EventHandle event, target::StreamHandle stream) {
    check(enter()->eventRecord(event, stream), "record an event");
}

void CudaDevice::synchronizeEvent(target::EventHandle event) {
    check(enter()->eventSynchronize(event), "wait for an event");
}

void CudaDevice::wait(target::StreamHandle stream, target::EventHandle event) {
    check(enter()->streamWaitEvent(stream, event, 0), "make a stream wait for an event");
}

float CudaDevice::elapsedMs(target::EventHandle start, target::EventHandle stop) {
    float elapsed = 0.0F;
    check(enter()->eventElapsedTime(&elapsed, start, stop), "ask for the time between two events");
    return elapsed;
}

} // namespace kiln::targets::cuda
