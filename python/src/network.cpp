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
#include "layer_bindings.h"
#include "native_object.h"
#include "weights.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

using NoNetworkBatch =
    Deprecated<"INetworkDefinition.has_implicit_batch_dimension", "nothing: it is always False">;

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

ILayer* layerAt(INetworkDefinition const& self, int32_t index) {
    int32_t const count = self.getNbLayers();
    int32_t const at = index < 0 ? index + count : index;
    if (at < 0 || at >= count) {
        throw py::index_error(
            fmt::format("[network] index {} is out of range for {} layers", index, count));
    }
    return self.getLayer(at);
}

bool setWeightsName(INetworkDefinition& self, WeightsArgument const& weights,
                    std::string const& name) {
    return self.setWeightsName(toWeights(weights).native, name.c_str());
}

void bindSettings(NetworkClass& cls) {
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
    bindSettings(cls);
    initLayers({m, cls});
}

} // namespace kiln::python
