// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layer_bindings.h"

namespace kiln::python {

/// The class of the layers of one kind that have another base than ILayer: those at the border of a
/// group of layers.
template <typename T, typename Base>
class BorderClass : public py::class_<T, Base, Borrowed<T>> {
public:
    BorderClass(LayerBindings& bindings, nvinfer1::LayerType kind, char const* name,
                char const* doc)
        : py::class_<T, Base, Borrowed<T>>(bindings.module, name, doc) {
        auto const downcast = [](nvinfer1::ILayer const* layer) -> void const* {
            return static_cast<T const*>(layer);
        };
        addLayerKind(kind, {&typeid(T), downcast, this->ptr()});
    }
};

} // namespace kiln::python
