// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Weights in Python: trt.Weights, or a NumPy array in its place.
#pragma once

#include <NvInferRuntime.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// `owner` holds the memory, if Python does.
struct WeightsObject {
    nvinfer1::Weights native{nvinfer1::DataType::kFLOAT, nullptr, 0};
    py::object owner;
};

/// An argument for toWeights(). Signatures name the types that it takes.
class WeightsArgument : public py::object {
    PYBIND11_OBJECT_DEFAULT(WeightsArgument, py::object, PyObject_Type)
};

/// The same, or None for none.
class OptionalWeights : public py::object {
    PYBIND11_OBJECT_DEFAULT(OptionalWeights, py::object, PyObject_Type)
};

/// The NumPy type of a data type; throws TypeError for those that NumPy lacks.
py::dtype numpyType(nvinfer1::DataType type);

/// An argument as weights: WeightsObject, an array, or None for none. Arrays that are not
/// contiguous are copied.
WeightsObject toWeights(py::handle value);

/// Ties the memory of weights to the network that uses them.
void keepWeights(py::handle network, WeightsObject const& weights);

/// Like keepWeights, for a layer that came from a network.
void keepWeightsOfLayer(py::handle layer, WeightsObject const& weights);

/// Native weights for Python: an array over their memory, which `base` keeps alive; a Weights
/// object for types that NumPy lacks.
py::object fromWeights(nvinfer1::Weights const& weights, py::handle base);

} // namespace kiln::python

namespace pybind11::detail {

template <>
struct handle_type_name<kiln::python::WeightsArgument> {
    static constexpr auto name = const_name("kiln._core.Weights | numpy.ndarray");
};

template <>
struct handle_type_name<kiln::python::OptionalWeights> {
    static constexpr auto name = const_name("kiln._core.Weights | numpy.ndarray | None");
};

} // namespace pybind11::detail
