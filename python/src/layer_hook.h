// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Layers are returned to Python as the class of their kind.
//
// A program that gets any layer from the network reads `type` to find its kind (a LayerType). The
// classes of activation and pooling layers redefine `type`, so such a layer is returned as ILayer;
// programs then set its __class__, as they do for all layers in TensorRT.
#pragma once

#include <NvInfer.h>
#include <pybind11/pybind11.h>

#include "native_object.h"

namespace kiln::python {

/// The class of layers of one kind.
template <typename T>
using LayerClass = py::class_<T, nvinfer1::ILayer, Borrowed<T>>;

/// The layer as its bound class; stores the class in `type`.
void const* downcastLayer(nvinfer1::ILayer const* layer, std::type_info const*& type);

/// The same, except that activation and pooling layers are an ILayer.
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
