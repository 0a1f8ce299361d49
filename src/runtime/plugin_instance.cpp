// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plugin_instance.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/tensor_layout.h"
#include "plugin/failure.h"
#include "plugin/spare_tensors.h"

namespace kiln::runtime {
namespace {

std::vector<nvinfer1::PluginTensorDesc> describe(std::span<target::OperandType const> types) {
    std::vector<nvinfer1::PluginTensorDesc> descs;
    descs.reserve(types.size() + plugin::kSpareTensors);
    for (target::OperandType const& type : types) {
        descs.push_back({Dims{}, type.type, type.format, 1.0F});
    }
    descs.insert(descs.end(), plugin::kSpareTensors, plugin::spareDesc());
    return descs;
}

/// A unique number for a set of descriptors.
uint64_t numberOfShapes() noexcept {
    static std::atomic<uint64_t> last{0};
    return ++last;
}

/// Leaves out the code that stands for an exception, because the plugin did not return it.
std::string failureOf(int32_t code, std::string const& reported) {
    if (code == 0 || reported.starts_with("Traceback")) {
        return "raised an error";
    }
    return reported.empty() ? fmt::format("expected 0, returned {}", code)
                            : fmt::format("failed with code {}", code);
}

} // namespace

PluginInstance::PluginInstance(std::unique_ptr<plugin::PluginOp> attached, int32_t tactic,
                               PluginRun about, std::span<target::OperandType const> inputs,
                               std::span<target::OperandType const> outputs,
                               std::span<uint64_t const> guardedRoom)
    : about_(about), guarded_(!guardedRoom.empty()), inputs_(describe(inputs)),
      outputs_(describe(outputs)), inputCount_(inputs.size()), outputCount_(outputs.size()),
      plugin_(std::move(attached)) {
    for (uint64_t const bytes : guardedRoom) {
        guards_.emplace_back(bytes);
        guardedOutputs_.push_back(nullptr);
    }
    guardedOutputs_.insert(guardedOutputs_.end(), plugin::kSpareTensors, plugin::spareMemory());
    about_.inputDescs = inputs_.data();
    about_.outputDescs = outputs_.data();
    plugin_->setTactic(tactic);
}

void PluginInstance::reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        inputs_[i].dims = inputs[i];
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        outputs_[i].dims = outputs[i];
    }
    about_.shapes = numberOfShapes();
    plugin_->shapeChange(std::span(inputs_).first(inputCount_),
                         std::span(outputs_).first(outputCount_));
    direct_ = plugin_->enqueuer();
}

std::string PluginInstance::failureText() const {
    if (overrun_ >= 0) {
        return fmt::format(
            "{}: expected at most {} bytes to be written to output {} of shape {}, but the plugin "
            "wrote {}. Check the extents and the element type that enqueue works with",
            plugin::callbackName(plugin_->layer(), plugin_->id(), "enqueue"),
            outputBytes(static_cast<std::size_t>(overrun_)), overrun_,
            toText(outputs_[static_cast<std::size_t>(overrun_)].dims),
            damage_ == GuardedBlock::Damage::kBehind ? "past its end"
                                                     : "in front of its beginning");
    }
    std::string const reported = plugin::takeReportedText();
    std::string const problem = failureOf(lastCode_, reported);
    return fmt::format("{}: {}{}{}",
                       plugin::callbackName(plugin_->layer(), plugin_->id(), "enqueue"), problem,
                       reported.empty() ? "" : "\n", reported);
}

std::size_t PluginInstance::outputBytes(std::size_t output) const noexcept {
    nvinfer1::PluginTensorDesc const& desc = outputs_[output];
    uint64_t bytes = 0; // unknown extent: the whole capacity
    return storageBytes(desc.type, desc.format, desc.dims, bytes) ? bytes
                                                                  : guards_[output].capacity();
}

int32_t PluginInstance::enqueue(void const* const* inputs, void* const* outputs, void* workspace,
                                target::StreamHandle stream) noexcept {
    return direct_ != nullptr ? direct_->enqueue(inputs_.data(), outputs_.data(), inputs, outputs,
                                                 workspace, stream)
                              : plugin_->enqueue(inputs_.data(), outputs_.data(), inputs, outputs,
                                                 workspace, stream);
}

/// Runs with outputs that end at a guard, and copies them from there. An output that aliases an
/// input is not guarded.
int32_t PluginInstance::enqueueGuarded(target::KernelCall const& call,
                                       target::StreamHandle stream) noexcept {
    auto const aliased = [&](std::size_t output) {
        return std::find(call.inputs, call.inputs + inputCount_, call.outputs[output]) !=
               call.inputs + inputCount_;
    };
    for (std::size_t i = 0; i < guards_.size(); ++i) {
        guardedOutputs_[i] = guards_[i].arm(outputBytes(i));
        if (aliased(i)) {
            guardedOutputs_[i] = call.outputs[i];
        } else {
            std::memcpy(guardedOutputs_[i], call.outputs[i], outputBytes(i));
        }
    }
    int32_t const code = enqueue(call.inputs, guardedOutputs_.data(), call.workspace, stream);
    overrun_ = -1;
    for (std::size_t i = 0; i < guards_.size(); ++i) {
        if (GuardedBlock::Damage const damage = guards_[i].damage();
            damage != GuardedBlock::Damage::kNone) {
            overrun_ = static_cast<int32_t>(i);
            damage_ = damage;
        }
        if (!aliased(i)) {
            std::memcpy(call.outputs[i], guardedOutputs_[i], outputBytes(i));
        }
    }
    return overrun_ >= 0 ? 1 : code;
}

int32_t PluginInstance::run(void* state, target::KernelCall const& call,
                            target::StreamHandle stream) noexcept {
    auto& self = *static_cast<PluginInstance*>(state);
    plugin::PluginRunScope const scope(self.about_);
    int32_t const code = self.guarded_
                             ? self.enqueueGuarded(call, stream)
                             : self.enqueue(call.inputs, call.outputs, call.workspace, stream);
    if (code != 0 || scope.reported()) [[unlikely]] {
        self.lastCode_ = code;
        return code == 0 ? 1 : code;
    }
    return 0;
}

} // namespace kiln::runtime
