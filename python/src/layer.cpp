// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "bindings.h"
#include "deprecated.h"
#include "layer_bindings.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using nvinfer1::DataType;
using nvinfer1::ILayer;
using nvinfer1::LayerType;

constexpr Words kTyped{"a strongly typed network with cast layers"};

/// By number of the LayerType; without a class for kinds that are not bound.
std::array<LayerKind, nvinfer1::EnumMax<LayerType>()> kinds;

LayerKind const* kindOf(ILayer const* layer) {
    if (layer == nullptr) {
        return nullptr;
    }
    auto const number = static_cast<std::size_t>(layer->getType());
    return number < kinds.size() && kinds[number].type != nullptr ? &kinds[number] : nullptr;
}

void const* asLayer(ILayer const* layer, std::type_info const*& type) {
    type = layer == nullptr ? nullptr : &typeid(ILayer);
    return layer;
}

} // namespace

// Generated from the file names in layers/.
void registerAllLayers(LayerBindings& bindings);

void addLayerKind(LayerType kind, LayerKind const& layer) {
    kinds.at(static_cast<std::size_t>(kind)) = layer;
}

void initLayers(LayerBindings bindings) {
    registerAllLayers(bindings);
    for (LayerKind& kind : kinds) {
        kind.redefinesType =
            kind.cls != nullptr && py::handle(kind.cls).attr("__dict__").contains("type");
    }
}

void const* downcastLayer(ILayer const* layer, std::type_info const*& type) {
    LayerKind const* const kind = kindOf(layer);
    if (kind == nullptr) {
        return asLayer(layer, type);
    }
    type = kind->type;
    return kind->downcast(layer);
}

void const* downcastAnyLayer(ILayer const* layer, std::type_info const*& type) {
    LayerKind const* const kind = kindOf(layer);
    return kind != nullptr && kind->redefinesType ? asLayer(layer, type)
                                                  : downcastLayer(layer, type);
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
