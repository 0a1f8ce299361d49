// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"
#include "deprecated.h"
#include "failure.h"
#include "native_object.h"

namespace kiln::python {

namespace {

using nvinfer1::ITensor;

constexpr Words kRangeLayers{"quantize and dequantize layers"};
using NoBatch = Deprecated<"ITensor.broadcast_across_batch", "ordinary dimensions">;
using RangeProperty = Deprecated<"ITensor.dynamic_range", kRangeLayers>;

py::object dynamicRange(ITensor const& self) {
    return self.dynamicRangeIsSet()
               ? py::object(py::make_tuple(self.getDynamicRangeMin(), self.getDynamicRangeMax()))
               : py::none();
}

void setDynamicRange(ITensor& self, std::pair<float, float> const& range) {
    forgetError();
    if (!self.setDynamicRange(range.first, range.second)) {
        throw py::value_error(reportedError("[ITensor] dynamic_range: refused"));
    }
}

} // namespace

void initTensor(py::module_& m) {
    py::class_<ITensor, Borrowed<ITensor>>(
        m, "ITensor",
        "A tensor of a network: an input, or an output of a layer. The network owns it.")
        .def_property("name", &ITensor::getName, &ITensor::setName, "str: the name.")
        .def_property("shape", &ITensor::getDimensions, &ITensor::setDimensions,
                      "Dims: the shape, -1 where not known; can be set on network inputs.")
        .def_property("dtype", &ITensor::getType, &ITensor::setType,
                      "DataType: of the elements; can be set on inputs and outputs.")
        .def_property("location", &ITensor::getLocation, &ITensor::setLocation,
                      "TensorLocation: where the memory of an input or output is.")
        .def_property("allowed_formats", &ITensor::getAllowedFormats, &ITensor::setAllowedFormats,
                      "int: bit i allows the TensorFormat of number i at an input or output.")
        .def_property("broadcast_across_batch",
                      py::cpp_function(&ITensor::getBroadcastAcrossBatch, NoBatch()),
                      py::cpp_function(&ITensor::setBroadcastAcrossBatch, NoBatch()),
                      "bool: deprecated, without effect.")
        .def_property_readonly("is_network_input", &ITensor::isNetworkInput,
                               "bool: whether this is an input of the network.")
        .def_property_readonly("is_network_output", &ITensor::isNetworkOutput,
                               "bool: whether this is marked as an output.")
        .def_property_readonly("is_shape_tensor", &ITensor::isShapeTensor,
                               "bool: whether its values decide shapes.")
        .def_property_readonly("is_execution_tensor", &ITensor::isExecutionTensor,
                               "bool: whether an engine computes its values.")
        .def_property("dynamic_range", py::cpp_function(&dynamicRange, RangeProperty()),
                      py::cpp_function(&setDynamicRange, RangeProperty()),
                      "tuple | None: the smallest and the largest value; for quantization.")
        .def("set_dynamic_range", &ITensor::setDynamicRange, "min"_a, "max"_a,
             Deprecated<"ITensor.set_dynamic_range", kRangeLayers>(),
             "Sets the smallest and largest value; returns success.")
        .def("reset_dynamic_range", &ITensor::resetDynamicRange,
             Deprecated<"ITensor.reset_dynamic_range", kRangeLayers>(),
             "Removes the dynamic range.")
        .def("set_dimension_name", &ITensor::setDimensionName, "index"_a, "name"_a,
             "Names a dimension; inputs whose dimensions share a name share the extent.")
        .def("get_dimension_name", &ITensor::getDimensionName, "index"_a,
             "The name of a dimension, None if it has none.");
}

} // namespace kiln::python
