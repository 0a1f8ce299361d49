// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"
#include "native_object.h"

namespace kiln::python {

using nvinfer1::IHostMemory;

void initHostMemory(py::module_& m) {
    py::class_<IHostMemory> memory(
        m, "IHostMemory", py::buffer_protocol(),
        "Bytes in host memory, such as a plan. A read-only buffer: ``file.write(plan)`` and "
        "``bytes(plan)`` work.");
    memory
        .def_buffer([](IHostMemory& self) {
            return py::buffer_info(static_cast<uint8_t*>(self.data()),
                                   static_cast<py::ssize_t>(self.size()), true);
        })
        .def("__len__", &IHostMemory::size)
        .def_property_readonly("nbytes", &IHostMemory::size, "int: the number of bytes.")
        .def_property_readonly("dtype", &IHostMemory::type, "DataType: of the elements.");
    bindOwnedObject(memory);
}

} // namespace kiln::python
