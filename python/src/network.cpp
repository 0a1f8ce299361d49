// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "deprecated.h"
#include "failure.h"
#include "keep_alive.h"
#include "layer_hook.h"
#include "native_object.h"
#include "network_plugins.h"
#include "weights.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

using NoNetworkBatch =
    Deprecated<"INetworkDefinition.has_implicit_batch_dimension", "nothing: it is always False">;

IConstantLayer* addConstant(py::object const& self, Dims const& shape, py::object const& values) {
    WeightsObject const weights = toWeights(values);
    keepWeights(self, weights);
    return self.cast<INetworkDefinition&>().addConstant(shape, weights.native);
}

IConvolutionLayer* addConvolution(py::object const& self, ITensor& input, int64_t outputMaps,
                                  Dims const& kernelShape, py::object const& kernel,
                                  py::object const& bias) {
    WeightsObject const kernelWeights = toWeights(kernel);
    WeightsObject const biasWeights = toWeights(bias);
    keepWeights(self, kernelWeights);
    keepWeights(self, biasWeights);
    return self.cast<INetworkDefinition&>().addConvolutionNd(
        input, outputMaps, kernelShape, kernelWeights.native, biasWeights.native);
}

void bindTensors(NetworkClass& cls) {
    cls.def("add_input", &INetworkDefinition::addInput, "name"_a, "dtype"_a, "shape"_a, kInternal,
            "Adds an input; returns its ITensor, None on failure.\n\n"
            "name: str, not used before. dtype: DataType. shape: at most 8 extents, -1 for those "
            "that an optimization profile bounds.\n"
            "Example: ``network.add_input('x', trt.float32, (-1, 3, 32, 32))``.")
        .def("mark_output", &INetworkDefinition::markOutput, "tensor"_a,
             "Makes a tensor an output.")
        .def("unmark_output", &INetworkDefinition::unmarkOutput, "tensor"_a,
             "Makes an output an inner tensor again.")
        .def("mark_output_for_shapes", &INetworkDefinition::markOutputForShapes, "tensor"_a,
             "Makes a shape tensor an output in host memory; returns success.")
        .def("unmark_output_for_shapes", &INetworkDefinition::unmarkOutputForShapes, "tensor"_a,
             "Undoes mark_output_for_shapes; returns success.")
        .def("remove_tensor", &INetworkDefinition::removeTensor, "tensor"_a,
             "Removes a tensor from the network.")
        .def("get_input", &INetworkDefinition::getInput, "index"_a, kInternal,
             "The input of a given index, None if there is none.")
        .def("get_output", &INetworkDefinition::getOutput, "index"_a, kInternal,
             "The output of a given index, None if there is none.")
        .def("mark_debug", &INetworkDefinition::markDebug, "tensor"_a,
             "Makes a tensor visible to a debug listener; returns success.")
        .def("unmark_debug", &INetworkDefinition::unmarkDebug, "tensor"_a,
             "Undoes mark_debug; returns success.")
        .def("is_debug_tensor", &INetworkDefinition::isDebugTensor, "tensor"_a,
             "Whether mark_debug was called for a tensor.")
        .def("mark_unfused_tensors_as_debug_tensors",
             &INetworkDefinition::markUnfusedTensorsAsDebugTensors,
             "Makes every unfused tensor a debug tensor; returns success.")
        .def("unmark_unfused_tensors_as_debug_tensors",
             &INetworkDefinition::unmarkUnfusedTensorsAsDebugTensors,
             "Undoes mark_unfused_tensors_as_debug_tensors; returns success.");
}

void bindComputeLayers(NetworkClass& cls) {
    cls.def("add_activation", &INetworkDefinition::addActivation, "input"_a, "type"_a, kInternal,
            "Adds a function of each element; returns an IActivationLayer.")
        .def("add_cast", &INetworkDefinition::addCast, "input"_a, "to_type"_a, kInternal,
             "Adds a conversion to a DataType; returns an ICastLayer.")
        .def("add_constant", &addConstant, "shape"_a, "weights"_a, kInternal,
             "Adds fixed values; returns an IConstantLayer.\n\n"
             "weights: a NumPy array or Weights with as many values as the shape; kept alive.")
        .def("add_convolution_nd", &addConvolution, "input"_a, "num_output_maps"_a,
             "kernel_shape"_a, "kernel"_a, "bias"_a = py::none(), kInternal,
             "Adds a convolution; returns an IConvolutionLayer.\n\n"
             "input: [batch, channels, height, width]. kernel: [num_output_maps, channels, "
             "*kernel_shape]. bias: [num_output_maps] or None. Arrays are kept alive.")
        .def("add_elementwise", &INetworkDefinition::addElementWise, "input1"_a, "input2"_a, "op"_a,
             kInternal,
             "Adds ``input1 op input2`` with broadcasting; returns an IElementWiseLayer.")
        .def("add_identity", &INetworkDefinition::addIdentity, "input"_a, kInternal,
             "Adds a layer that passes its input on; returns an IIdentityLayer.")
        .def("add_matrix_multiply", &INetworkDefinition::addMatrixMultiply, "input0"_a, "op0"_a,
             "input1"_a, "op1"_a, kInternal,
             "Adds a product of stacks of matrices; returns an IMatrixMultiplyLayer.\n\n"
             "op0, op1: MatrixOperation, how each input is read.")
        .def("add_normalization", &INetworkDefinition::addNormalization, "input"_a, "scale"_a,
             "bias"_a, "axesMask"_a, kInternal,
             "Adds a normalization along axes; returns an INormalizationLayer.\n\n"
             "axesMask: int, bit i selects axis i. scale and bias: of the rank of the input, "
             "extents of 1 are broadcast. Deprecated: use add_normalization_v2.")
        .def("add_normalization_v2", &INetworkDefinition::addNormalizationV2, "input"_a, "scale"_a,
             "bias"_a, "axesMask"_a, kInternal,
             "Like add_normalization; with groups, scale and bias are by channel.")
        .def("add_pooling_nd", &INetworkDefinition::addPoolingNd, "input"_a, "type"_a,
             "window_size"_a, kInternal, "Adds a pooling; returns an IPoolingLayer.")
        .def("add_shuffle", &INetworkDefinition::addShuffle, "input"_a, kInternal,
             "Adds a transpose, reshape and transpose; returns an IShuffleLayer to set them on.")
        .def("add_softmax", &INetworkDefinition::addSoftMax, "input"_a, kInternal,
             "Adds a softmax; returns an ISoftMaxLayer. Set its axes.");
}

IConcatenationLayer* addConcatenation(INetworkDefinition& self, Tensors const& inputs) {
    return self.addConcatenation(inputs.data(), countOf(inputs));
}

void bindShapeLayers(NetworkClass& cls) {
    cls.def("add_concatenation", &addConcatenation, "inputs"_a, kInternal,
            "Joins tensors; returns an IConcatenationLayer. Set its axis.")
        .def("add_fill",
             py::overload_cast<Dims const&, FillOperation, DataType>(&INetworkDefinition::addFill),
             "shape"_a, "op"_a, "output_type"_a = DataType::kFLOAT, kInternal,
             "Adds evenly spaced values; returns an IFillLayer. Set its alpha and beta.")
        .def("add_gather", &INetworkDefinition::addGather, "input"_a, "indices"_a, "axis"_a,
             kInternal,
             "Adds slices of the input at indices along an axis; returns an "
             "IGatherLayer.")
        .def("add_gather_v2", &INetworkDefinition::addGatherV2, "input"_a, "indices"_a, "mode"_a,
             kInternal, "Like add_gather in a GatherMode, with axis 0; returns an IGatherLayer.")
        .def("add_reduce", &INetworkDefinition::addReduce, "input"_a, "op"_a, "axes"_a,
             "keep_dims"_a, kInternal,
             "Combines elements along axes; returns an IReduceLayer.\n\n"
             "op: ReduceOperation. axes: int, bit i selects axis i. keep_dims: bool.")
        .def("add_select", &INetworkDefinition::addSelect, "condition"_a, "then_input"_a,
             "else_input"_a, kInternal,
             "Takes then_input where the condition holds, else else_input; returns an "
             "ISelectLayer.")
        .def("add_shape", &INetworkDefinition::addShape, "input"_a, kInternal,
             "Adds the extents of a tensor, int64; returns an IShapeLayer.")
        .def("add_slice", &INetworkDefinition::addSlice, "input"_a, "start"_a, "shape"_a,
             "stride"_a, kInternal,
             "Takes start, start + stride, ... along each axis; returns an ISliceLayer.")
        .def("add_unary", &INetworkDefinition::addUnary, "input"_a, "op"_a, kInternal,
             "Adds a function of each element; returns an IUnaryLayer. op: UnaryOperation.");
}

ILayer* layerAt(INetworkDefinition const& self, int32_t index) {
    int32_t const count = self.getNbLayers();
    int32_t const at = index < 0 ? index + count : index;
    if (at < 0 || at >= count) {
        throw py::index_error(
            fmt::format("[network] index {} is out of range for {} layers", index, count));
    }
    return self.getLayer(at);
}

bool setWeightsName(INetworkDefinition& self, py::object const& weights, std::string const& name) {
    return self.setWeightsName(toWeights(weights).native, name.c_str());
}

void bindRest(NetworkClass& cls) {
    cls.def("__len__", &INetworkDefinition::getNbLayers)
        .def("__getitem__", &layerAt, kInternal)
        .def("get_layer", &INetworkDefinition::getLayer, "index"_a, kInternal,
             "The layer of a given index, None if there is none.")
        .def("get_flag", &INetworkDefinition::getFlag, "flag"_a,
             "Whether the network was made with a NetworkDefinitionCreationFlag.")
        .def("set_weights_name", &setWeightsName, "weights"_a, "name"_a,
             "Names weights, for refitting; returns success.")
        .def("mark_weights_refittable", &INetworkDefinition::markWeightsRefittable, "name"_a,
             "Lets weights be refitted; returns success.")
        .def("unmark_weights_refittable", &INetworkDefinition::unmarkWeightsRefittable, "name"_a,
             "Undoes mark_weights_refittable; returns success.")
        .def("are_weights_marked_refittable", &INetworkDefinition::areWeightsMarkedRefittable,
             "name"_a, "Whether mark_weights_refittable was called.")
        .def_property("name", &INetworkDefinition::getName, &INetworkDefinition::setName,
                      "str: the name, also of the engine.")
        .def_property("error_recorder", &INetworkDefinition::getErrorRecorder,
                      py::cpp_function(&INetworkDefinition::setErrorRecorder, KeepAlive<1, 2>()),
                      "IErrorRecorder | None: gets the errors of this network.")
        .def_property_readonly("num_layers", &INetworkDefinition::getNbLayers,
                               "int: the number of layers.")
        .def_property_readonly("num_inputs", &INetworkDefinition::getNbInputs,
                               "int: the number of inputs.")
        .def_property_readonly("num_outputs", &INetworkDefinition::getNbOutputs,
                               "int: the number of outputs.")
        .def_property_readonly("flags", &INetworkDefinition::getFlags,
                               "int: bits of NetworkDefinitionCreationFlag.")
        .def_property_readonly(
            "has_implicit_batch_dimension",
            py::cpp_function(&INetworkDefinition::hasImplicitBatchDimension, NoNetworkBatch()),
            "bool: deprecated, always False.")
        .def_property_readonly("builder", &INetworkDefinition::getBuilder,
                               py::return_value_policy::reference,
                               "Builder: the builder of this network.");
    bindOwnedObject(cls);
}

} // namespace

void initNetwork(py::module_& m) {
    NetworkClass cls(m, "INetworkDefinition",
                     "A network that is being defined. Made by Builder.create_network.");
    bindTensors(cls);
    bindComputeLayers(cls);
    bindShapeLayers(cls);
    bindPluginLayers(cls);
    bindRest(cls);
}

} // namespace kiln::python
