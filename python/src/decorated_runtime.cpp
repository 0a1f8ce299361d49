// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bindings.h"
#include "fields.h"
#include "impl_arguments.h"
#include "plugin_quick.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;
using nvinfer1::PluginTensorDesc;

/// Runs the function under impl.
class DecoratedRuntime final : public nvinfer1::IPluginV3QuickRuntime {
public:
    DecoratedRuntime(py::object self, py::tuple const& parts)
        : self_(std::move(self)),
          arguments_(parts[0], parts[1].cast<py::tuple>(), parts[3], parts[2].cast<bool>()) {}

    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }

    int32_t setTactic(int32_t tactic) noexcept override {
        return guarded<int32_t>(1, [&] {
            self_.attr("set_tactic")(tactic);
            arguments_.setTactic(tactic);
            return 0;
        });
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                    void const* const* inputs, void* const* outputs, Dims const* inputStrides,
                    Dims const* outputStrides, int32_t inputCount, int32_t outputCount,
                    cudaStream_t stream) noexcept override {
        return guarded<int32_t>(1, [&] {
            PyObject* const result =
                arguments_.call({inputDesc, outputDesc, inputs, outputs, inputStrides,
                                 outputStrides, static_cast<std::size_t>(inputCount),
                                 static_cast<std::size_t>(outputCount), stream});
            if (result == Py_None) {
                Py_DECREF(result);
                return 0;
            }
            py::object const wrong = taken(result);
            throw py::type_error(fmt::format("impl: expected None to be returned, got {}. Write "
                                             "the results into outputs.",
                                             className(wrong)));
        });
    }

    nvinfer1::PluginFieldCollection const* getFieldsToSerialize() noexcept override {
        return guarded<nvinfer1::PluginFieldCollection const*>(nullptr, [&] {
            kept_ = toFieldCollection(self_.attr("get_fields_to_serialize")());
            return &kept_->collection;
        });
    }

private:
    py::object self_;
    ImplArguments arguments_;
    std::unique_ptr<FieldCollection> kept_; // result of the last getFieldsToSerialize
};

} // namespace

std::unique_ptr<nvinfer1::IPluginCapability> makeDecoratedRuntime(py::object self) {
    py::tuple const parts = self.attr("_kiln_impl")();
    return std::make_unique<DecoratedRuntime>(std::move(self), parts);
}

} // namespace kiln::python
