// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bindings.h"
#include "fields.h"
#include "plugin_quick.h"
#include "plugin_v3.h"

namespace kiln::python {
namespace {

using nvinfer1::PluginTensorDesc;

class PythonRuntime final : public nvinfer1::IPluginV3OneRuntime {
public:
    explicit PythonRuntime(py::object self) : self_(std::move(self)) {}

    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }

    int32_t onShapeChange(PluginTensorDesc const* in, int32_t inputCount,
                          PluginTensorDesc const* out, int32_t outputCount) noexcept override {
        return guarded<int32_t>(1, [&] {
            inputCount_ = static_cast<std::size_t>(inputCount);
            outputCount_ = static_cast<std::size_t>(outputCount);
            PyObject* const inputs = in_.get(in, inputCount_);
            PyObject* const outputs = out_.get(out, outputCount_);
            if (inputs == nullptr || outputs == nullptr) {
                throw py::error_already_set();
            }
            return codeFrom(shapeChange_(self_.ptr(), inputs, outputs), shapeChange_.name());
        });
    }

    int32_t enqueue(PluginTensorDesc const* inputDescs, PluginTensorDesc const* outputDescs,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) noexcept override {
        return guarded<int32_t>(1, [&] {
            return arguments_.call(enqueue_, self_.ptr(),
                                   {inputCount_, outputCount_, inputDescs, outputDescs, inputs,
                                    outputs, workspace, stream});
        });
    }

    nvinfer1::IPluginV3* attachToContext(
        nvinfer1::IPluginResourceContext* context) noexcept override {
        return guarded<nvinfer1::IPluginV3*>(nullptr, [&] {
            py::object const resources = py::cast(context, py::return_value_policy::reference);
            py::object const attached = taken(attach_(self_.ptr(), resources.ptr()));
            return adoptPluginV3(attached, attach_.name());
        });
    }

    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        return guarded<nvinfer1::PluginFieldCollection const*>(nullptr, [&] {
            py::object const result = taken(fields_(self_.ptr()));
            try {
                kept_ = toFieldCollection(result);
            } catch (py::builtin_exception const& error) {
                throw py::type_error(fmt::format("{}: {}", fields_.name(), error.what()));
            }
            return &kept_->collection;
        });
    }

    int32_t setTactic(int32_t tactic) noexcept override {
        return guarded<int32_t>(1, [&] {
            py::int_ const number(tactic);
            return codeFrom(tactic_(self_.ptr(), number.ptr()), tactic_.name());
        });
    }

private:
    py::object self_;            // members that each run reads come first
    std::size_t inputCount_ = 0; // in the last on_shape_change
    std::size_t outputCount_ = 0;
    Callback enqueue_{"enqueue"};
    EnqueueArguments arguments_;
    Callback shapeChange_{"on_shape_change"};
    Callback attach_{"attach_to_context"};
    Callback fields_{"get_fields_to_serialize"};
    Callback tactic_{"set_tactic"};
    DescList<PluginTensorDesc> in_;
    DescList<PluginTensorDesc> out_;
    std::unique_ptr<FieldCollection> kept_; // result of the last getFieldsToSerialize
};

} // namespace

Requirements const kRuntimeRequirements{
    "IPluginV3OneRuntime",
    {},
    {"attach_to_context", "enqueue", "get_fields_to_serialize", "on_shape_change", "set_tactic"}};

std::unique_ptr<nvinfer1::IPluginCapability> makeRuntime(py::object self) {
    if (py::isinstance<QuickRuntimeObject>(self)) {
        return makeQuickRuntime(std::move(self));
    }
    if (!py::isinstance<RuntimeObject>(self)) {
        throw py::type_error(fmt::format("get_capability_interface(RUNTIME): expected an "
                                         "IPluginV3OneRuntime or an IPluginV3QuickRuntime, got {}",
                                         className(self)));
    }
    checkMembers(self, {&kRuntimeRequirements});
    return std::make_unique<PythonRuntime>(std::move(self));
}

} // namespace kiln::python
