// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <NvInferRuntime.h>

#include "weights.h"

namespace kiln::python {

/// trt.Refitter, with the arrays that the refitter points to until the engine is refitted.
struct RefitterObject {
    std::unique_ptr<nvinfer1::IRefitter> native;
    std::map<std::string, WeightsObject> named;
    std::vector<WeightsObject> others; ///< by layer and role
    std::vector<py::object> parsers;   ///< OnnxParserRefitters that own weights
};

} // namespace kiln::python
