// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "registered_creators.h"

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <kiln/kiln.h>
#include <kiln/message_code.h>

#include "bindings.h"
#include "creators.h"
#include "registry.h"

namespace kiln::python {
namespace {

using nvinfer1::ILogger;
using nvinfer1::IPluginCreatorInterface;
using nvinfer1::IPluginRegistry;

/// A native creator that represents a Python creator in a registry.
struct Registered {
    IPluginRegistry* registry;
    py::object self;
    std::unique_ptr<IPluginCreatorInterface> native;
    std::string space; ///< given at registration; "" for the creator's own
};

/// Guarded by the GIL; emptied when the interpreter exits, and never destroyed after that.
std::vector<Registered>& registered() {
    static auto* const list = new std::vector<Registered>;
    return *list;
}

/// The builder or runtime that owns a registry (without a reference). Guarded by the GIL; never
/// destroyed.
std::unordered_map<IPluginRegistry const*, PyObject*>& owners() {
    static auto* const table = new std::unordered_map<IPluginRegistry const*, PyObject*>;
    return *table;
}

/// Called when the owner of a registry, and so the registry, is destroyed.
void forgetRegistry(IPluginRegistry const* registry) {
    owners().erase(registry);
    std::vector<Registered> gone; // destroyed after the list changed: they may run Python
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

/// "module.Class" of an object.
std::string fullClassName(py::handle object) {
    py::handle const cls = py::type::handle_of(object);
    return fmt::format("{}.{}", py::str(cls.attr("__module__")).cast<std::string>(),
                       py::str(cls.attr("__qualname__")).cast<std::string>());
}

/// Name, version and namespace that a creator is registered under.
std::string idOf(py::handle creator, std::string const& space) {
    return fmt::format("{}\n{}\n{}", textAttribute(creator, "name"),
                       textAttribute(creator, "plugin_version"),
                       space.empty() ? textAttribute(creator, "plugin_namespace") : space);
}

/// Whether the class of `creator` is a new definition of that of `earlier`.
bool isDefinedAgain(py::handle creator, py::handle earlier) {
    return !py::type::handle_of(creator).is(py::type::handle_of(earlier)) &&
           fullClassName(creator) == fullClassName(earlier);
}

/// The entry of registered() that a new creator replaces, or the end.
std::vector<Registered>::iterator findReplaced(IPluginRegistry& registry, py::handle creator,
                                               std::string const& space) {
    auto& list = registered();
    for (auto entry = list.begin(); entry != list.end(); ++entry) {
        if (entry->registry == &registry && isDefinedAgain(creator, entry->self) &&
            idOf(creator, space) == idOf(entry->self, entry->space)) {
            return entry;
        }
    }
    return list.end();
}

ILogger& loggerOf(IPluginRegistry& registry) {
    auto const owner = owners().find(&registry);
    return owner == owners().end() ? kiln::defaultLogger()
                                   : *py::handle(owner->second).attr("logger").cast<ILogger*>();
}

void sayReplaced(IPluginRegistry& registry, py::handle creator) {
    std::string const text = fmt::format(
        "[registry] plugin '{}' (version {}): class {} was defined again, and its new creator "
        "replaces the registered one. Networks and engines that have plugins of the old class "
        "keep them.",
        textAttribute(creator, "name"), textAttribute(creator, "plugin_version"),
        fullClassName(creator));
    loggerOf(registry).log(ILogger::Severity::kWARNING,
                           std::string(kiln::withMessageCode(text.c_str())).c_str());
}

} // namespace

py::object lifeOf(IPluginRegistry& registry) {
    auto const owner = owners().find(&registry);
    return owner == owners().end() ? py::cast(&registry, py::return_value_policy::reference)
                                   : py::reinterpret_borrow<py::object>(owner->second);
}

bool registerCreator(IPluginRegistry& registry, py::object const& creator,
                     std::string const& space) {
    if (IPluginCreatorInterface* const foreign = foreignCreator(creator)) {
        return registry.registerCreator(*foreign, space.c_str());
    }
    std::unique_ptr<IPluginCreatorInterface> native = makeCreator(creator);
    auto& list = registered();
    auto const old = findReplaced(registry, creator, space);
    Registered replaced{};
    if (old != list.end()) {
        replaced = std::move(*old); // destroyed after the list changed
        list.erase(old);
        registry.deregisterCreator(*replaced.native);
    }
    IPluginCreatorInterface& reference = *native;
    if (!apiCall([&] { return registry.registerCreator(reference, space.c_str()); })) {
        return false;
    }
    list.push_back({&registry, creator, std::move(native), space});
    if (replaced.native != nullptr) {
        sayReplaced(registry, creator);
    }
    return true;
}

bool deregisterCreator(IPluginRegistry& registry, py::object const& creator) {
    if (IPluginCreatorInterface* const foreign = foreignCreator(creator)) {
        return registry.deregisterCreator(*foreign);
    }
    auto& list = registered();
    for (auto entry = list.begin(); entry != list.end(); ++entry) {
        if (entry->self.is(creator) && entry->registry == &registry) {
            Registered const gone = std::move(*entry); // destroyed after the list changed
            list.erase(entry);
            return registry.deregisterCreator(*gone.native);
        }
    }
    return false;
}

void deregisterAllCreators() {
    for (Registered& entry : registered()) {
        entry.registry->deregisterCreator(*entry.native);
    }
    registered().clear();
}

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

} // namespace kiln::python
