// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Symbolic extents in Python. The C++ expressions are valid only inside the callback that received
// them. Each Python object shares a scope with its callback, and throws if it is used later.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// True while the callback runs.
using ExprScope = std::shared_ptr<bool>;

/// An expression of a callback, or a number that a builder turns into one.
struct ExprObject {
    nvinfer1::IDimensionExpr const* native = nullptr;
    ExprScope scope;
    std::optional<int64_t> number;

    /// The expression; throws if the callback that it belongs to has returned.
    nvinfer1::IDimensionExpr const& get() const;
    nvinfer1::IDimensionExpr const& get(nvinfer1::IExprBuilder& builder) const;
};

struct DimsExprsObject {
    std::vector<ExprObject> extents;

    static DimsExprsObject from(nvinfer1::DimsExprs const& shape, ExprScope const& scope);
    nvinfer1::DimsExprs native(nvinfer1::IExprBuilder& builder) const;
};

struct ExprBuilderObject {
    nvinfer1::IExprBuilder* native = nullptr;
    ExprScope scope;

    nvinfer1::IExprBuilder& get() const;
};

/// The scope of one callback. Its expressions become invalid when it ends.
class ExprCall {
public:
    explicit ExprCall(nvinfer1::IExprBuilder& builder)
        : builder_(builder), scope_(std::make_shared<bool>(true)) {}
    ~ExprCall() { *scope_ = false; }
    ExprCall(ExprCall const&) = delete;
    ExprCall& operator=(ExprCall const&) = delete;

    py::object builder() const { return py::cast(ExprBuilderObject{&builder_, scope_}); }
    ExprScope const& scope() const { return scope_; }
    py::list shapes(nvinfer1::DimsExprs const* values, int32_t count) const;

private:
    nvinfer1::IExprBuilder& builder_;
    ExprScope scope_;
};

/// Converts the shape that a callback returned for an output: DimsExprs, or a sequence of
/// IDimensionExpr and integers.
nvinfer1::DimsExprs toDimsExprs(py::handle value, nvinfer1::IExprBuilder& builder,
                                char const* callback, int32_t output);

} // namespace kiln::python
