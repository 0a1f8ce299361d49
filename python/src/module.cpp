// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"
#include "message_code.h"

PYBIND11_MODULE(_core, m) {
    using namespace kiln::python;
    m.doc() = "The API of TensorRT, implemented by Kiln.";
    registerMessageCodes();
    initEnumsData(m);
    initEnumsNetwork(m);
    initEnumsBuild(m);
    initEnumsRuntime(m);
    initEnumsPlugin(m);
    initEnumsOnnx(m);

    initDims(m);
    initWeights(m);
    initLogger(m);
    initVersionedInterface(m);
    initErrorRecorder(m);
    initAllocators(m);
    initMonitors(m);
    initCalibrators(m);
    initAlgorithms(m);
    initHostMemory(m);
    initTimingCache(m);
    initStreams(m);

    initTensorDesc(m);
    initExprs(m);
    initSymExprs(m);
    initFields(m);
    initPluginV3(m);
    initPluginV2(m);
    initCreators(m);
    initPluginResource(m);
    initRegistry(m);

    initTensor(m);
    initLayer(m);
    initNetwork(m);
    initNetworkNames(m);
    initProfile(m);
    initBuilderConfig(m);
    initContext(m);
    initEngine(m);
    initBuilder(m);
    initRuntime(m);
    initRefitter(m);
    initOnnxParser(m);
    initOnnxRefitter(m);
    initBuffer(m);
    initPluginTensor(m);
    initDevice(m);
    initKiln(m);
    initPythonSource(m);
    initBaseClassInit(m);
}
