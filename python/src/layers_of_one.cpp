// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Layers with few settings.
#include "bindings.h"
#include "layer_hook.h"
#include "native_object.h"
#include "plugin_v2.h"
#include "plugin_v3.h"
#include "weights.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

void bindComputeLayers(py::module_& m) {
    LayerClass<IActivationLayer>(m, "IActivationLayer", "Applies a function to each element.")
        .def_property("type", &IActivationLayer::getActivationType,
                      &IActivationLayer::setActivationType, "ActivationType: the function.")
        .def_property("alpha", &IActivationLayer::getAlpha, &IActivationLayer::setAlpha,
                      "float: first parameter of the function, if it has one.")
        .def_property("beta", &IActivationLayer::getBeta, &IActivationLayer::setBeta,
                      "float: second parameter of the function, if it has one.");
    LayerClass<ICastLayer>(m, "ICastLayer", "Converts to another type.")
        .def_property("to_type", &ICastLayer::getToType, &ICastLayer::setToType,
                      "DataType: the type of the output.");
    LayerClass<IElementWiseLayer>(m, "IElementWiseLayer",
                                  "Combines two tensors element by element, with broadcasting.")
        .def_property("op", &IElementWiseLayer::getOperation, &IElementWiseLayer::setOperation,
                      "ElementWiseOperation: the operation.");
    LayerClass<IIdentityLayer>(m, "IIdentityLayer", "Passes its input on.");
    LayerClass<IMatrixMultiplyLayer>(m, "IMatrixMultiplyLayer", "Multiplies stacks of matrices.")
        .def_property(
            "op0", [](IMatrixMultiplyLayer const& self) { return self.getOperation(0); },
            [](IMatrixMultiplyLayer& self, MatrixOperation op) { self.setOperation(0, op); },
            "MatrixOperation: how the first input is read.")
        .def_property(
            "op1", [](IMatrixMultiplyLayer const& self) { return self.getOperation(1); },
            [](IMatrixMultiplyLayer& self, MatrixOperation op) { self.setOperation(1, op); },
            "MatrixOperation: how the second input is read.");
    LayerClass<ISoftMaxLayer>(m, "ISoftMaxLayer", "exp(x) divided by its sum along an axis.")
        .def_property("axes", &ISoftMaxLayer::getAxes, &ISoftMaxLayer::setAxes,
                      "int: bit i selects dimension i; one bit. Default: bit max(rank - 3, 0).");
}

void bindShuffle(py::module_& m) {
    LayerClass<IShuffleLayer>(m, "IShuffleLayer", "Transposes, reshapes and transposes again.")
        .def_property("first_transpose", &IShuffleLayer::getFirstTranspose,
                      &IShuffleLayer::setFirstTranspose,
                      "Permutation: of the input. Default: none.")
        .def_property("reshape_dims", &IShuffleLayer::getReshapeDimensions,
                      &IShuffleLayer::setReshapeDimensions,
                      "Dims: the new shape; one extent may be -1, then it is computed.")
        .def_property("second_transpose", &IShuffleLayer::getSecondTranspose,
                      &IShuffleLayer::setSecondTranspose,
                      "Permutation: of the reshaped tensor. Default: none.")
        .def_property("zero_is_placeholder", &IShuffleLayer::getZeroIsPlaceholder,
                      &IShuffleLayer::setZeroIsPlaceholder,
                      "bool: whether 0 in reshape_dims copies the extent of the input. Default: "
                      "True.")
        .def("set_input", &IShuffleLayer::setInput, "index"_a, "tensor"_a,
             "Replaces input 0, or makes the tensor at index 1 the new shape.");
}

void bindConstant(py::module_& m) {
    LayerClass<IConstantLayer>(m, "IConstantLayer", "Outputs fixed values.")
        .def_property("shape", &IConstantLayer::getDimensions, &IConstantLayer::setDimensions,
                      "Dims: the shape of the values.")
        .def_property(
            "weights",
            [](py::object const& self) {
                return fromWeights(self.cast<IConstantLayer&>().getWeights(), self);
            },
            [](py::object const& self, py::object const& value) {
                WeightsObject const weights = toWeights(value);
                self.cast<IConstantLayer&>().setWeights(weights.native);
                keepWeightsOfLayer(self, weights);
            },
            "numpy.ndarray | Weights: the values.");
}

/// The user's own object, or a wrapper that keeps the layer, and so the plugin, alive.
template <typename Layer>
py::object pluginOf(py::object const& self) {
    auto* const native = &self.cast<Layer&>().getPlugin();
    bool const isForeign = !pythonObjectOf(native);
    py::object result = toPython(native, false);
    if (isForeign) {
        py::detail::keep_alive_impl(result, self);
    }
    return result;
}

void bindPluginLayers(py::module_& m) {
    LayerClass<IPluginV2Layer>(m, "IPluginV2Layer", "Runs a plugin of the second generation.")
        .def_property_readonly("plugin", &pluginOf<IPluginV2Layer>,
                               "IPluginV2: the user's object, as cloned for the network.");
    LayerClass<IPluginV3Layer>(m, "IPluginV3Layer", "Runs a plugin of the third generation.")
        .def_property_readonly("plugin", &pluginOf<IPluginV3Layer>,
                               "IPluginV3: the user's object, as cloned for the network.");
}

} // namespace

void initLayersOfOne(py::module_& m) {
    bindComputeLayers(m);
    bindShuffle(m);
    bindConstant(m);
    bindPluginLayers(m);
}

} // namespace kiln::python
