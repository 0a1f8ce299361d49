// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "border_class.h"

namespace kiln::python {

using namespace nvinfer1;

namespace {

template <typename T>
using ConditionalClass = BorderClass<T, IIfConditionalBoundaryLayer>;

void bindConditionalLayers(LayerBindings& bindings) {
    py::class_<IIfConditionalBoundaryLayer, ILayer, Borrowed<IIfConditionalBoundaryLayer>>(
        bindings.module, "IIfConditionalBoundaryLayer", "A layer at the border of a conditional.")
        .def_property_readonly("conditional", &IIfConditionalBoundaryLayer::getConditional,
                               kInternal, "IIfConditional: the conditional.");
    ConditionalClass<IConditionLayer>(bindings, LayerType::kCONDITION, "IConditionLayer",
                                      "The condition of a conditional.");
    ConditionalClass<IIfConditionalInputLayer>(bindings, LayerType::kCONDITIONAL_INPUT,
                                               "IIfConditionalInputLayer",
                                               "A value that enters a conditional.");
    ConditionalClass<IIfConditionalOutputLayer>(bindings, LayerType::kCONDITIONAL_OUTPUT,
                                                "IIfConditionalOutputLayer",
                                                "A result of a conditional.");
}

} // namespace

void bindLayer_if_conditional(LayerBindings& bindings) {
    py::class_<IIfConditional, Borrowed<IIfConditional>> conditional(
        bindings.module, "IIfConditional",
        "A choice between two subgraphs of a network, which owns it.");
    bindConditionalLayers(bindings);
    conditional
        .def("set_condition", &IIfConditional::setCondition, "condition"_a, kInternal,
             "Sets the condition, a scalar of type bool; returns an IConditionLayer.")
        .def("add_output", &IIfConditional::addOutput, "true_subgraph_output"_a,
             "false_subgraph_output"_a, kInternal,
             "Adds a result; returns an IIfConditionalOutputLayer. Both tensors have the same type "
             "and rank.")
        .def("add_input", &IIfConditional::addInput, "input"_a, kInternal,
             "Adds a value for the branches; returns an IIfConditionalInputLayer.")
        .def_property("name", &IIfConditional::getName, &IIfConditional::setName, "str: the name.");
    bindings.network.def(
        "add_if_conditional", &INetworkDefinition::addIfConditional, kInternal,
        "A choice between two subgraphs; returns an IIfConditional, whose methods add its parts.");
}

} // namespace kiln::python
