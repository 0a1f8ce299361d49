// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// What the API gives every object that Python owns: `with` works, and frees nothing by itself.
template <typename Class>
void bindOwnedObject(Class& cls) {
    cls.def("__enter__", [](py::object self) { return self; })
        .def(
            "__exit__",
            [](py::object const&, py::object const&, py::object const&, py::object const&) {},
            py::arg("exc_type"), py::arg("exc_value"), py::arg("traceback"),
            "Does nothing: the object goes with its last reference.")
        .def(
            "__del__", [](py::object const&) {},
            "Does nothing: the object goes with its last reference.");
}

/// A holder for what the native side owns or frees in another way.
template <typename T>
using Borrowed = std::unique_ptr<T, py::nodelete>;

/// The policy of results that live as long as the object that gave them.
inline constexpr auto kInternal = py::return_value_policy::reference_internal;

inline void* toPointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);
}
inline std::uintptr_t toAddress(void const* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

} // namespace kiln::python
