// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "border_class.h"

namespace kiln::python {

using namespace nvinfer1;

namespace {

template <typename T>
using LoopClass = BorderClass<T, ILoopBoundaryLayer>;

void bindLoopLayers(LayerBindings& bindings) {
    py::class_<ILoopBoundaryLayer, ILayer, Borrowed<ILoopBoundaryLayer>>(
        bindings.module, "ILoopBoundaryLayer", "A layer at the border of a loop.")
        .def_property_readonly("loop", &ILoopBoundaryLayer::getLoop, kInternal, "ILoop: the loop.");
    LoopClass<IRecurrenceLayer>(bindings, LayerType::kRECURRENCE, "IRecurrenceLayer",
                                "A value that is carried from one iteration to the next.")
        .def("set_input", &IRecurrenceLayer::setInput, "index"_a, "tensor"_a,
             "Sets the value of the first iteration (0) or of the next one (1).");
    LoopClass<ITripLimitLayer>(bindings, LayerType::kTRIP_LIMIT, "ITripLimitLayer",
                               "A limit of the number of iterations.")
        .def_property_readonly("kind", &ITripLimitLayer::getTripLimit,
                               "TripLimit: the kind of the limit.");
    LoopClass<IIteratorLayer>(bindings, LayerType::kITERATOR, "IIteratorLayer",
                              "The slices of a tensor along an axis, one for each iteration.")
        .def_property("axis", &IIteratorLayer::getAxis, &IIteratorLayer::setAxis, "int: the axis.")
        .def_property("reverse", &IIteratorLayer::getReverse, &IIteratorLayer::setReverse,
                      "bool: whether the iteration begins at the last slice.");
    LoopClass<ILoopOutputLayer>(bindings, LayerType::kLOOP_OUTPUT, "ILoopOutputLayer",
                                "A result of a loop.")
        .def_property("axis", &ILoopOutputLayer::getAxis, &ILoopOutputLayer::setAxis,
                      "int: the position of the axis of the iterations.")
        .def_property_readonly("kind", &ILoopOutputLayer::getLoopOutput,
                               "LoopOutput: which values the result has.")
        .def("set_input", &ILoopOutputLayer::setInput, "index"_a, "tensor"_a,
             "Sets the value (0) or the number of slices to keep (1).");
}

} // namespace

void bindLayer_loop(LayerBindings& bindings) {
    py::class_<ILoop, Borrowed<ILoop>> loop(bindings.module, "ILoop",
                                            "A loop of a network, which owns it.");
    bindLoopLayers(bindings);
    loop.def("add_recurrence", &ILoop::addRecurrence, "initial_value"_a, kInternal,
             "Carries a value from one iteration to the next; returns an IRecurrenceLayer. Set its "
             "second input.")
        .def("add_trip_limit", &ILoop::addTripLimit, "tensor"_a, "kind"_a, kInternal,
             "Limits the number of iterations; returns an ITripLimitLayer.\n\n"
             "tensor: scalar, for COUNT int32 or int64 from outside of the loop, for WHILE bool "
             "from inside. kind: TripLimit.")
        .def("add_iterator", &ILoop::addIterator, "tensor"_a, "axis"_a = 0, "reverse"_a = false,
             kInternal,
             "Takes slices of a tensor along an axis, one for each iteration; returns an "
             "IIteratorLayer.")
        .def("add_loop_output", &ILoop::addLoopOutput, "tensor"_a, "kind"_a, "axis"_a = 0,
             kInternal,
             "Adds a result; returns an ILoopOutputLayer.\n\n"
             "tensor: computed in the loop; for LAST_VALUE the output of a recurrence. kind: "
             "LoopOutput; for CONCATENATE and REVERSE, set the second input of the layer. axis: "
             "position of the axis of the iterations.")
        .def_property("name", &ILoop::getName, &ILoop::setName, "str: the name.");
    bindings.network.def("add_loop", &INetworkDefinition::addLoop, kInternal,
                         "A loop; returns an ILoop, whose methods add its parts.");
}

} // namespace kiln::python
