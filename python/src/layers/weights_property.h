// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Properties of layers that are weights.
#pragma once

#include "layer_bindings.h"
#include "weights.h"

namespace kiln::python {

/// The getter of a property that is weights: an array over the network's memory.
template <typename Layer>
auto weightsGetter(nvinfer1::Weights (Layer::*get)() const noexcept) {
    return
        [get](py::object const& self) { return fromWeights((self.cast<Layer&>().*get)(), self); };
}

/// Its setter. Argument: WeightsArgument or OptionalWeights.
template <typename Argument = WeightsArgument, typename Layer>
auto weightsSetter(void (Layer::*set)(nvinfer1::Weights) noexcept) {
    return [set](py::object const& self, Argument const& value) {
        WeightsObject const weights = toWeights(value);
        (self.cast<Layer&>().*set)(weights.native);
        keepWeightsOfLayer(self, weights);
    };
}

} // namespace kiln::python
