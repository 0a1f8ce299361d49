// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "versioned.h"

#include "bindings.h"

namespace kiln::python {

void initVersionedInterface(py::module_& m) {
    py::class_<InterfaceInfoObject>(m, "InterfaceInfo", "The kind and version of an interface.")
        .def_readwrite("kind", &InterfaceInfoObject::kind, "str: the kind.")
        .def_readwrite("major", &InterfaceInfoObject::major, "int: the major version.")
        .def_readwrite("minor", &InterfaceInfoObject::minor, "int: the minor version.");

    using nvinfer1::IVersionedInterface;
    py::class_<IVersionedInterface>(m, "IVersionedInterface", "An interface that has a version.")
        .def_property_readonly("api_language", &IVersionedInterface::getAPILanguage,
                               "APILanguage: the language that it is implemented in.")
        .def_property_readonly(
            "interface_info",
            [](IVersionedInterface const& self) {
                nvinfer1::InterfaceInfo const info = self.getInterfaceInfo();
                return InterfaceInfoObject{info.kind, info.major, info.minor};
            },
            "InterfaceInfo: its kind and version.");
}

} // namespace kiln::python
