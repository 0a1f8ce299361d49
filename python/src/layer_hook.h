// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// An ILayer reaches Python as the class of its kind.
#pragma once

#include <NvInfer.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

/// The layer as its bound class, whose type goes to `type`.
void const* downcastLayer(nvinfer1::ILayer const* layer, std::type_info const*& type);

} // namespace kiln::python

namespace pybind11 {

template <typename Layer>
struct polymorphic_type_hook<Layer,
                             detail::enable_if_t<std::is_base_of_v<nvinfer1::ILayer, Layer>>> {
    static void const* get(Layer const* layer, std::type_info const*& type) {
        return kiln::python::downcastLayer(layer, type);
    }
};

} // namespace pybind11
