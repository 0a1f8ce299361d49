// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_reverse_sequence(LayerBindings& bindings) {
    LayerClass<IReverseSequenceLayer>(bindings, LayerType::kREVERSE_SEQUENCE,
                                      "IReverseSequenceLayer",
                                      "Reverses the beginning of each sequence.")
        .def_property("batch_axis", &IReverseSequenceLayer::getBatchAxis,
                      &IReverseSequenceLayer::setBatchAxis,
                      "int: the axis that the lengths go with. Default: 1.")
        .def_property("sequence_axis", &IReverseSequenceLayer::getSequenceAxis,
                      &IReverseSequenceLayer::setSequenceAxis,
                      "int: the axis that is reversed. Default: 0.");
    bindings.network.def(
        "add_reverse_sequence", &INetworkDefinition::addReverseSequence, "input"_a,
        "sequence_lens"_a, kInternal,
        "Adds a reversal of the first sequence_lens[b] elements of each sequence b; returns an "
        "IReverseSequenceLayer.");
}

} // namespace kiln::python
