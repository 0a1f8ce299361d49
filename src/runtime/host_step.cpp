// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_step.h"

#include <algorithm>

#include "runtime/host_values.h"

namespace kiln::runtime {
namespace {

class HostCopy final : public target::KernelInstance {
public:
    HostCopy(DataType from, DataType to) : from_(from), to_(to) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        std::size_t const count = static_cast<std::size_t>(volume(outputs[0], "shape output"));
        if (count != static_cast<std::size_t>(volume(inputs[0], "shape output"))) {
            fail(ErrorKind::kCorruptData,
                 "expected as many values as the output has, {}, got {}. Build the plan again.",
                 toText(outputs[0]), toText(inputs[0]));
        }
        values_.resize(count);
    }

    target::Launch launch() override { return {&run, this}; }

private:
    static int32_t run(void* state, target::KernelCall const& call, target::StreamHandle) noexcept {
        auto& self = *static_cast<HostCopy*>(state);
        readValues(self.from_, call.inputs[0], self.values_);
        writeValues(self.to_, self.values_, call.outputs[0]);
        return 0;
    }

    DataType from_;
    DataType to_;
    std::vector<int64_t> values_;
};

bool isHostType(DataType type) {
    return type == DataType::kINT32 || type == DataType::kINT64 || type == DataType::kBOOL;
}

} // namespace

bool isHostStep(plan::Document const& document, plan::StepRecord const& step) {
    return step.plugin.isNone() && !step.outputs.empty() &&
           document.tensors[step.outputs[0]].shapeOutput;
}

bool isHostOperand(plan::Document const& document, plan::StepRecord const& step,
                   std::size_t input) {
    return input >= step.inputs.size() - static_cast<std::size_t>(step.shapeInputs) &&
           document.plugins[step.plugin].style != plugin::PluginStyle::kQuickAot;
}

bool knownOnHost(plan::TensorRecord const& tensor, std::vector<int32_t> const& valueInputs) {
    return tensor.role == plan::TensorRole::kValues || tensor.role == plan::TensorRole::kConstant ||
           (tensor.role == plan::TensorRole::kInput &&
            std::binary_search(valueInputs.begin(), valueInputs.end(), tensor.inputIndex));
}

std::unique_ptr<target::KernelInstance> makeHostStep(target::OperandType const& from,
                                                     target::OperandType const& to) {
    if (!isHostType(from.type) || !isHostType(to.type)) {
        fail(ErrorKind::kUnsupported,
             "a shape output: expected int32, int64 or bool, got {} made of {}. Build the plan "
             "again.",
             nameOf(to.type), nameOf(from.type));
    }
    return std::make_unique<HostCopy>(from.type, to.type);
}

} // namespace kiln::runtime
