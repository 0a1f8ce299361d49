// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"
#include "descriptor_changes.h"

namespace kiln::python {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::PluginTensorDesc;

namespace {

/// A member that Python may alter.
template <typename Class, typename Value>
void bindMember(py::class_<Class>& cls, char const* name, Value Class::* member, char const* doc) {
    cls.def_property(
        name, [member](Class const& self) -> Value const& { return self.*member; },
        [member](Class& self, Value const& value) {
            self.*member = value;
            ++descriptorChanges;
        },
        doc);
}

} // namespace

void initTensorDesc(py::module_& m) {
    py::class_<PluginTensorDesc> desc(m, "PluginTensorDesc",
                                      "The description of a tensor for a plugin.");
    desc.def(py::init<>(), "All zero.");
    bindMember(desc, "dims", &PluginTensorDesc::dims, "Dims: the shape; -1 where not yet known.");
    bindMember(desc, "type", &PluginTensorDesc::type, "DataType: the type of the elements.");
    bindMember(desc, "format", &PluginTensorDesc::format, "TensorFormat: the memory layout.");
    bindMember(desc, "scale", &PluginTensorDesc::scale,
               "float: real value of one step of an int8 tensor.");

    py::class_<DynamicPluginTensorDesc>(
        m, "DynamicPluginTensorDesc",
        "The description of a tensor whose extents may change from run to run.")
        .def(py::init<>(), "All zero.")
        .def_readwrite("desc", &DynamicPluginTensorDesc::desc,
                       "PluginTensorDesc: type, format and shape; -1 for extents that may change.")
        .def_readwrite("min", &DynamicPluginTensorDesc::min, "Dims: the smallest extents.")
        .def_readwrite("max", &DynamicPluginTensorDesc::max, "Dims: the largest extents.")
        .def_readwrite("opt", &DynamicPluginTensorDesc::opt,
                       "Dims: the extents that the engine is tuned for.");
}

} // namespace kiln::python
