// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <kiln/kiln.h>

#include "bindings.h"
#include "current_streams.h"
#include "fields.h"
#include "native_object.h"
#include "plugin_quick.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;
using nvinfer1::PluginTensorDesc;

/// For a plugin that defines enqueue; decorated functions are called by DecoratedRuntime.
class QuickRuntime final : public nvinfer1::IPluginV3QuickRuntime {
public:
    explicit QuickRuntime(py::object self) : self_(std::move(self)) {}

    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }

    int32_t setTactic(int32_t tactic) noexcept override {
        return guarded<int32_t>(1, [&] {
            py::int_ const number(tactic);
            return codeFrom(tactic_(self_.ptr(), number.ptr()), tactic_.name());
        });
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, Dims const* inputStrides,
                    Dims const* outputStrides, int32_t inputCount, int32_t outputCount,
                    cudaStream_t stream) noexcept override {
        return guarded<int32_t>(1, [&] {
            auto const ins = static_cast<std::size_t>(inputCount);
            auto const outs = static_cast<std::size_t>(outputCount);
            PyObject* const in = inputDescs_.get(inputDesc, ins);
            PyObject* const out = in != nullptr ? outputDescs_.get(outputDesc, outs) : nullptr;
            PyObject* const from = out != nullptr ? inputs_.get(inputs, ins) : nullptr;
            PyObject* const to = from != nullptr ? outputs_.get(outputs, outs) : nullptr;
            PyObject* const queue = to != nullptr ? stream_.get(stream) : nullptr;
            if (queue == nullptr) {
                throw py::error_already_set();
            }
            py::list const inSteps = listOf(inputStrides, ins);
            py::list const outSteps = listOf(outputStrides, outs);
            CurrentStreams const current(kiln::pluginRun().device, stream);
            PyObject* const result =
                enqueue_(self_.ptr(), in, out, from, to, inSteps.ptr(), outSteps.ptr(), queue);
            return codeFrom(result, enqueue_.name());
        });
    }

    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        return guarded<nvinfer1::PluginFieldCollection const*>(nullptr, [&] {
            py::object const result = taken(fields_(self_.ptr()));
            kept_ = toFieldCollection(result);
            return &kept_->collection;
        });
    }

private:
    static py::list listOf(Dims const* values, std::size_t count) {
        py::list result;
        std::for_each_n(values, count, [&](Dims const& value) { result.append(value); });
        return result;
    }

    py::object self_;
    Callback enqueue_{"enqueue"};
    Callback fields_{"get_fields_to_serialize"};
    Callback tactic_{"set_tactic"};
    DescList<PluginTensorDesc> inputDescs_;
    DescList<PluginTensorDesc> outputDescs_;
    PointerList inputs_;
    PointerList outputs_;
    PointerArgument stream_;
    std::unique_ptr<FieldCollection> kept_; // result of the last getFieldsToSerialize
};

} // namespace

Requirements const kQuickRuntimeRequirements{
    "IPluginV3QuickRuntime", {}, {"enqueue", "get_fields_to_serialize", "set_tactic"}};

std::unique_ptr<nvinfer1::IPluginCapability> makeQuickRuntime(py::object self) {
    if (py::hasattr(self, "_kiln_impl")) {
        return makeDecoratedRuntime(std::move(self));
    }
    checkMembers(self, quickRequirements(self));
    return std::make_unique<QuickRuntime>(std::move(self));
}

} // namespace kiln::python
