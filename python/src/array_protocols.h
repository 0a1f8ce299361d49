// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The protocols through which array libraries use an object without a copy: __array_interface__,
// __cuda_array_interface__, __array__ and DLPack.
#pragma once

#include <optional>
#include <utility>

#include "bindings.h"
#include "buffer.h"

namespace kiln::python {

py::dict hostInterface(Buffer const& buffer);
py::dict cudaInterface(Buffer const& buffer);
py::object asArray(Buffer const& buffer, py::object const& dtype, py::object const& copy);
std::pair<int, int> dlpackDevice(Buffer const& buffer);
py::capsule exportDlpack(Buffer const& buffer, std::optional<std::pair<int, int>> const& maxVersion,
                         std::optional<std::pair<int, int>> const& device,
                         std::optional<bool> const& copy, py::object owner = {});

/// Binds the protocols to a class; `bufferOf` returns the Buffer of an object. The caller includes
/// pybind11/stl.h.
template <typename Class, typename F>
void bindArrayProtocols(Class& cls, F bufferOf) {
    using Object = typename Class::type;
    using Pair = std::optional<std::pair<int, int>>;
    cls.def_property_readonly(
           "device", [](Object const& self) { return self.device < 0 ? "cpu" : "cuda"; },
           "str: 'cpu' or 'cuda', as in PyTorch.")
        .def_property_readonly(
            "is_cuda", [](Object const& self) { return self.device >= 0; },
            "bool: whether the memory is on a GPU, as in PyTorch.")
        .def_property_readonly(
            "__array_interface__",
            [bufferOf](Object const& self) { return hostInterface(bufferOf(self)); },
            "dict: the interface for NumPy, on the cpu target.")
        .def_property_readonly(
            "__cuda_array_interface__",
            [bufferOf](Object const& self) { return cudaInterface(bufferOf(self)); },
            "dict: the interface for CuPy, Numba and PyTorch, on the cuda target.")
        .def(
            "__array__",
            [bufferOf](Object const& self, py::object const& dtype, py::object const& copy) {
                return asArray(bufferOf(self), dtype, copy);
            },
            "dtype"_a = py::none(), py::kw_only(), "copy"_a = py::none(),
            "For types that only the package ml_dtypes has, such as BF16.")
        .def(
            "__dlpack_device__",
            [bufferOf](Object const& self) { return dlpackDevice(bufferOf(self)); },
            "The type and number of the device.")
        .def(
            "__dlpack__",
            [bufferOf](Object const& self, py::object const&, Pair const& maxVersion,
                       Pair const& device, std::optional<bool> const& copy) {
                return exportDlpack(bufferOf(self), maxVersion, device, copy);
            },
            py::kw_only(), "stream"_a = py::none(), "max_version"_a = py::none(),
            "dl_device"_a = py::none(), "copy"_a = py::none(),
            "A DLPack capsule for from_dlpack of any library.");
}

} // namespace kiln::python
