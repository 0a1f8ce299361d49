// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The arguments of a decorated impl, kept from call to call.
#pragma once

#include <vector>

#include <pybind11/pybind11.h>

#include "plugin_tensor.h"
#include "python_call.h"

namespace kiln::python {

/// One call of an impl as the runtime makes it.
struct ImplCall {
    nvinfer1::PluginTensorDesc const* inputDescs;
    nvinfer1::PluginTensorDesc const* outputDescs;
    void const* const* inputs;
    void* const* outputs;
    nvinfer1::Dims const* inputStrides;
    nvinfer1::Dims const* outputStrides;
    std::size_t inputCount;
    std::size_t outputCount;
    void* stream;
};

/// Calls `function(inputs..., attributes..., outputs, stream[, tactic])`. If shapes are those of
/// the last call, only the addresses in the tensors change, and no Python object is made. If the
/// function kept a tensor (as its reference count shows), the next call makes new ones; a tensor
/// that it altered is filled again.
class ImplArguments {
public:
    ImplArguments(py::object function, py::tuple attributes, py::object tensorClass, bool tactic)
        : function_(std::move(function)), attributes_(std::move(attributes)),
          tensorClass_(std::move(tensorClass)), takesTactic_(tactic) {}

    void setTactic(int32_t tactic) { tactic_ = py::int_(tactic); }

    /// Returns what the function returned (a new reference), or null with an exception set.
    PyObject* call(ImplCall const& call);

private:
    void make(ImplCall const& call);
    void fill(std::size_t index, nvinfer1::PluginTensorDesc const& desc,
              nvinfer1::Dims const& strides, void const* address, int32_t device);
    void settle() noexcept;

    py::object function_;
    py::tuple attributes_;
    py::object tensorClass_;
    py::int_ tactic_{0};
    bool takesTactic_;
    bool busy_ = false; // during a call: a second thread must not share the arguments

    std::size_t inputCount_ = 0;
    std::vector<py::object> inputs_;
    py::object outputs_;                 // a tuple; null: nothing was made yet
    std::vector<TensorObject*> tensors_; // inside inputs, then outputs
    std::vector<PyObject*> slots_;       // one for the callee's use, then the arguments (borrowed)
    PointerArgument stream_;
};

} // namespace kiln::python
