// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Converts results of the build callbacks of V3 plugins from Python to C++. `callback` names the
// method in messages. Each function throws TypeError or ValueError.
#pragma once

#include <vector>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// A list of DataType for each output.
void toDataTypes(py::handle result, char const* callback, int32_t count, char const* why,
                 nvinfer1::DataType* types);

/// A shape for each output: DimsExprs, or a sequence of expressions and integers.
void toShapes(py::handle result, char const* callback, int32_t count, char const* why,
              nvinfer1::IExprBuilder& builder, nvinfer1::DimsExprs* shapes);

/// A list of tactics, positive integers.
std::vector<int32_t> toTactics(py::handle result, char const* callback);

} // namespace kiln::python
