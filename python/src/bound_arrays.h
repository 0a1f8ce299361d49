// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// kiln.DeviceArray as an address: checked when it is bound, kept alive while it is bound.
#pragma once

#include <cstdint>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// An int or a kiln.DeviceArray; signatures show this type.
class Bindable : public py::object {
    PYBIND11_OBJECT_DEFAULT(Bindable, object, PyObject_Type)
};
/// A Bindable for each input and output.
class Bindables : public py::sequence {
    PYBIND11_OBJECT_DEFAULT(Bindables, sequence, PySequence_Check)
};

/// The address of an int or a DeviceArray. Throws TypeError if a DeviceArray has another type than
/// the tensor, and ValueError if it is too small for the tensor's current shape.
std::uintptr_t addressToBind(nvinfer1::IExecutionContext& context, char const* name,
                             py::handle memory);

/// Keeps a DeviceArray alive while it is bound to the tensor of this name; releases the array that
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
