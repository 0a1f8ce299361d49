// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// A layer reaches Python as the class of its kind.
//
// Where a program asks the network for any layer, it reads `type` to tell the kind (a LayerType).
// The classes of activations and poolings have a `type` of their own, so such a layer stays an
// ILayer there; programs set its __class__ then, as they do with all layers in the original.
#pragma once

#include <NvInfer.h>
#include <pybind11/pybind11.h>

#include "native_object.h"

namespace kiln::python {

/// The class of layers of one kind.
template <typename T>
using LayerClass = py::class_<T, nvinfer1::ILayer, Borrowed<T>>;

/// The layer as its bound class, whose type goes to `type`.
void const* downcastLayer(nvinfer1::ILayer const* layer, std::type_info const*& type);

/// The same for a layer of any kind.
void const* downcastAnyLayer(nvinfer1::ILayer const* layer, std::type_info const*& type);

} // namespace kiln::python

namespace pybind11 {

template <typename Layer>
struct polymorphic_type_hook<Layer,
                             detail::enable_if_t<std::is_base_of_v<nvinfer1::ILayer, Layer>>> {
    static void const* get(Layer const* layer, std::type_info const*& type) {
        if constexpr (std::is_same_v<Layer, nvinfer1::ILayer>) {
            return kiln::python::downcastAnyLayer(layer, type);
        } else {
            return kiln::python::downcastLayer(layer, type);
        }
    }
};

} // namespace pybind11
