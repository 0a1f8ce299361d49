// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/device.h"

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "failure.h"

namespace kiln::trtexec {

void selectDevice(int32_t index) {
    std::vector<std::string> shown;
    if (char const* const visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible != nullptr) {
        std::stringstream list(visible);
        for (std::string name; std::getline(list, name, ',');) {
            shown.push_back(name);
        }
        if (static_cast<size_t>(index) >= shown.size()) {
            fail("[options] --device: expected 0 to {}, the GPUs of CUDA_VISIBLE_DEVICES={}, got "
                 "{}",
                 static_cast<int64_t>(shown.size()) - 1, visible, index);
        }
    }
    std::string const name =
        shown.empty() ? std::to_string(index) : shown[static_cast<size_t>(index)];
    ::setenv("CUDA_VISIBLE_DEVICES", name.c_str(), 1);
}

namespace {

IDevice* chosen = nullptr;

} // namespace

IDevice& device() {
    if (chosen == nullptr) {
        char const* problem = nullptr;
        chosen = openDevice(nullptr, &problem);
        if (chosen == nullptr) {
            fail("[device] {} Add --skipInference to build a plan for another machine, or set "
                 "KILN_TARGET=cpu",
                 problem);
        }
    }
    return *chosen;
}

void useDeviceOf(nvinfer1::ICudaEngine const& engine) {
    chosen = deviceOf(engine);
    if (chosen == nullptr) {
        fail("[device] there is no memory left to open the device of the plan. End other processes "
             "that use it");
    }
}

void checkDevice(bool succeeded, char const* action) {
    if (!succeeded) {
        fail("[run] {}: {}", action, device().problem());
    }
}

DeviceStream::DeviceStream() {
    checkDevice(device().createStream(&stream_), "create a stream");
    for (cudaEvent_t& event : events_) {
        event = device().createEvent();
        checkDevice(event != nullptr, "create an event");
    }
}

DeviceStream::~DeviceStream() {
    device().destroyGraph(graph_);
    for (cudaEvent_t const event : events_) {
        if (event != nullptr) {
            device().destroyEvent(event);
        }
    }
    device().destroyStream(stream_);
}

void DeviceStream::mark(Moment moment) {
    checkDevice(device().record(events_[moment], stream_), "record an event");
}

double DeviceStream::between(Moment from, Moment to) const {
    return device().elapsedMs(events_[from], events_[to]);
}

void DeviceStream::wait() const {
    checkDevice(device().synchronize(stream_), "wait for a run");
}

void DeviceStream::beginCapture() {
    checkDevice(device().beginCapture(stream_), "--useCudaGraph");
}

void DeviceStream::endCapture() {
    graph_ = device().endCapture(stream_);
    checkDevice(graph_ != nullptr, "--useCudaGraph");
}

bool DeviceStream::launchGraph() noexcept {
    return device().launchGraph(graph_, stream_);
}

} // namespace kiln::trtexec
