// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <vector>

#include <NvInferPlugin.h>
#include <fmt/format.h>

#include "bindings.h"
#include "creators.h"
#include "plugin_resource.h"
#include "registry.h"

namespace kiln::python {
namespace {

using nvinfer1::IPluginCreatorInterface;
using nvinfer1::IPluginRegistry;

/// The native creators that stand in a registry for Python ones.
struct Registered {
    IPluginRegistry* registry;
    py::object self;
    std::unique_ptr<IPluginCreatorInterface> native;
};

/// Guarded by the GIL; emptied when the interpreter exits, and never destroyed after that.
std::vector<Registered>& registered() {
    static auto* const list = new std::vector<Registered>;
    return *list;
}

/// The builder or runtime that a registry of its own belongs to (not referenced). Guarded by the
/// GIL; never destroyed.
std::unordered_map<IPluginRegistry const*, PyObject*>& owners() {
    static auto* const table = new std::unordered_map<IPluginRegistry const*, PyObject*>;
    return *table;
}

/// Called when the owner of a registry is gone, and the registry with it.
void forgetRegistry(IPluginRegistry const* registry) {
    owners().erase(registry);
    std::vector<Registered> gone; // go after they left the list: they may run Python
    auto& list = registered();
    for (auto entry = list.begin(); entry != list.end();) {
        if (entry->registry == registry) {
            gone.push_back(std::move(*entry));
            entry = list.erase(entry);
        } else {
            ++entry;
        }
    }
}

/// Lives as long as the registry itself: its owner, or the registry's own Python object.
py::object lifeOf(IPluginRegistry& registry) {
    auto const owner = owners().find(&registry);
    return owner == owners().end() ? py::cast(&registry, py::return_value_policy::reference)
                                   : py::reinterpret_borrow<py::object>(owner->second);
}

void setErrorRecorder(IPluginRegistry& self, py::object const& recorder) {
    self.setErrorRecorder(recorder.is_none() ? nullptr
                                             : recorder.cast<nvinfer1::IErrorRecorder*>());
    if (!recorder.is_none()) {
        py::detail::keep_alive_impl(lifeOf(self), recorder);
    }
}

/// The registry lets go of Python before Python goes.
void deregisterAll() {
    for (Registered& entry : registered()) {
        entry.registry->deregisterCreator(*entry.native);
    }
    registered().clear();
    ::getPluginRegistry()->setErrorRecorder(nullptr);
}

std::unique_ptr<IPluginCreatorInterface> makeCreator(py::object const& creator) {
    if (py::isinstance<CreatorV3Object>(creator)) {
        return makeCreatorV3(creator);
    }
    if (py::isinstance<CreatorV2Object>(creator)) {
        return makeCreatorV2(creator);
    }
    if (py::isinstance<CreatorQuickObject>(creator)) {
        return makeCreatorQuick(creator);
    }
    throw py::type_error(fmt::format("[registry] creator: expected an IPluginCreator, an "
                                     "IPluginCreatorV3One or an IPluginCreatorV3Quick, got {}",
                                     className(creator)));
}

IPluginCreatorInterface* foreignCreator(py::object const& creator) {
    return py::isinstance<CreatorInterfaceObject>(creator)
               ? creator.cast<CreatorInterfaceObject const&>().native
               : nullptr;
}

bool registerCreator(IPluginRegistry& registry, py::object const& creator,
                     std::string const& space) {
    if (IPluginCreatorInterface* const foreign = foreignCreator(creator)) {
        return registry.registerCreator(*foreign, space.c_str());
    }
    std::unique_ptr<IPluginCreatorInterface> native = makeCreator(creator);
    IPluginCreatorInterface& reference = *native;
    if (!apiCall([&] { return registry.registerCreator(reference, space.c_str()); })) {
        return false;
    }
    registered().push_back({&registry, creator, std::move(native)});
    return true;
}

bool deregisterCreator(IPluginRegistry& registry, py::object const& creator) {
    if (IPluginCreatorInterface* const foreign = foreignCreator(creator)) {
        return registry.deregisterCreator(*foreign);
    }
    auto& list = registered();
    for (auto entry = list.begin(); entry != list.end(); ++entry) {
        if (entry->self.is(creator) && entry->registry == &registry) {
            Registered const gone = std::move(*entry); // goes after it left the list
            list.erase(entry);
            return registry.deregisterCreator(*gone.native);
        }
    }
    return false;
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
            "The creator of a plugin, None if there is none (the log then has near names).\n\n"
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
            "As get_creator, for IPluginCreator only.")
        .def_property_readonly(
            "all_creators",
            [](IPluginRegistry const& self) {
                int32_t count = 0;
                auto* const creators = self.getAllCreators(&count);
                return listed(creators, count);
            },
            "list: every creator in this registry; Python's own come back as the user's objects.")
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

py::object registryOfOwner(py::object const& owner, IPluginRegistry& registry) {
    if (&registry != ::getPluginRegistry() && owners().emplace(&registry, owner.ptr()).second) {
        py::weakref(owner, py::cpp_function([key = &registry](py::handle reference) {
                        forgetRegistry(key);
                        reference.dec_ref();
                    }))
            .release();
    }
    return py::cast(&registry, py::return_value_policy::reference_internal, owner);
}

void initRegistry(py::module_& m) {
    py::class_<IPluginRegistry, std::unique_ptr<IPluginRegistry, py::nodelete>> registry(
        m, "IPluginRegistry", "The plugin creators of the process.");
    bindLookUp(registry);
    registry
        .def("register_creator", &registerCreator, "creator"_a, "plugin_namespace"_a = "",
             "Adds a creator; False if its name, version and namespace are taken.\n\n"
             "creator: IPluginCreator, -V3One or -V3Quick; kept alive until it is taken out.\n"
             "plugin_namespace: where to add it; default '', the creator's own.\n"
             "Raises TypeError that names the members which the creator lacks.")
        .def("deregister_creator", &deregisterCreator, "creator"_a,
             "Takes a creator out; False if it is not in.")
        .def(
            "load_library",
            [](IPluginRegistry& self, std::string const& path) {
                return handleOf(apiCall([&] { return self.loadLibrary(path.c_str()); }));
            },
            "plugin_path"_a,
            "Opens a plugin library and adds its creators; returns a handle, None on failure.")
        .def(
            "deregister_library",
            [](IPluginRegistry& self, py::capsule const& handle) {
                self.deregisterLibrary(handle.get_pointer());
            },
            "handle"_a, "Takes out the creators of a library and closes it.")
        .def("acquire_plugin_resource", &acquireResource, "key"_a, "resource"_a,
             "What the registry keeps under a key, or else keeps from now on; None on failure.\n\n"
             "key: str. resource: IPluginResource; the first time, its clone() is kept. None asks "
             "for what is there. Each call needs a release_plugin_resource(key).")
        .def(
            "release_plugin_resource",
            [](IPluginRegistry& self, std::string const& key) {
                forgetKept();
                int32_t code = 0;
                {
                    py::gil_scoped_release const released;
                    code = self.releasePluginResource(key.c_str());
                }
                if (code != 0) {
                    raiseKept();
                }
                return code;
            },
            "key"_a,
            "Takes one acquire_plugin_resource back; the last one releases the resource. Returns 0 "
            "for success.")
        .def_property("error_recorder", &IPluginRegistry::getErrorRecorder, &setErrorRecorder,
                      "IErrorRecorder | None: gets the errors of this registry.")
        .def_property("parent_search_enabled", &IPluginRegistry::isParentSearchEnabled,
                      &IPluginRegistry::setParentSearchEnabled,
                      "bool: whether a look-up goes on in the parent registry.");

    m.def("get_plugin_registry", &::getPluginRegistry, py::return_value_policy::reference,
          "The plugin registry of the process.");
    m.def("get_builder_plugin_registry", &nvinfer1::getBuilderPluginRegistry, py::arg(),
          py::return_value_policy::reference,
          "The plugin registry that builds of a given EngineCapability use.");
    m.def(
        "init_libnvinfer_plugins",
        [](py::object const& logger, std::string const& space) {
            nvinfer1::ILogger* native = nullptr;
            if (!logger.is_none() && !py::isinstance<py::capsule>(logger)) {
                native = logger.cast<nvinfer1::ILogger*>();
            }
            return initLibNvInferPlugins(native, space.c_str());
        },
        "logger"_a, "namespace"_a,
        "Registers the plugins that come with Kiln; there are none yet. Returns True.");
    // What is set on the registry is kept by its Python object, so that one stays.
    m.attr("_registry") = py::cast(::getPluginRegistry(), py::return_value_policy::reference);
    py::module_::import("atexit").attr("register")(py::cpp_function(&deregisterAll));
}

} // namespace kiln::python
