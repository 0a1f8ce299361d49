// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_shuffle(LayerBindings& bindings) {
    LayerClass<IShuffleLayer>(bindings, LayerType::kSHUFFLE, "IShuffleLayer",
                              "Transposes, reshapes and transposes again.")
        .def_property("first_transpose", &IShuffleLayer::getFirstTranspose,
                      &IShuffleLayer::setFirstTranspose,
                      "Permutation: of the input. Default: none.")
        .def_property("reshape_dims", &IShuffleLayer::getReshapeDimensions,
                      &IShuffleLayer::setReshapeDimensions,
                      "Dims: the new shape; one extent may be -1, then it is computed.")
        .def_property("second_transpose", &IShuffleLayer::getSecondTranspose,
                      &IShuffleLayer::setSecondTranspose,
                      "Permutation: of the reshaped tensor. Default: none.")
        .def_property("zero_is_placeholder", &IShuffleLayer::getZeroIsPlaceholder,
                      &IShuffleLayer::setZeroIsPlaceholder,
                      "bool: whether 0 in reshape_dims copies the extent of the input. Default: "
                      "True.")
        .def("set_input", &IShuffleLayer::setInput, "index"_a, "tensor"_a,
             "Replaces input 0, or makes the tensor at index 1 the new shape.");
    bindings.network.def(
        "add_shuffle", &INetworkDefinition::addShuffle, "input"_a, kInternal,
        "Adds a transpose, reshape and transpose; returns an IShuffleLayer to set them on.");
}

} // namespace kiln::python
