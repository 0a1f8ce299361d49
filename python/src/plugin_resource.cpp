// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin_resource.h"

#include <memory>

#include <fmt/format.h>

#include "bindings.h"
#include "plugin_support.h"
#include "unset_attribute.h"

namespace kiln::python {
namespace {

using nvinfer1::IPluginResource;

Requirements const kResourceRequirements{"IPluginResource", {}, {"clone", "release"}};

/// A Python object as a native resource.
class PythonResource final : public IPluginResource {
public:
    explicit PythonResource(py::object self) : self_(std::move(self)) {
        remember(static_cast<IPluginResource*>(this), self_);
    }
    ~PythonResource() override {
        Gil const gil;
        if (!gil) {
            static_cast<void>(self_.release()); // leaked: the interpreter has ended
            return;
        }
        orPark([&] {
            forget(static_cast<IPluginResource*>(this));
            FinalizerErrors const errors;
            self_ = py::object();
        });
    }

    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }

    int32_t release() noexcept override {
        return guarded<int32_t>(1, [&] {
            py::object const result = self_.attr("release")();
            return codeFrom(result.inc_ref().ptr(), "release");
        });
    }

    IPluginResource* clone() noexcept override {
        return guarded<IPluginResource*>(nullptr, [&] {
            py::object copy = self_.attr("clone")();
            if (!py::isinstance<ResourceObject>(copy)) {
                throw py::type_error(
                    fmt::format("clone: expected an IPluginResource, got {}", className(copy)));
            }
            if (copy.is(self_)) {
                throw py::value_error("clone: expected a new object, got the object itself");
            }
            checkMembers(copy, {&kResourceRequirements});
            return new PythonResource(std::move(copy));
        });
    }

private:
    py::object self_;
};

py::object resourceToPython(IPluginResource& resource) {
    if (py::object own = pythonObjectOf(&resource)) {
        return own;
    }
    return py::cast(std::make_unique<ResourceObject>(resource));
}

} // namespace

py::object acquireResource(nvinfer1::IPluginRegistry& registry, std::string const& key,
                           py::object const& resource) {
    if (!resource.is_none() && !py::isinstance<ResourceObject>(resource)) {
        throw py::type_error(fmt::format("[registry] resource: expected an IPluginResource, got {}",
                                         className(resource)));
    }
    IPluginResource* native =
        resource.is_none() ? nullptr : resource.cast<ResourceObject const&>().native;
    std::unique_ptr<IPluginResource> adapter;
    if (native == nullptr && !resource.is_none()) {
        checkMembers(resource, {&kResourceRequirements});
        adapter = std::make_unique<PythonResource>(resource);
        native = adapter.get();
    }
    IPluginResource* const kept =
        apiCall([&] { return registry.acquirePluginResource(key.c_str(), native); });
    return kept == nullptr ? py::none() : resourceToPython(*kept);
}

void initPluginResource(py::module_& m) {
    py::class_<ResourceObject, nvinfer1::IVersionedInterface> resource(
        m, "IPluginResource",
        "A resource that several plugins share, kept by IPluginRegistry under a key. Derive from "
        "this class and define clone and release.");
    resource.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("clone", documented<void, ResourceObject>("clone"),
             "Callback: returns a new object, ready to use, which the registry keeps. Called once "
             "for each key. Required.")
        .def("release", documented<void, ResourceObject>("release"),
             "Callback: called once on the kept object after its last user released it. Required.");
    documentationOnly(resource, {"clone", "release"});
}

} // namespace kiln::python
