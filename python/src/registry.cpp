// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <NvInferPlugin.h>
#include <fmt/format.h>
#include <kiln/kiln.h>
#include <pybind11/stl/filesystem.h>

#include "bindings.h"
#include "creators.h"
#include "plugin_resource.h"
#include "registered_creators.h"

namespace kiln::python {
namespace {

using nvinfer1::IPluginCreatorInterface;
using nvinfer1::IPluginRegistry;

/// A native object behind an argument; null for None. `label` names argument and class.
template <typename T>
T* orNull(py::object const& value, char const* label) {
    if (value.is_none()) {
        return nullptr;
    }
    if (!py::isinstance<T>(value)) {
        throw py::type_error(fmt::format("{} or None, got {}", label, className(value)));
    }
    return value.cast<T*>();
}

void setErrorRecorder(IPluginRegistry& self, py::object const& recorder) {
    self.setErrorRecorder(orNull<nvinfer1::IErrorRecorder>(
        recorder, "[registry] error_recorder: expected an IErrorRecorder"));
    if (!recorder.is_none()) {
        py::detail::keep_alive_impl(lifeOf(self), recorder);
    }
}

/// Sets the default logger. Native code keeps its address, so the module keeps the object alive.
void setDefaultLogger(py::object const& logger) {
    kiln::setDefaultLogger(
        orNull<nvinfer1::ILogger>(logger, "[registry] logger: expected an ILogger"));
    py::module_::import("kiln._core").attr("_default_logger") = logger;
}

bool initPlugins(py::object const& logger, std::string const& space) {
    bool const isLogger = !logger.is_none() && !py::isinstance<py::capsule>(logger);
    if (isLogger) {
        setDefaultLogger(logger);
    }
    return initLibNvInferPlugins(isLogger ? logger.cast<nvinfer1::ILogger*>() : nullptr,
                                 space.c_str());
}

/// Removes Python objects from the registry before the interpreter ends.
void letGo() {
    deregisterAllCreators();
    ::getPluginRegistry()->setErrorRecorder(nullptr);
    kiln::setDefaultLogger(nullptr);
}

py::list listed(IPluginCreatorInterface* const* creators, int32_t count) {
    py::list result;
    for (int32_t i = 0; i < count; ++i) {
        result.append(toPython(creators[i]));
    }
    return result;
}

py::object handleOf(void* handle) {
    return handle == nullptr ? py::none() : py::object(py::capsule(handle, "kiln.plugin_library"));
}

void bindLookUp(py::class_<IPluginRegistry, std::unique_ptr<IPluginRegistry, py::nodelete>>& cls) {
    auto const find = [](IPluginRegistry& self, std::string const& type, std::string const& version,
                         std::string const& space) {
        return toPython(self.getCreator(type.c_str(), version.c_str(), space.c_str()));
    };
    cls.def("get_creator", find, "type"_a, "version"_a, "plugin_namespace"_a = "",
            "The creator of a plugin, None if there is none (the log then lists near names).\n\n"
            "type: the plugin's name. version: its version. plugin_namespace: default ''.\n"
            "Example: ``registry.get_creator('CircPadPlugin', '1', '')``.")
        .def(
            "get_plugin_creator",
            [](IPluginRegistry& self, std::string const& type, std::string const& version,
               std::string const& space) {
                return toPython(
                    self.getPluginCreator(type.c_str(), version.c_str(), space.c_str()));
            },
            "type"_a, "version"_a, "plugin_namespace"_a = "",
            "Like get_creator, for IPluginCreator only.")
        .def_property_readonly(
            "all_creators",
            [](IPluginRegistry const& self) {
                int32_t count = 0;
                auto* const creators = self.getAllCreators(&count);
                return listed(creators, count);
            },
            "list: every creator in this registry; creators in Python are the user's objects.")
        .def_property_readonly(
            "all_creators_recursive",
            [](IPluginRegistry& self) {
                int32_t count = 0;
                auto* const creators = self.getAllCreatorsRecursive(&count);
                return listed(creators, count);
            },
            "list: the creators of this registry and of its parents.")
        .def_property_readonly(
            "plugin_creator_list",
            [](IPluginRegistry const& self) {
                int32_t count = 0;
                auto* const creators = self.getPluginCreatorList(&count);
                py::list result;
                for (int32_t i = 0; i < count; ++i) {
                    result.append(toPython(creators[i]));
                }
                return result;
            },
            "list[IPluginCreator]: the creators of the second generation.");
}

} // namespace

void initRegistry(py::module_& m) {
    py::class_<IPluginRegistry, std::unique_ptr<IPluginRegistry, py::nodelete>> registry(
        m, "IPluginRegistry", "The plugin creators of the process.");
    bindLookUp(registry);
    registry
        .def("register_creator", &registerCreator, "creator"_a, "plugin_namespace"_a = "",
             "Adds a creator; False if its name, version and namespace are taken.\n\n"
             "If the class of the registered creator was defined again, as when a notebook's cell "
             "is run again, the new creator replaces it, with a warning.\n"
             "creator: IPluginCreator, -V3One or -V3Quick; kept alive until it is removed.\n"
             "plugin_namespace: where to add it; default '', the creator's own.\n"
             "Raises TypeError that names the members which the creator lacks.")
        .def("deregister_creator", &deregisterCreator, "creator"_a,
             "Removes a creator; False if it is not registered.")
        .def(
            "load_library",
            [](IPluginRegistry& self, std::filesystem::path const& path) {
                return handleOf(apiCall([&] { return self.loadLibrary(path.c_str()); }));
            },
            "plugin_path"_a,
            "Opens a plugin library and adds its creators; returns a handle, None on failure.")
        .def(
            "deregister_library",
            [](IPluginRegistry& self, py::capsule const& handle) {
                self.deregisterLibrary(handle.get_pointer());
            },
            "handle"_a, "Removes the creators of a library and closes it.")
        .def("acquire_plugin_resource", &acquireResource, "key"_a, "resource"_a,
             "The resource that the registry keeps under a key; None on failure.\n\n"
             "key: str. resource: IPluginResource, whose clone() is kept if the key has none yet. "
             "None: only looks the key up. Each call needs a release_plugin_resource(key).")
        .def(
            "release_plugin_resource",
            [](IPluginRegistry& self, std::string const& key) {
                forgetKept();
                int32_t code = 0;
                {
                    GilReleased const released;
                    code = self.releasePluginResource(key.c_str());
                }
                if (code != 0) {
                    raiseKept();
                }
                return code;
            },
            "key"_a,
            "Undoes one acquire_plugin_resource; the last one releases the resource. Returns 0 "
            "for success.")
        .def_property("error_recorder", &IPluginRegistry::getErrorRecorder, &setErrorRecorder,
                      "IErrorRecorder | None: gets the errors of this registry.")
        .def_property("parent_search_enabled", &IPluginRegistry::isParentSearchEnabled,
                      &IPluginRegistry::setParentSearchEnabled,
                      "bool: whether a look-up continues in the parent registry.");

    m.def("get_plugin_registry", &::getPluginRegistry, py::return_value_policy::reference,
          "The plugin registry of the process.");
    m.def("get_builder_plugin_registry", &nvinfer1::getBuilderPluginRegistry, py::arg(),
          py::return_value_policy::reference,
          "The plugin registry that builds of a given EngineCapability use.");
    m.def("init_libnvinfer_plugins", &initPlugins, "logger"_a, "namespace"_a,
          "Registers the plugins that come with Kiln; there are none yet. Returns True.\n\n"
          "logger: ILogger, kept alive; becomes the default logger. None keeps the current one. "
          "namespace: str.");
    m.def("set_default_logger", &setDefaultLogger, "logger"_a,
          "Sets the logger of the plugin registry while no builder, runtime or parser "
          "exists.\n\n"
          "logger: ILogger, kept alive, or None: warnings and errors then go to standard error. "
          "init_libnvinfer_plugins sets it, too.");
    m.attr("_default_logger") = py::none();
    // The registry's Python object keeps alive what is set on the registry, so it must stay.
    m.attr("_registry") = py::cast(::getPluginRegistry(), py::return_value_policy::reference);
    py::module_::import("atexit").attr("register")(py::cpp_function(&letGo));
}

} // namespace kiln::python
