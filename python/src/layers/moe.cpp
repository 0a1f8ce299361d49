// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_moe(LayerBindings& bindings) {
    LayerClass<IMoELayer>(bindings, LayerType::kMOE, "IMoELayer",
                          "Mixture of experts: gated linear units of the experts selected for each "
                          "token, weighted and added.")
        .def_property("activation_type", &IMoELayer::getActivationType,
                      &IMoELayer::setActivationType,
                      "MoEActType: activation of the gate. Default: NONE.")
        .def_property("quantization_to_type", &IMoELayer::getQuantizationToType,
                      &IMoELayer::setQuantizationToType,
                      "DataType: type that the input of the last product is quantized to. Default: "
                      "FLOAT, which means none.")
        .def_property("quantization_block_shape", &IMoELayer::getQuantizationBlockShape,
                      &IMoELayer::setQuantizationBlockShape,
                      "Dims: extents of a block that shares a scale.")
        .def_property("dyn_q_output_scale_type", &IMoELayer::getDynQOutputScaleType,
                      &IMoELayer::setDynQOutputScaleType,
                      "DataType: type of the scales of blocks. Default: FLOAT.")
        .def_property("swiglu_param_limit", &IMoELayer::getSwigluParamLimit,
                      &IMoELayer::setSwigluParamLimit,
                      "float: bound of gate and up. Default: infinity.")
        .def_property("swiglu_param_alpha", &IMoELayer::getSwigluParamAlpha,
                      &IMoELayer::setSwigluParamAlpha, "float: factor in the sigmoid. Default: 1.")
        .def_property("swiglu_param_beta", &IMoELayer::getSwigluParamBeta,
                      &IMoELayer::setSwigluParamBeta,
                      "float: number that is added to up. Default: 0.")
        .def("set_gated_weights", &IMoELayer::setGatedWeights, "fc_gate_weights"_a,
             "fc_up_weights"_a, "fc_down_weights"_a, "activation_type"_a,
             "Sets the weights of the experts, [experts, hidden, inner] twice and [experts, inner, "
             "hidden], and the activation.")
        .def("set_gated_biases", &IMoELayer::setGatedBiases, "fc_gate_biases"_a, "fc_up_biases"_a,
             "fc_down_biases"_a,
             "Sets the biases of the experts, [experts, inner] twice and [experts, hidden].")
        .def("set_quantization_static", &IMoELayer::setQuantizationStatic,
             "fc_down_activation_scale"_a, "data_type"_a,
             "Quantizes the input of the last product with given scales.")
        .def("set_quantization_dynamic_dbl_q", &IMoELayer::setQuantizationDynamicDblQ,
             "fc_down_activation_dbl_q_scale"_a, "data_type"_a, "block_shape"_a,
             "dyn_q_output_scale_type"_a,
             "Quantizes the input of the last product with quantized scales of blocks.")
        .def("set_swiglu_params", &IMoELayer::setSwigluParams, "limit"_a, "alpha"_a, "beta"_a,
             "Sets the three SwiGLU parameters.")
        .def("set_input", &IMoELayer::setInput, "index"_a, "tensor"_a,
             "Replaces or sets input 0 to 10.");
    bindings.network.def("add_moe", &INetworkDefinition::addMoE, "hidden_states"_a,
                         "selected_experts_for_tokens"_a, "scores_for_selected_experts"_a,
                         kInternal, "Adds a mixture of experts; returns an IMoELayer.");
}

} // namespace kiln::python
