// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/kernel.h"
#include "plugin/plugin_op.h"

namespace kiln::runtime {

/// An attached plugin as one step of a context: to the context it is a kernel like any other.
class PluginInstance final : public backend::KernelInstance {
public:
    /// Takes the attached plugin and sets its tactic. The operand types come from the plan.
    PluginInstance(std::unique_ptr<plugin::PluginOp> attached, int32_t tactic,
                   std::span<backend::OperandType const> inputs,
                   std::span<backend::OperandType const> outputs);

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override;
    backend::Launch launch() override { return {&run, this}; }
    std::string failureText() const override;

private:
    static int32_t run(void* state, backend::KernelCall const& call,
                       backend::StreamHandle stream) noexcept;

    std::unique_ptr<plugin::PluginOp> plugin_;
    std::vector<nvinfer1::PluginTensorDesc> inputs_;
    std::vector<nvinfer1::PluginTensorDesc> outputs_;
    int32_t lastCode_ = 0;
};

} // namespace kiln::runtime
