// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

namespace kiln::python {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::PluginTensorDesc;

void initTensorDesc(py::module_& m) {
    py::class_<PluginTensorDesc>(m, "PluginTensorDesc",
                                 "What a plugin is told about one of its tensors.")
        .def(py::init<>(), "All zero.")
        .def_readwrite("dims", &PluginTensorDesc::dims, "Dims: the shape; -1 where not yet known.")
        .def_readwrite("type", &PluginTensorDesc::type, "DataType: the type of the elements.")
        .def_readwrite("format", &PluginTensorDesc::format, "TensorFormat: the memory layout.")
        .def_readwrite("scale", &PluginTensorDesc::scale,
                       "float: real value of one step of an int8 tensor.");

    py::class_<DynamicPluginTensorDesc>(
        m, "DynamicPluginTensorDesc",
        "What a plugin is told about a tensor whose extents may change from run to run.")
        .def(py::init<>(), "All zero.")
        .def_readwrite("desc", &DynamicPluginTensorDesc::desc,
                       "PluginTensorDesc: type, format and shape; -1 marks what may change.")
        .def_readwrite("min", &DynamicPluginTensorDesc::min, "Dims: the smallest extents.")
        .def_readwrite("max", &DynamicPluginTensorDesc::max, "Dims: the largest extents.")
        .def_readwrite("opt", &DynamicPluginTensorDesc::opt,
                       "Dims: the extents that the engine is tuned for.");
}

} // namespace kiln::python
