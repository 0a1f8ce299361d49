// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "plugin/plugin_op.h"
#include "plugin/plugin_run.h"
#include "runtime/guard.h"
#include "target/kernel.h"

namespace kiln::runtime {

/// An attached plugin as one step of a context, which treats it as a kernel.
class PluginInstance final : public target::KernelInstance {
public:
    /// Takes ownership of the attached plugin and sets its tactic. The operand types come from the
    /// plan. With `guardedRoom`, bytes for each output, the plugin writes to guarded memory
    /// (KILN_GUARD). `about`: what kiln::pluginRun() returns to the plugin.
    PluginInstance(std::unique_ptr<plugin::PluginOp> attached, int32_t tactic, PluginRun about,
                   std::span<target::OperandType const> inputs,
                   std::span<target::OperandType const> outputs,
                   std::span<uint64_t const> guardedRoom = {});

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override;
    target::Launch launch() override { return {&run, this}; }
    std::string failureText() const override;

private:
    static int32_t run(void* state, target::KernelCall const& call,
                       target::StreamHandle stream) noexcept;

    int32_t enqueue(void const* const* inputs, void* const* outputs, void* workspace,
                    target::StreamHandle stream) noexcept;
    [[gnu::cold]] int32_t enqueueGuarded(target::KernelCall const& call,
                                         target::StreamHandle stream) noexcept;
    std::size_t outputBytes(std::size_t output) const noexcept;

    nvinfer1::IPluginV3OneRuntime* direct_ = nullptr; // members that each run reads come first
    PluginRun about_;
    bool const guarded_;                              ///< whether guards_ is in use
    std::vector<nvinfer1::PluginTensorDesc> inputs_;  ///< followed by the spare ones
    std::vector<nvinfer1::PluginTensorDesc> outputs_; ///< followed by the spare ones
    std::size_t inputCount_;
    std::size_t outputCount_;
    std::unique_ptr<plugin::PluginOp> plugin_;
    int32_t lastCode_ = 0;
    std::deque<GuardedBlock> guards_; ///< by output; empty without KILN_GUARD
    std::vector<void*> guardedOutputs_;
    int32_t overrun_ = -1; ///< output out of whose bounds the last call wrote; -1: none
    GuardedBlock::Damage damage_ = GuardedBlock::Damage::kNone;
};

} // namespace kiln::runtime
