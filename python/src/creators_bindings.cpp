// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <impl/NvInferPythonPlugin.h>

#include "bindings.h"
#include "byte_view.h"
#include "creators.h"
#include "fields.h"
#include "plugin_v2.h"
#include "plugin_v3.h"
#include "unset_attribute.h"

namespace kiln::python {
namespace {

using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorV3One;
using nvinfer1::IPluginCreatorV3Quick;

IPluginCreator& nativeOf(CreatorV2Object const& self) {
    if (self.native == nullptr) {
        throw py::type_error(
            "expected a class that defines this method, got one without. IPluginCreator only "
            "declares it: define it in the derived class.");
    }
    return static_cast<IPluginCreator&>(*self.native);
}

IPluginCreatorV3One& nativeOf(CreatorV3Object const& self) {
    if (self.native == nullptr) {
        throw py::type_error(
            "expected a class that defines this method, got one without. IPluginCreatorV3One only "
            "declares it: define it in the derived class.");
    }
    return static_cast<IPluginCreatorV3One&>(*self.native);
}

IPluginCreatorV3Quick& nativeOf(CreatorQuickObject const& self) {
    if (self.native == nullptr) {
        throw py::type_error(
            "expected a class that defines this method, got one without. IPluginCreatorV3Quick "
            "only declares it: define it in the derived class.");
    }
    return static_cast<IPluginCreatorV3Quick&>(*self.native);
}

template <typename Object, typename F>
auto attribute(std::optional<std::string> Object::* member, char const* name, F native) {
    return [get = unsetGetter(member, name), native](Object const& self) -> std::string {
        return self.native != nullptr ? native(nativeOf(self)) : get(self);
    };
}

template <typename Object>
py::object fieldNames(Object const& self) {
    if (self.native != nullptr) {
        return FieldCollection::fromNative(nativeOf(self).getFieldNames());
    }
    if (!self.fields) {
        throw py::attribute_error("field_names was never set");
    }
    return self.fields;
}

/// Stores a PluginFieldCollection as the read-only class that callbacks receive, as in TensorRT.
template <typename Object>
void setFieldNames(Object& self, py::object const& value) {
    self.fields = py::cast(toFieldCollection(value));
}

template <typename Object>
void bindAttributes(py::class_<Object, CreatorInterfaceObject>& cls) {
    auto const name = [](auto& creator) { return creator.getPluginName(); };
    auto const version = [](auto& creator) { return creator.getPluginVersion(); };
    auto const space = [](auto& creator) { return creator.getPluginNamespace(); };
    cls.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def_property("name", attribute(&Object::name, "name", name), plainSetter(&Object::name),
                      "str: the name of the plugins that it creates. Must be set.")
        .def_property("plugin_version", attribute(&Object::version, "plugin_version", version),
                      plainSetter(&Object::version), "str: their version. Must be set.")
        .def_property("plugin_namespace", attribute(&Object::space, "plugin_namespace", space),
                      plainSetter(&Object::space), "str: their namespace. Must be set.")
        .def_property("field_names", &fieldNames<Object>, &setFieldNames<Object>,
                      "PluginFieldCollection_: the attributes that they take. Must be set.");
}

py::object createV2(CreatorV2Object const& self, std::string const& name,
                    FieldCollection const& fields) {
    nvinfer1::IPluginV2* const plugin =
        nativeOf(self).createPlugin(name.c_str(), &fields.collection);
    return plugin == nullptr ? py::none() : toPython(plugin, true);
}

py::object deserializeV2(CreatorV2Object const& self, std::string const& name,
                         py::buffer const& serialized) {
    ByteView const bytes(serialized);
    nvinfer1::IPluginV2* const plugin =
        nativeOf(self).deserializePlugin(name.c_str(), bytes.data(), bytes.size());
    return plugin == nullptr ? py::none() : toPython(plugin, true);
}

py::object createV3(CreatorV3Object const& self, std::string const& name,
                    FieldCollection const& fields, nvinfer1::TensorRTPhase phase) {
    nvinfer1::IPluginV3* const plugin =
        nativeOf(self).createPlugin(name.c_str(), &fields.collection, phase);
    return plugin == nullptr ? py::none() : toPython(plugin, true);
}

py::object createQuick(CreatorQuickObject const& self, std::string const& name,
                       std::string const& space, FieldCollection const& fields,
                       nvinfer1::TensorRTPhase phase,
                       nvinfer1::QuickPluginCreationRequest request) {
    nvinfer1::IPluginV3* const plugin = nativeOf(self).createPlugin(
        name.c_str(), space.c_str(), &fields.collection, phase, request);
    return plugin == nullptr ? py::none() : toPython(plugin, true);
}

} // namespace

py::object toPython(nvinfer1::IPluginCreatorInterface* creator) {
    if (creator == nullptr) {
        return py::none();
    }
    if (py::object own = pythonObjectOf(creator)) {
        return own;
    }
    std::string_view const kind = creator->getInterfaceInfo().kind;
    if (kind == "PLUGIN CREATOR_V1") {
        return py::cast(std::make_unique<CreatorV2Object>(*creator));
    }
    if (kind == "PLUGIN CREATOR_V3ONE") {
        return py::cast(std::make_unique<CreatorV3Object>(*creator));
    }
    if (kind == "PLUGIN CREATOR_V3QUICK") {
        return py::cast(std::make_unique<CreatorQuickObject>(*creator));
    }
    return py::cast(std::make_unique<CreatorInterfaceObject>(*creator));
}

void initCreators(py::module_& m) {
    py::class_<CreatorInterfaceObject, nvinfer1::IVersionedInterface>(
        m, "IPluginCreatorInterface", "A plugin creator of any generation.");

    py::class_<CreatorV2Object, CreatorInterfaceObject> v2(
        m, "IPluginCreator",
        "Creates plugins of the second generation. Derive from this class, set the attributes, "
        "define the callbacks, and pass an instance to IPluginRegistry.register_creator.");
    bindAttributes(v2);
    v2.def(
          "create_plugin", &createV2, "name"_a, "field_collection"_a,
          "Callback: returns a new IPluginV2DynamicExt for a network.\n\n"
          "name: of the layer. field_collection: PluginFieldCollection_, the attributes. Required.")
        .def("deserialize_plugin", &deserializeV2, "name"_a, "serialized_plugin"_a,
             "Callback: returns a new IPluginV2DynamicExt from the result of its serialize().\n\n"
             "name: of the layer. serialized_plugin: bytes. Required.");
    documentationOnly(v2, {"create_plugin", "deserialize_plugin"});

    py::class_<CreatorV3Object, CreatorInterfaceObject> v3(
        m, "IPluginCreatorV3One",
        "Creates plugins of the third generation. Derive from this class, set the attributes, "
        "define the callback, and pass an instance to IPluginRegistry.register_creator.");
    bindAttributes(v3);
    v3.def("create_plugin", &createV3, "name"_a, "field_collection"_a, "phase"_a,
           "Callback: returns a new IPluginV3.\n\n"
           "name: of the layer. field_collection: PluginFieldCollection_, the attributes, or what "
           "get_fields_to_serialize returned. phase: TensorRTPhase, its purpose. Required.");
    documentationOnly(v3, {"create_plugin"});

    py::class_<CreatorQuickObject, CreatorInterfaceObject> quick(
        m, "IPluginCreatorV3Quick",
        "Creates decorated plugins; trt.plugin.register makes one. Derive from this class, set "
        "the attributes, and define the callback to create plugins of IPluginV3Quick parts.");
    bindAttributes(quick);
    quick.def("create_plugin", &createQuick, "name"_a, "namespace"_a, "field_collection"_a,
              "phase"_a, "quickPluginType"_a,
              "Callback: returns a new IPluginV3.\n\n"
              "name, namespace: of the plugin. field_collection: PluginFieldCollection_, the "
              "attributes, or what get_fields_to_serialize returned. phase: TensorRTPhase, its "
              "purpose. quickPluginType: QuickPluginCreationRequest, just in time or ahead of "
              "time. Required.");
    documentationOnly(quick, {"create_plugin"});
}

} // namespace kiln::python
