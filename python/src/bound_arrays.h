// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// kiln.DeviceArray where an address is expected: checked when it is bound, kept while it is.
#pragma once

#include <cstdint>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// An int or a kiln.DeviceArray, as signatures say it.
class Bindable : public py::object {
    PYBIND11_OBJECT_DEFAULT(Bindable, object, PyObject_Type)
};
/// One for each input and output.
class Bindables : public py::sequence {
    PYBIND11_OBJECT_DEFAULT(Bindables, sequence, PySequence_Check)
};

/// The address that an int or a DeviceArray stands for. Throws TypeError or ValueError if a
/// DeviceArray has another type than the tensor, or is too small for its present shape.
std::uintptr_t addressToBind(nvinfer1::IExecutionContext& context, char const* name,
                             py::handle memory);

/// Keeps a DeviceArray as long as it is bound to the tensor of this name; lets go of the one that
/// was bound before.
void keepBound(py::handle context, char const* name, py::handle memory);

} // namespace kiln::python

template <>
struct pybind11::detail::handle_type_name<kiln::python::Bindable> {
    static constexpr auto name = const_name("int | kiln.DeviceArray");
};

template <>
struct pybind11::detail::handle_type_name<kiln::python::Bindables> {
    static constexpr auto name = const_name("collections.abc.Sequence[int | kiln.DeviceArray]");
};
