// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin_v3.h"

#include <fmt/format.h>

#include "bindings.h"
#include "keep_alive.h"
#include "plugin_quick.h"

namespace kiln::python {
namespace {

using nvinfer1::IPluginCapability;
using nvinfer1::IPluginV3;
using nvinfer1::PluginCapabilityType;

/// A Python object as a native plugin.
class PythonPluginV3 final : public IPluginV3 {
public:
    PythonPluginV3(py::object self, Hold hold) : state_(std::make_unique<State>(std::move(self))) {
        state_->owned = hold == Hold::kOwned;
        remember(static_cast<IPluginV3*>(this), state_->self);
    }

    ~PythonPluginV3() override {
        Gil const gil;
        if (!gil) {
            static_cast<void>(state_.release()); // leaked: the interpreter has ended
            return;
        }
        orPark([&] {
            if (state_->owned && state_->destroy.defined(state_->self.ptr())) {
                PyObject* const result = state_->destroy(state_->self.ptr());
                if (result == nullptr) {
                    reportLate("destroy"); // the exception can fail no call any more
                }
                Py_XDECREF(result);
            }
            forget(static_cast<IPluginV3*>(this));
            FinalizerErrors const errors;
            state_.reset();
        });
    }

    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }

    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        return guarded<IPluginCapability*>(nullptr, [&]() -> IPluginCapability* {
            switch (type) {
            case PluginCapabilityType::kCORE: return part(state_->core, type, &makeCore);
            case PluginCapabilityType::kBUILD: return part(state_->build, type, &makeBuild);
            case PluginCapabilityType::kRUNTIME: return part(state_->runtime, type, &makeRuntime);
            }
            return nullptr;
        });
    }

    IPluginV3* clone() noexcept override {
        return guarded<IPluginV3*>(nullptr, [&] {
            py::object const copy = taken(state_->clone(state_->self.ptr()));
            return adoptPluginV3(copy, "clone");
        });
    }

private:
    // A separate object, so that it can be leaked after the interpreter has ended.
    struct State {
        explicit State(py::object object) : self(std::move(object)) {}

        py::object self;
        bool owned = false;
        Callback clone{"clone"};
        Callback destroy{"destroy"};
        Callback capability{"get_capability_interface"};
        std::unique_ptr<IPluginCapability> core;
        std::unique_ptr<IPluginCapability> build;
        std::unique_ptr<IPluginCapability> runtime;
    };

    IPluginCapability* part(std::unique_ptr<IPluginCapability>& slot, PluginCapabilityType type,
                            std::unique_ptr<IPluginCapability> (*make)(py::object)) {
        if (!slot) {
            py::object const argument = py::cast(type);
            py::object part = taken(state_->capability(state_->self.ptr(), argument.ptr()));
            if (part.is_none() && type == PluginCapabilityType::kBUILD) {
                return nullptr; // a plugin that was made to run may lack it
            }
            slot = make(std::move(part));
        }
        return slot.get();
    }

    std::unique_ptr<State> state_;
};

PluginV3Object& asPluginV3(py::handle object, char const* callback) {
    if (!py::isinstance<PluginV3Object>(object)) {
        throw py::type_error(
            fmt::format("{}: expected an IPluginV3, got {}", callback, className(object)));
    }
    return object.cast<PluginV3Object&>();
}

IPluginV3& nativeOf(PluginV3Object const& self) {
    if (self.native == nullptr) {
        throw py::type_error(
            "expected a class that defines this method, got one without. IPluginV3 only "
            "declares it: define it in the derived class.");
    }
    return *self.native;
}

py::object clonePluginV3(PluginV3Object const& self) {
    IPluginV3* const copy = nativeOf(self).clone();
    return copy == nullptr ? py::none() : toPython(copy, true);
}

py::object capabilityOf(PluginV3Object const& self, PluginCapabilityType type) {
    IPluginCapability* const found = nativeOf(self).getCapabilityInterface(type);
    return found == nullptr ? py::none() : toPython(*found);
}

} // namespace

Requirements const kPluginV3Requirements{"IPluginV3", {}, {"clone", "get_capability_interface"}};

void checkPluginV3(py::handle self) {
    std::vector<Requirements const*> needed{&kPluginV3Requirements};
    if (py::isinstance<CoreObject>(self)) {
        needed.push_back(&kCoreRequirements);
    }
    if (py::isinstance<BuildObject>(self)) {
        needed.push_back(&kBuildRequirements);
    }
    if (py::isinstance<RuntimeObject>(self)) {
        needed.push_back(&kRuntimeRequirements);
    }
    for (Requirements const* part : quickRequirements(self)) {
        needed.push_back(part);
    }
    checkMembers(self, needed);
}

IPluginV3* adoptPluginV3(py::handle result, char const* callback) {
    PluginV3Object const& plugin = asPluginV3(result, callback);
    if (plugin.native != nullptr) {
        return plugin.native->clone(); // the wrapper keeps its own plugin
    }
    return new PythonPluginV3(py::reinterpret_borrow<py::object>(result), Hold::kOwned);
}

PluginV3Argument::PluginV3Argument(py::object const& self)
    : plugin_(asPluginV3(self, "plugin").native) {
    if (plugin_ == nullptr) {
        checkPluginV3(self);
        adapter_ = std::make_unique<PythonPluginV3>(self, Hold::kBorrowed);
        plugin_ = adapter_.get();
    }
}

py::object toPython(IPluginV3* plugin, bool owned) {
    if (py::object own = pythonObjectOf(plugin)) {
        if (owned) {
            delete plugin; // the adapter only; the Python object lives on
        }
        return own;
    }
    return py::cast(std::make_unique<PluginV3Object>(plugin, owned));
}

void initPluginV3(py::module_& m) {
    py::class_<PluginV3Object, nvinfer1::IVersionedInterface> plugin(
        m, "IPluginV3",
        "A user-defined layer. Derive from this class together with IPluginV3OneCore, "
        "IPluginV3OneBuild and IPluginV3OneRuntime, and call the __init__ of each.");
    plugin.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(py::init([](PluginV3Object const&) { return std::make_unique<PluginV3Object>(); }),
             "A new object; nothing is copied from the argument.")
        .def("clone", &clonePluginV3,
             "Callback: returns another plugin with the same state. Required.")
        .def("get_capability_interface", &capabilityOf, "type"_a, KeepAlive<0, 1>(),
             "Callback: returns the object that has the part ``type``, usually self. Required.")
        .def(
            "destroy", [](py::object const&) {},
            "Callback: called once for each clone, when it is destroyed. Optional.");
    documentationOnly(plugin, {"clone", "get_capability_interface", "destroy"});
    bindPluginV3Parts(m);
}

} // namespace kiln::python
