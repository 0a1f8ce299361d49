// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <kiln/message_code.h>
#include <pybind11/stl.h>

#include "failure.h"
#include "layer_bindings.h"
#include "plugin_v2.h"
#include "plugin_v3.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

void logError(INetworkDefinition const& network, std::string const& text) {
    if (ILogger* const logger = network.getBuilder().getLogger()) {
        logger->log(ILogger::Severity::kERROR,
                    std::string(kiln::withMessageCode(text.c_str())).c_str());
    }
}

/// The native plugin of an argument. A plugin that lacks required members is refused as in the API,
/// with a message in the log and null, or with an exception after raise_errors(True).
template <typename Argument>
std::unique_ptr<Argument> pluginArgument(INetworkDefinition const& network,
                                         py::object const& plugin) {
    try {
        return std::make_unique<Argument>(plugin);
    } catch (py::type_error const& error) {
        if (raisesErrors()) {
            throw;
        }
        logError(network, fmt::format("[network] plugin: {}", error.what()));
        return nullptr;
    } catch (py::error_already_set const& error) { // a property of the user's class raised it
        if (raisesErrors() || !error.matches(PyExc_Exception)) {
            throw;
        }
        logError(network, fmt::format("[network] plugin: a required attribute of {} raised\n{}",
                                      className(plugin), describeException(error)));
        return nullptr;
    }
}

IPluginV2Layer* addPluginV2(INetworkDefinition& self, Tensors const& inputs,
                            py::object const& plugin) {
    auto const argument = pluginArgument<PluginV2Argument>(self, plugin);
    return argument == nullptr ? nullptr : apiCall([&] {
        return self.addPluginV2(inputs.data(), countOf(inputs), argument->get());
    });
}

IPluginV3Layer* addPluginV3(INetworkDefinition& self, Tensors const& inputs,
                            Tensors const& shapeInputs, py::object const& plugin) {
    auto const argument = pluginArgument<PluginV3Argument>(self, plugin);
    return argument == nullptr ? nullptr : apiCall([&] {
        return self.addPluginV3(inputs.data(), countOf(inputs), shapeInputs.data(),
                                countOf(shapeInputs), argument->get());
    });
}

Tensors tensorsOf(py::handle value, char const* what) {
    py::detail::make_caster<Tensors> tensors;
    if (!tensors.load(value, true)) {
        throw py::type_error(fmt::format("[network] add_plugin: expected a list of ITensor for {}, "
                                         "got {}",
                                         what, className(value)));
    }
    return py::detail::cast_op<Tensors&&>(std::move(tensors));
}

IPluginV3Layer* addParts(INetworkDefinition& self, py::tuple const& parts) {
    if (parts.size() != 3) {
        throw py::type_error(fmt::format("[network] add_plugin: expected inputs, shape inputs and "
                                         "an IPluginV3, got a tuple of {}",
                                         parts.size()));
    }
    return addPluginV3(self, tensorsOf(parts[0], "inputs"), tensorsOf(parts[1], "shape inputs"),
                       parts[2]);
}

/// The request of add_plugin, else that of the network's flags.
QuickPluginCreationRequest requestOf(INetworkDefinition const& network, std::optional<bool> aot) {
    using Flag = NetworkDefinitionCreationFlag;
    using Request = QuickPluginCreationRequest;
    if (aot) {
        return *aot ? Request::kSTRICT_AOT : Request::kSTRICT_JIT;
    }
    bool const jit = network.getFlag(Flag::kPREFER_JIT_PYTHON_PLUGINS);
    bool const ahead = network.getFlag(Flag::kPREFER_AOT_PYTHON_PLUGINS);
    if (jit && ahead) {
        throw py::value_error("[network] add_plugin: expected one of PREFER_JIT_PYTHON_PLUGINS and "
                              "PREFER_AOT_PYTHON_PLUGINS in the network's flags, got both. Leave "
                              "one out, or say add_plugin(..., aot=True) or aot=False.");
    }
    return jit ? Request::kPREFER_JIT : ahead ? Request::kPREFER_AOT : Request::kUNKNOWN;
}

IPluginV3Layer* addDecorated(INetworkDefinition& self, py::object const& func,
                             std::optional<bool> aot) {
    if (PyCallable_Check(func.ptr()) == 0) {
        throw py::type_error(fmt::format("[network] add_plugin: expected what "
                                         "trt.plugin.op.namespace.name(...) returns, got {}",
                                         className(func)));
    }
    py::object const parts = func(requestOf(self, aot));
    if (!py::isinstance<py::tuple>(parts)) {
        throw py::type_error(fmt::format("[network] add_plugin: expected func to return inputs, "
                                         "shape inputs and an IPluginV3, got {}",
                                         className(parts)));
    }
    return addParts(self, parts);
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

} // namespace

void bindLayer_plugin(LayerBindings& bindings) {
    LayerClass<IPluginV2Layer>(bindings, LayerType::kPLUGIN_V2, "IPluginV2Layer",
                               "Runs a plugin of the second generation.")
        .def_property_readonly("plugin", &pluginOf<IPluginV2Layer>,
                               "IPluginV2: the user's object, as cloned for the network.");
    LayerClass<IPluginV3Layer>(bindings, LayerType::kPLUGIN_V3, "IPluginV3Layer",
                               "Runs a plugin of the third generation.")
        .def_property_readonly("plugin", &pluginOf<IPluginV3Layer>,
                               "IPluginV3: the user's object, as cloned for the network.");
    bindings.network
        .def("add_plugin_v2", &addPluginV2, "inputs"_a, "plugin"_a, kInternal,
             "Adds a plugin of the second generation; returns an IPluginV2Layer, None on "
             "failure.\n\n"
             "inputs: list[ITensor]. plugin: IPluginV2DynamicExt; the network takes a clone.")
        .def(
            "add_plugin_v3", &addPluginV3, "inputs"_a, "shape_inputs"_a, "plugin"_a, kInternal,
            "Adds a plugin of the third generation; returns an IPluginV3Layer, None on failure.\n\n"
            "inputs: list[ITensor]. shape_inputs: list[ITensor], whose values decide shapes. "
            "plugin: IPluginV3; the network takes a clone.")
        .def("add_plugin", &addParts, "tuple"_a, kInternal,
             "Adds a decorated plugin; returns an IPluginV3Layer, None on failure.\n\n"
             "tuple: inputs (list[ITensor]), shape inputs (list[ITensor]) and an IPluginV3.")
        .def(
            "add_plugin",
            [](INetworkDefinition& self, py::object const& func) {
                return addDecorated(self, func, std::nullopt);
            },
            "func"_a, kInternal,
            "The same. func: the result of ``trt.plugin.op.namespace.name(...)``, or a function "
            "that takes a QuickPluginCreationRequest and returns such a tuple. A plugin that has "
            "impl and aot_impl needs a choice: aot, or a PREFER flag of the network.")
        .def("add_plugin", &addDecorated, "func"_a, "aot"_a, kInternal,
             "The same. aot: bool, whether the plugin is compiled ahead of time (aot_impl) or runs "
             "just in time (impl); None: as if not given. Raises ValueError if the plugin lacks "
             "that function.");
}

} // namespace kiln::python
