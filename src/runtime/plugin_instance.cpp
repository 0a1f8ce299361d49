// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plugin_instance.h"

#include "plugin/failure.h"

namespace kiln::runtime {
namespace {

std::vector<nvinfer1::PluginTensorDesc> describe(std::span<backend::OperandType const> types) {
    std::vector<nvinfer1::PluginTensorDesc> descs;
    for (backend::OperandType const& type : types) {
        descs.push_back({Dims{}, type.type, type.format, 1.0F});
    }
    return descs;
}

} // namespace

PluginInstance::PluginInstance(std::unique_ptr<plugin::PluginOp> attached, int32_t tactic,
                               std::span<backend::OperandType const> inputs,
                               std::span<backend::OperandType const> outputs)
    : plugin_(std::move(attached)), inputs_(describe(inputs)), outputs_(describe(outputs)) {
    plugin_->setTactic(tactic);
}

void PluginInstance::reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        inputs_[i].dims = inputs[i];
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        outputs_[i].dims = outputs[i];
    }
    plugin_->shapeChange(inputs_, outputs_);
}

std::string PluginInstance::failureText() const {
    std::string const reported = plugin::takeReportedText();
    std::string const problem =
        lastCode_ == 0 ? "raised an error" : fmt::format("expected 0, returned {}", lastCode_);
    return fmt::format("{}: {}{}{}",
                       plugin::callbackName(plugin_->layer(), plugin_->id(), "enqueue"), problem,
                       reported.empty() ? "" : "\n", reported);
}

int32_t PluginInstance::run(void* state, backend::KernelCall const& call,
                            backend::StreamHandle stream) noexcept {
    auto& self = *static_cast<PluginInstance*>(state);
    int32_t const code = self.plugin_->enqueue(self.inputs_.data(), self.outputs_.data(),
                                               call.inputs, call.outputs, call.workspace, stream);
    if (code != 0 || plugin::hasReportedText()) [[unlikely]] {
        self.lastCode_ = code;
        return code == 0 ? 1 : code;
    }
    return 0;
}

} // namespace kiln::runtime
