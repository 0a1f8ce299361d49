// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"
#include "deprecated.h"
#include "layer_hook.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using nvinfer1::DataType;
using nvinfer1::ILayer;
using nvinfer1::LayerType;

constexpr Words kTyped{"a strongly typed network with cast layers"};

template <typename T>
void const* as(ILayer const* layer, std::type_info const*& type) {
    type = &typeid(T);
    return static_cast<T const*>(layer);
}

} // namespace

void const* downcastLayer(ILayer const* layer, std::type_info const*& type) {
    type = nullptr;
    if (layer == nullptr) {
        return nullptr;
    }
    switch (layer->getType()) {
    case LayerType::kACTIVATION: return as<nvinfer1::IActivationLayer>(layer, type);
    case LayerType::kCAST: return as<nvinfer1::ICastLayer>(layer, type);
    case LayerType::kCONCATENATION: return as<nvinfer1::IConcatenationLayer>(layer, type);
    case LayerType::kCONSTANT: return as<nvinfer1::IConstantLayer>(layer, type);
    case LayerType::kCONVOLUTION: return as<nvinfer1::IConvolutionLayer>(layer, type);
    case LayerType::kELEMENTWISE: return as<nvinfer1::IElementWiseLayer>(layer, type);
    case LayerType::kFILL: return as<nvinfer1::IFillLayer>(layer, type);
    case LayerType::kGATHER: return as<nvinfer1::IGatherLayer>(layer, type);
    case LayerType::kIDENTITY: return as<nvinfer1::IIdentityLayer>(layer, type);
    case LayerType::kMATRIX_MULTIPLY: return as<nvinfer1::IMatrixMultiplyLayer>(layer, type);
    case LayerType::kNORMALIZATION: return as<nvinfer1::INormalizationLayer>(layer, type);
    case LayerType::kPLUGIN_V2: return as<nvinfer1::IPluginV2Layer>(layer, type);
    case LayerType::kPLUGIN_V3: return as<nvinfer1::IPluginV3Layer>(layer, type);
    case LayerType::kPOOLING: return as<nvinfer1::IPoolingLayer>(layer, type);
    case LayerType::kREDUCE: return as<nvinfer1::IReduceLayer>(layer, type);
    case LayerType::kSELECT: return as<nvinfer1::ISelectLayer>(layer, type);
    case LayerType::kSHAPE: return as<nvinfer1::IShapeLayer>(layer, type);
    case LayerType::kSHUFFLE: return as<nvinfer1::IShuffleLayer>(layer, type);
    case LayerType::kSLICE: return as<nvinfer1::ISliceLayer>(layer, type);
    case LayerType::kSOFTMAX: return as<nvinfer1::ISoftMaxLayer>(layer, type);
    case LayerType::kUNARY: return as<nvinfer1::IUnaryLayer>(layer, type);
    default: return as<ILayer>(layer, type);
    }
}

void const* downcastAnyLayer(ILayer const* layer, std::type_info const*& type) {
    bool const hidesType = layer != nullptr && (layer->getType() == LayerType::kACTIVATION ||
                                                layer->getType() == LayerType::kPOOLING);
    return hidesType ? as<ILayer>(layer, type) : downcastLayer(layer, type);
}

void initLayer(py::module_& m) {
    py::class_<ILayer, Borrowed<ILayer>>(m, "ILayer", "A layer of a network, which owns it.")
        .def_property("name", &ILayer::getName, &ILayer::setName, "str: the name.")
        .def_property("metadata", &ILayer::getMetadata, &ILayer::setMetadata,
                      "str: user text, shown by the engine inspector.")
        .def_property(
            "num_ranks", &ILayer::getNbRanks,
            [](ILayer& self, int32_t ranks) { self.setNbRanks(ranks); },
            "int: the number of processes that share the layer. Default: 1.")
        .def_property_readonly("type", &ILayer::getType, "LayerType: the kind of layer.")
        .def_property_readonly("num_inputs", &ILayer::getNbInputs, "int: the number of inputs.")
        .def_property_readonly("num_outputs", &ILayer::getNbOutputs, "int: the number of outputs.")
        .def("get_input", &ILayer::getInput, "index"_a, kInternal,
             "The input of a given index, None if there is none.")
        .def("get_output", &ILayer::getOutput, "index"_a, kInternal,
             "The output of a given index, None if there is none.")
        .def("set_input", &ILayer::setInput, "index"_a, "tensor"_a, "Replaces an input.")
        .def("get_output_type", &ILayer::getOutputType, "index"_a, "The DataType of an output.")
        .def_property("precision", &ILayer::getPrecision, &ILayer::setPrecision,
                      "DataType: deprecated, the type to compute in; for weakly typed networks.")
        .def_property_readonly("precision_is_set",
                               py::cpp_function(&ILayer::precisionIsSet,
                                                Deprecated<"ILayer.precision_is_set", kTyped>()),
                               "bool: deprecated, whether precision was set.")
        .def("reset_precision", &ILayer::resetPrecision,
             Deprecated<"ILayer.reset_precision", kTyped>(), "Deprecated: resets precision.")
        .def("set_output_type", &ILayer::setOutputType, "index"_a, "dtype"_a,
             Deprecated<"ILayer.set_output_type", kTyped>(),
             "Deprecated: sets the type of an output; for weakly typed networks.")
        .def("output_type_is_set", &ILayer::outputTypeIsSet, "index"_a,
             Deprecated<"ILayer.output_type_is_set", kTyped>(),
             "Deprecated: whether set_output_type was called.")
        .def("reset_output_type", &ILayer::resetOutputType, "index"_a,
             Deprecated<"ILayer.reset_output_type", kTyped>(),
             "Deprecated: undoes set_output_type.");
}

} // namespace kiln::python
