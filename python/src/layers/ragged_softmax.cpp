// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_ragged_softmax(LayerBindings& bindings) {
    LayerClass<IRaggedSoftMaxLayer>(bindings, LayerType::kRAGGED_SOFTMAX, "IRaggedSoftMaxLayer",
                                    "Softmax over the first elements of each row.");
    bindings.network.def("add_ragged_softmax", &INetworkDefinition::addRaggedSoftMax, "input"_a,
                         "bounds"_a, kInternal,
                         "Adds a softmax over the first bounds[..., row, 0] elements of each row, "
                         "zeros behind them; returns an IRaggedSoftMaxLayer.");
}

} // namespace kiln::python
