// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "impl_arguments.h"

#include <cstring>

#include <kiln/kiln.h>

#include "current_streams.h"

namespace kiln::python {

void ImplArguments::make(ImplCall const& call) {
    inputs_.clear();
    tensors_.clear();
    slots_.assign(1, nullptr);
    inputCount_ = call.inputCount;
    auto const add = [&] {
        py::object tensor = tensorClass_();
        tensors_.push_back(&tensor.cast<TensorObject&>());
        tensors_.back()->altered = true; // so that the next call fills it
        return tensor;
    };
    for (std::size_t i = 0; i < call.inputCount; ++i) {
        inputs_.push_back(add());
        slots_.push_back(inputs_.back().ptr());
    }
    for (py::handle const attribute : attributes_) {
        slots_.push_back(attribute.ptr());
    }
    py::tuple outputs(call.outputCount);
    for (std::size_t i = 0; i < call.outputCount; ++i) {
        outputs[i] = add();
    }
    outputs_ = outputs;
    slots_.push_back(outputs_.ptr());
    slots_.resize(slots_.size() + (takesTactic_ ? 2 : 1));
}

void ImplArguments::fill(std::size_t index, nvinfer1::PluginTensorDesc const& desc,
                         nvinfer1::Dims const& strides, void const* address, int32_t device) {
    TensorObject& tensor = *tensors_[index];
    if (tensor.altered || std::memcmp(&tensor.desc, &desc, sizeof(desc)) != 0) {
        tensor.fill(desc, strides);
    }
    tensor.address = reinterpret_cast<std::uintptr_t>(address);
    tensor.device = device;
}

PyObject* ImplArguments::call(ImplCall const& call) {
    if (busy_) {
        ImplArguments own(function_, attributes_, tensorClass_, takesTactic_);
        own.tactic_ = tactic_;
        return own.call(call);
    }
    if (!outputs_ || inputCount_ != call.inputCount ||
        tensors_.size() != call.inputCount + call.outputCount) {
        make(call);
    }
    kiln::PluginRun const run = kiln::pluginRun();
    for (std::size_t i = 0; i < call.inputCount; ++i) {
        bool const onHost = i < 64 && ((run.hostInputs >> i) & 1U) != 0;
        fill(i, call.inputDescs[i], call.inputStrides[i], call.inputs[i], onHost ? -1 : run.device);
    }
    for (std::size_t i = 0; i < call.outputCount; ++i) {
        fill(call.inputCount + i, call.outputDescs[i], call.outputStrides[i], call.outputs[i],
             run.device);
    }
    std::size_t const count = slots_.size() - 1;
    PyObject* const stream = stream_.get(call.stream);
    if (stream == nullptr) {
        return nullptr;
    }
    slots_[count - (takesTactic_ ? 1 : 0)] = stream;
    if (takesTactic_) {
        slots_[count] = tactic_.ptr();
    }
    CurrentStreams const current(run.device, call.stream);
    busy_ = true;
    PyObject* const result = PyObject_Vectorcall(function_.ptr(), slots_.data() + 1,
                                                 count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    busy_ = false;
    settle();
    return result;
}

void ImplArguments::settle() noexcept {
    bool kept = Py_REFCNT(outputs_.ptr()) != 1;
    for (py::object const& input : inputs_) {
        kept = kept || Py_REFCNT(input.ptr()) != 1;
    }
    for (Py_ssize_t i = 0; !kept && i < PyTuple_GET_SIZE(outputs_.ptr()); ++i) {
        kept = Py_REFCNT(PyTuple_GET_ITEM(outputs_.ptr(), i)) != 1;
    }
    if (kept) {
        outputs_ = py::object(); // the next call makes all objects again
    }
}

} // namespace kiln::python
