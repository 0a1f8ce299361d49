// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The native side of kiln.DeviceArray and kiln.serve: memory of a target, copies to and from it,
// streams and CUDA graphs.
#include <kiln/device.h>

#include <fmt/format.h>

#include "bindings.h"
#include "gil.h"
#include "native_object.h"

namespace kiln::python {
namespace {

void check(IDevice const& device, bool well) {
    if (!well) {
        throw std::runtime_error(device.problem());
    }
}

IDevice* open(std::string const& target) {
    char const* problem = "";
    IDevice* const device = kiln::openDevice(target.c_str(), &problem);
    if (device == nullptr) {
        throw py::value_error(problem);
    }
    return device;
}

cudaStream_t streamOf(std::uintptr_t handle) {
    return static_cast<cudaStream_t>(toPointer(handle));
}

std::uintptr_t allocate(IDevice& self, uint64_t bytes) {
    void* const memory = self.allocate(bytes);
    check(self, memory != nullptr);
    return toAddress(memory);
}

void copyAndWait(IDevice& self, std::uintptr_t to, std::uintptr_t from, uint64_t bytes,
                 bool toDevice, std::uintptr_t stream) {
    GilReleased const released;
    auto const kind = toDevice ? MemoryCopy::kHOST_TO_DEVICE : MemoryCopy::kDEVICE_TO_HOST;
    cudaStream_t const queue = streamOf(stream);
    check(self,
          self.copy(toPointer(to), toPointer(from), bytes, kind, queue) && self.synchronize(queue));
}

void copyLater(IDevice& self, std::uintptr_t to, std::uintptr_t from, uint64_t bytes, bool toDevice,
               std::uintptr_t stream) {
    GilReleased const released;
    auto const kind = toDevice ? MemoryCopy::kHOST_TO_DEVICE : MemoryCopy::kDEVICE_TO_HOST;
    check(self, self.copy(toPointer(to), toPointer(from), bytes, kind, streamOf(stream)));
}

std::uintptr_t allocateHost(IDevice& self, uint64_t bytes) {
    void* const memory = self.allocateHost(bytes);
    check(self, memory != nullptr);
    return toAddress(memory);
}

std::uintptr_t createStream(IDevice& self) {
    cudaStream_t stream = nullptr;
    check(self, self.createStream(&stream));
    return toAddress(stream);
}

std::uintptr_t endCapture(IDevice& self, std::uintptr_t stream) {
    void* const graph = self.endCapture(streamOf(stream));
    check(self, graph != nullptr);
    return toAddress(graph);
}

void bindStreams(py::class_<IDevice, Borrowed<IDevice>>& cls) {
    cls.def("create_stream", &createStream,
            "A new stream, which does not wait for the default one; 0 on the cpu target.")
        .def(
            "destroy_stream",
            [](IDevice& self, std::uintptr_t stream) { self.destroyStream(streamOf(stream)); },
            "stream"_a, "Destroys a stream.")
        .def(
            "begin_capture",
            [](IDevice& self, std::uintptr_t stream) {
                check(self, self.beginCapture(streamOf(stream)));
            },
            "stream"_a, "Records what this thread enqueues on a stream, instead of running it.")
        .def("end_capture", &endCapture, "stream"_a,
             "Ends the recording; returns a graph. Raises RuntimeError if it cannot be made.")
        .def(
            "launch_graph",
            [](IDevice& self, std::uintptr_t graph, std::uintptr_t stream) {
                GilReleased const released;
                check(self, self.launchGraph(toPointer(graph), streamOf(stream)));
            },
            "graph"_a, "stream"_a, "Enqueues the work of a graph.")
        .def(
            "destroy_graph",
            [](IDevice& self, std::uintptr_t graph) { self.destroyGraph(toPointer(graph)); },
            "graph"_a, "Destroys a graph.");
}

} // namespace

void initDevice(py::module_& m) {
    py::class_<IDevice, Borrowed<IDevice>> cls(m, "_Device", "See kiln.DeviceArray.");
    cls.def_property_readonly("target", &IDevice::target, "str: 'cpu' or 'cuda'.")
        .def("allocate", &allocate, "size"_a, "Returns an address. Raises RuntimeError on failure.")
        .def(
            "release",
            [](IDevice& self, std::uintptr_t address) { self.release(toPointer(address)); },
            "address"_a, "Frees memory.")
        .def("copy", &copyAndWait, "to"_a, "source"_a, "size"_a, "to_device"_a, "stream"_a,
             "Copies in the order of a stream, and waits for the copy.")
        .def("copy_later", &copyLater, "to"_a, "source"_a, "size"_a, "to_device"_a, "stream"_a,
             "Enqueues a copy on a stream. The memory must stay until it is done.")
        .def("allocate_host", &allocateHost, "size"_a,
             "Returns the address of host memory for copies that do not hold up the host. Raises "
             "RuntimeError on failure.")
        .def(
            "release_host",
            [](IDevice& self, std::uintptr_t address) { self.releaseHost(toPointer(address)); },
            "address"_a, "Frees memory of allocate_host.")
        .def(
            "synchronize",
            [](IDevice& self, std::uintptr_t stream) {
                GilReleased const released;
                check(self, self.synchronize(streamOf(stream)));
            },
            "stream"_a, "Waits for all work of a stream.");
    bindStreams(cls);
    m.def("_open_device", &open, "target"_a, py::return_value_policy::reference,
          "The device of a target. Raises ValueError, with the reason, if there is none.");
    m.def("_device_of", &deviceOf, "engine"_a, py::return_value_policy::reference,
          "The device that an engine runs on.");
}

} // namespace kiln::python
