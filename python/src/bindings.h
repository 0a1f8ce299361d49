// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Every binding file includes this header, which declares their init functions. The order matters:
// a class is bound before the first function that names it.
#pragma once

#include <pybind11/pybind11.h>

#include "enum_names.h"
#include "integers.h"

namespace kiln::python {

namespace py = pybind11;
using py::literals::operator""_a;

void initEnumsData(py::module_& m);
void initEnumsNetwork(py::module_& m); ///< written by scripts/make_network_bindings.py
void initEnumsBuild(py::module_& m);
void initEnumsRuntime(py::module_& m);
void initEnumsPlugin(py::module_& m);
void initEnumsOnnx(py::module_& m);

void initDims(py::module_& m);
void initWeights(py::module_& m);
void initLogger(py::module_& m);
void initVersionedInterface(py::module_& m);
void initErrorRecorder(py::module_& m);
void initAllocators(py::module_& m);
void initMonitors(py::module_& m);
void initCalibrators(py::module_& m);
void initAlgorithms(py::module_& m);
void initHostMemory(py::module_& m);
void initTimingCache(py::module_& m);
void initStreams(py::module_& m);

void initTensorDesc(py::module_& m);
void initExprs(py::module_& m);
void initSymExprs(py::module_& m);
void initFields(py::module_& m);
void initPluginV3(py::module_& m);
void initPluginV2(py::module_& m);
void initCreators(py::module_& m);
void initPluginResource(py::module_& m);
void initRegistry(py::module_& m);

void initTensor(py::module_& m);
void initLayer(py::module_& m);
void initNetwork(py::module_& m);
void initNetworkNames(py::module_& m); ///< written by the same script
void initProfile(py::module_& m);
void initBuilderConfig(py::module_& m);
void initContext(py::module_& m);
void initEngine(py::module_& m);
void initBuilder(py::module_& m);
void initRuntime(py::module_& m);
void initRefitter(py::module_& m);
void initOnnxParser(py::module_& m);
void initOnnxRefitter(py::module_& m);
void initBuffer(py::module_& m);
void initPluginTensor(py::module_& m);
void initDevice(py::module_& m);
void initKiln(py::module_& m);
void initPythonSource(py::module_& m);
void initBaseClassInit(py::module_& m); ///< last, because it inspects all classes

} // namespace kiln::python
