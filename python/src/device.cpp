// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The native side of kiln.DeviceArray: memory of a target, and copies to and from it.
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

std::uintptr_t allocate(IDevice& self, uint64_t bytes) {
    void* const memory = self.allocate(bytes);
    check(self, memory != nullptr);
    return toAddress(memory);
}

void copyAndWait(IDevice& self, std::uintptr_t to, std::uintptr_t from, uint64_t bytes,
                 bool toDevice, std::uintptr_t stream) {
    GilReleased const released;
    auto const kind = toDevice ? MemoryCopy::kHOST_TO_DEVICE : MemoryCopy::kDEVICE_TO_HOST;
    auto* const queue = static_cast<cudaStream_t>(toPointer(stream));
    check(self,
          self.copy(toPointer(to), toPointer(from), bytes, kind, queue) && self.synchronize(queue));
}

} // namespace

void initDevice(py::module_& m) {
    py::class_<IDevice, Borrowed<IDevice>>(m, "_Device", "See kiln.DeviceArray.")
        .def_property_readonly("target", &IDevice::target, "str: 'cpu' or 'cuda'.")
        .def("allocate", &allocate, "size"_a, "Returns an address. Raises RuntimeError on failure.")
        .def(
            "release",
            [](IDevice& self, std::uintptr_t address) { self.release(toPointer(address)); },
            "address"_a, "Frees memory.")
        .def("copy", &copyAndWait, "to"_a, "source"_a, "size"_a, "to_device"_a, "stream"_a,
             "Copies in the order of a stream, and waits for the copy.")
        .def(
            "synchronize",
            [](IDevice& self, std::uintptr_t stream) {
                GilReleased const released;
                check(self, self.synchronize(static_cast<cudaStream_t>(toPointer(stream))));
            },
            "stream"_a, "Waits for all work of a stream.");
    m.def("_open_device", &open, "target"_a, py::return_value_policy::reference,
          "The device of a target. Raises ValueError, with the reason, if there is none.");
    m.def("_device_of", &deviceOf, "engine"_a, py::return_value_policy::reference,
          "The device that an engine runs on.");
}

} // namespace kiln::python
