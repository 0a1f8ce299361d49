// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// How the files of layers/ bind the layers. Layers are returned to Python as the class of their
// kind.
//
// A program that gets any layer from the network reads `type` to find its kind (a LayerType). The
// classes of activation and pooling layers redefine `type`, so such a layer is returned as ILayer;
// programs then set its __class__, as they do for all layers in TensorRT.
#pragma once

#include <vector>

#include <NvInfer.h>
#include <pybind11/pybind11.h>

#include "bindings.h"
#include "native_object.h"

namespace kiln::python {

using NetworkClass = py::class_<nvinfer1::INetworkDefinition>;
using Tensors = std::vector<nvinfer1::ITensor*>;

inline int32_t countOf(Tensors const& tensors) {
    return static_cast<int32_t>(tensors.size());
}

/// What each function bindLayer_<file name>() of layers/ extends: the module by the class of its
/// layer, the network by the methods that add it. Enums are bound before, from the headers.
struct LayerBindings {
    py::module_& module;
    NetworkClass& network;
};

/// The class of a kind of layers.
struct LayerKind {
    std::type_info const* type = nullptr;
    void const* (*downcast)(nvinfer1::ILayer const* layer) = nullptr;
    PyObject* cls = nullptr; ///< borrowed: the module owns it
    bool redefinesType = false;
};

void addLayerKind(nvinfer1::LayerType kind, LayerKind const& layer);

/// Calls bindLayer_<file name>() of each file in layers/.
void initLayers(LayerBindings bindings);

/// The class of the layers of one kind.
template <typename T, typename Base = nvinfer1::ILayer>
class LayerClass : public py::class_<T, Base, Borrowed<T>> {
public:
    LayerClass(LayerBindings& bindings, nvinfer1::LayerType kind, char const* name, char const* doc)
        : py::class_<T, Base, Borrowed<T>>(bindings.module, name, doc) {
        auto const downcast = [](nvinfer1::ILayer const* layer) -> void const* {
            return static_cast<T const*>(layer);
        };
        addLayerKind(kind, {&typeid(T), downcast, this->ptr()});
    }
};

/// The layer as its bound class; stores the class in `type`.
void const* downcastLayer(nvinfer1::ILayer const* layer, std::type_info const*& type);

/// The same, except that layers whose class redefines `type` are an ILayer.
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
