// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Launch parameters and scalar arguments of ahead-of-time compiled kernels in Python.
#pragma once

#include <impl/NvInferPythonPlugin.h>
#include <pybind11/pybind11.h>

#include "exprs.h"

namespace kiln::python {

/// trt.ISymExpr: plain data, which Kiln reads when it is assigned.
struct SymExprObject final : nvinfer1::ISymExpr {
    nvinfer1::PluginArgType type = nvinfer1::PluginArgType::kINT;
    nvinfer1::PluginArgDataType dtype = nvinfer1::PluginArgDataType::kINT32;
    ExprObject expr;

    nvinfer1::PluginArgType getType() const noexcept override { return type; }
    nvinfer1::PluginArgDataType getDataType() const noexcept override { return dtype; }
    void* getExpr() noexcept override { return const_cast<nvinfer1::IDimensionExpr*>(expr.native); }
};

// Kiln owns the native objects of these two; they are valid inside the callback that received them.
struct SymExprsObject {
    nvinfer1::ISymExprs* native = nullptr;
    ExprScope scope;

    nvinfer1::ISymExprs& get() const;
};

struct LaunchParamsObject {
    nvinfer1::IKernelLaunchParams* native = nullptr;
    ExprScope scope;

    nvinfer1::IKernelLaunchParams& get() const;
};

} // namespace kiln::python
