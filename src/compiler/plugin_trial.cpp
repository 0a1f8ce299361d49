// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/plugin_trial.h"

#include "compiler/timing.h"
#include "runtime/plugin_instance.h"

namespace kiln::compiler {
namespace {

using nvinfer1::DynamicPluginTensorDesc;

std::vector<int32_t> operandsOf(Step const& step) {
    std::vector<int32_t> operands = step.inputs;
    operands.insert(operands.end(), step.outputs.begin(), step.outputs.end());
    return operands;
}

/// Descriptors of all operands, with the range of shapes; types are filled in by the caller.
std::vector<DynamicPluginTensorDesc> descriptors(Program const& program, Extents const& extents,
                                                 Step const& step) {
    std::vector<DynamicPluginTensorDesc> descs;
    for (int32_t const operand : operandsOf(step)) {
        auto const index = static_cast<std::size_t>(operand);
        DynamicPluginTensorDesc desc{};
        desc.desc.dims = graph::knownDims(program.pool, program.value(operand).shape);
        desc.desc.type = program.value(operand).type.type;
        desc.desc.format = TensorFormat::kLINEAR;
        desc.desc.scale = 1.0F;
        desc.min = extents.min[index];
        desc.max = extents.max[index];
        desc.opt = extents.opt[index];
        descs.push_back(desc);
    }
    return descs;
}

class Search {
public:
    Search(Step const& step, AllowedTypes const& allowed,
           std::vector<DynamicPluginTensorDesc> descs, std::vector<std::string>& rejections)
        : step_(step), allowed_(allowed), descs_(std::move(descs)), rejections_(rejections),
          limit_(static_cast<std::size_t>(step.plugin->combinationLimit())) {}

    std::vector<Combination> run() {
        visit(0);
        return std::move(found_);
    }

private:
    void visit(std::size_t position) {
        if (position == descs_.size()) {
            Combination combination;
            for (DynamicPluginTensorDesc const& desc : descs_) {
                combination.push_back({desc.desc.type, desc.desc.format});
            }
            found_.push_back(std::move(combination));
            return;
        }
        for (DataType const type : allowed_[position]) {
            if (found_.size() >= limit_) {
                return;
            }
            descs_[position].desc.type = type;
            auto const inputs = static_cast<int32_t>(step_.inputs.size());
            if (step_.plugin->supports(static_cast<int32_t>(position), descs_, inputs)) {
                visit(position + 1);
            } else {
                rejections_.push_back(
                    fmt::format("operand {} as {} linear", position, nameOf(type)));
            }
        }
    }

    Step const& step_;
    AllowedTypes const& allowed_;
    std::vector<DynamicPluginTensorDesc> descs_;
    std::vector<std::string>& rejections_;
    std::size_t limit_;
    std::vector<Combination> found_;
};

} // namespace

std::vector<Combination> combinationsOf(Program const& program, Extents const& extents,
                                        Step const& step, AllowedTypes const& allowed,
                                        std::vector<std::string>& rejections) {
    return Search(step, allowed, descriptors(program, extents, step), rejections).run();
}

ConfiguredPlugin configured(Program const& program, Extents const& extents, Step const& step,
                            Combination const& combination) {
    std::vector<DynamicPluginTensorDesc> descs = descriptors(program, extents, step);
    for (std::size_t i = 0; i < descs.size(); ++i) {
        descs[i].desc.type = combination[i].type;
        descs[i].desc.format = combination[i].format;
    }
    std::span<DynamicPluginTensorDesc const> const all(descs);
    auto const inputs = all.first(step.inputs.size());
    auto const outputs = all.subspan(step.inputs.size());
    ConfiguredPlugin result;
    result.plugin = step.plugin->clone();
    result.plugin->configure(inputs, outputs);
    result.workspaceBytes = result.plugin->workspaceBytes(inputs, outputs);
    result.plugin->tactics(); // of this configuration; a plugin that has some refuses here
    if (result.workspaceBytes > program.options.workspaceLimit) {
        fail(ErrorKind::kOutOfMemory,
             "[plugin] layer '{}', plugin {}: expected at most {} bytes of workspace, the plugin "
             "wants {}. Raise the limit of the workspace memory pool.",
             step.name, step.plugin->id().text(), program.options.workspaceLimit,
             result.workspaceBytes);
    }
    return result;
}

double timePlugin(Program const& program, Extents const& extents, Step const& step,
                  Combination const& combination) {
    ConfiguredPlugin trial = configured(program, extents, step, combination);
    trial.plugin->initialize();
    std::vector<backend::OperandSpec> specs;
    std::vector<int32_t> const operands = operandsOf(step);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        specs.push_back(specOf(program, extents, operands[i]));
        specs.back().type = combination[i];
        specs.back().constant = false; // values do not matter, and may be of another type
    }
    std::span<backend::OperandSpec const> const all(specs);
    std::span<backend::OperandType const> const types(combination);
    std::size_t const inputs = step.inputs.size();
    runtime::PluginInstance instance(
        trial.plugin->attachForTiming({program.options.allocator, program.options.recorder}), 0,
        types.first(inputs), types.subspan(inputs));
    return timeInstance(program, instance, all.first(inputs), all.subspan(inputs),
                        trial.workspaceBytes);
}

} // namespace kiln::compiler
