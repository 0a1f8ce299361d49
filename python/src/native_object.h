// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// Binds what all objects that Python owns have in the API: `with` works, but frees nothing.
template <typename Class>
void bindOwnedObject(Class& cls) {
    cls.def("__enter__", [](py::object self) { return self; })
        .def(
            "__exit__",
            [](py::object const&, py::object const&, py::object const&, py::object const&) {},
            py::arg("exc_type"), py::arg("exc_value"), py::arg("traceback"),
            "Does nothing: the object is freed with its last reference.")
        .def(
            "__del__", [](py::object const&) {},
            "Does nothing: the object is freed with its last reference.");
}

/// A holder for objects that the native side owns, or frees in another way.
template <typename T>
using Borrowed = std::unique_ptr<T, py::nodelete>;

/// The policy of results that keep the object alive that returned them.
inline constexpr auto kInternal = py::return_value_policy::reference_internal;

inline void* toPointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);
}
inline std::uintptr_t toAddress(void const* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

} // namespace kiln::python
