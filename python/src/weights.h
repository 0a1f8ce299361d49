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
