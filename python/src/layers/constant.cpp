// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"
#include "layers/weights_property.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

IConstantLayer* addConstant(py::object const& self, Dims const& shape,
                            WeightsArgument const& values) {
    WeightsObject const weights = toWeights(values);
    keepWeights(self, weights);
    return self.cast<INetworkDefinition&>().addConstant(shape, weights.native);
}

} // namespace

void bindLayer_constant(LayerBindings& bindings) {
    LayerClass<IConstantLayer>(bindings, LayerType::kCONSTANT, "IConstantLayer",
                               "Outputs fixed values.")
        .def_property("shape", &IConstantLayer::getDimensions, &IConstantLayer::setDimensions,
                      "Dims: the shape of the values.")
        .def_property("weights", weightsGetter(&IConstantLayer::getWeights),
                      weightsSetter(&IConstantLayer::setWeights),
                      "numpy.ndarray | Weights: the values.");
    bindings.network.def(
        "add_constant", &addConstant, "shape"_a, "weights"_a, kInternal,
        "Adds fixed values; returns an IConstantLayer.\n\n"
        "weights: a NumPy array or Weights with as many values as the shape; kept alive.");
}

} // namespace kiln::python
