// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

namespace {

/// The parts of an attention that are properties.
void bindProperties(py::class_<IAttention, Borrowed<IAttention>>& cls) {
    auto const tensor = [](auto get) { return py::cpp_function(get, kInternal); };
    cls.def_property("norm_op", &IAttention::getNormalizationOperation,
                     &IAttention::setNormalizationOperation,
                     "AttentionNormalizationOp: how scores are normalized.")
        .def_property("mask", tensor(&IAttention::getMask), &IAttention::setMask,
                      "ITensor: which keys a query sees (bool), or what is added to the scores; "
                      "None if there is none.")
        .def_property("causal", &IAttention::getCausal, &IAttention::setCausal,
                      "bool: whether a query sees only keys up to its own place. True sets "
                      "UPPER_LEFT.")
        .def_property("causal_kind", &IAttention::getCausalKind, &IAttention::setCausalKind,
                      "CausalMaskKind: which keys a query sees by place.")
        .def_property("decomposable", &IAttention::getDecomposable, &IAttention::setDecomposable,
                      "bool: whether several kernels may do the work. Default: False. Kiln always "
                      "allows it.")
        .def_property("normalization_quantize_scale",
                      tensor(&IAttention::getNormalizationQuantizeScale),
                      &IAttention::setNormalizationQuantizeScale,
                      "ITensor: scale of the quantized weights, or None.")
        .def_property("normalization_quantize_to_type", &IAttention::getNormalizationQuantizeToType,
                      &IAttention::setNormalizationQuantizeToType,
                      "DataType: type that weights are rounded to. Default: FLOAT, which means "
                      "none.")
        .def_property("query_form", &IAttention::getQueryForm, &IAttention::setQueryForm,
                      "AttentionIOForm: layout of query and output. Default: PADDED_BHND.")
        .def_property("key_value_form", &IAttention::getKeyValueForm, &IAttention::setKeyValueForm,
                      "AttentionIOForm: layout of key and value. Default: PADDED_BHND.")
        .def_property("query_lengths", tensor(&IAttention::getQueryLengths),
                      &IAttention::setQueryLengths,
                      "ITensor: lengths of the sequences of queries, or None.")
        .def_property("key_value_lengths", tensor(&IAttention::getKeyValueLengths),
                      &IAttention::setKeyValueLengths,
                      "ITensor: lengths of the sequences of keys and values, or None.");
}

} // namespace

void bindLayer_attention(LayerBindings& bindings) {
    py::class_<IAttention, Borrowed<IAttention>> cls(
        bindings.module, "IAttention",
        "Attention: normalize(query * transposed key + mask) * value. Stands between two layers.");
    bindProperties(cls);
    cls.def_property("name", &IAttention::getName, &IAttention::setName, "str: the name.")
        .def_property("metadata", &IAttention::getMetadata, &IAttention::setMetadata,
                      "str: what engine inspectors show with the attention.")
        .def_property("num_ranks", &IAttention::getNbRanks, &IAttention::setNbRanks,
                      "int: number of devices that the sequences are split over. Default: 1.")
        .def_property_readonly("num_inputs", &IAttention::getNbInputs,
                               "int: 3, 4 with a mask, 5 with a scale.")
        .def_property_readonly("num_outputs", &IAttention::getNbOutputs, "int: 1.")
        .def("get_input", &IAttention::getInput, "index"_a, kInternal,
             "Input number index, or None.")
        .def(
            "set_input", &IAttention::setInput, "index"_a, "tensor"_a,
            "Replaces or sets the query (0), the key (1), the value (2), the mask (3) or the scale "
            "(4). Returns whether it was valid.")
        .def("get_output", &IAttention::getOutput, "index"_a, kInternal,
             "Output number index, or None.");
    py::class_<IAttentionBoundaryLayer, ILayer, Borrowed<IAttentionBoundaryLayer>>(
        bindings.module, "IAttentionBoundaryLayer", "The layers at the ends of an attention.")
        .def_property_readonly("attention",
                               py::cpp_function(&IAttentionBoundaryLayer::getAttention, kInternal),
                               "IAttention: what the layer belongs to.");
    LayerClass<IAttentionInputLayer, IAttentionBoundaryLayer>(bindings, LayerType::kATTENTION_INPUT,
                                                              "IAttentionInputLayer",
                                                              "Passes tensors to an attention.");
    LayerClass<IAttentionOutputLayer, IAttentionBoundaryLayer>(
        bindings, LayerType::kATTENTION_OUTPUT, "IAttentionOutputLayer",
        "Passes the result of an attention on.");
    bindings.network
        .def("add_attention", &INetworkDefinition::addAttention, "query"_a, "key"_a, "value"_a,
             "norm_op"_a, "causal"_a, kInternal,
             "Adds an attention, causal from the first query and key on if causal is True; returns "
             "an IAttention.")
        .def("add_attention_v2", &INetworkDefinition::addAttentionV2, "query"_a, "key"_a, "value"_a,
             "norm_op"_a, "causal_kind"_a, kInternal, "Adds an attention; returns an IAttention.");
}

} // namespace kiln::python
