// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/plugin_trial.h"

#include <algorithm>
#include <deque>

#include "compiler/aot.h"
#include "compiler/constants.h"
#include "compiler/kernel_choice.h"
#include "compiler/timing.h"
#include "compiler/timing_cache.h"
#include "runtime/aot_code.h"
#include "runtime/host_values.h"
#include "runtime/plugin_instance.h"

namespace kiln::compiler {
namespace {

using nvinfer1::DynamicPluginTensorDesc;

std::size_t plainInputs(Step const& step) {
    return step.inputs().size() - static_cast<std::size_t>(step.shapeInputs);
}

/// The operands that a plugin is asked about: inputs without shape inputs, then outputs.
std::vector<ValueId> operandsOf(Step const& step) {
    std::vector<ValueId> operands(step.inputs().begin(),
                                  step.inputs().begin() +
                                      static_cast<std::ptrdiff_t>(plainInputs(step)));
    operands.insert(operands.end(), step.outputs().begin(), step.outputs().end());
    return operands;
}

/// Descriptors of these operands, with the range of shapes. The caller fills in the types.
std::vector<DynamicPluginTensorDesc> descriptors(Program const& program, Extents const& extents,
                                                 Step const& step) {
    std::vector<DynamicPluginTensorDesc> descs;
    for (ValueId const operand : operandsOf(step)) {
        DynamicPluginTensorDesc desc{};
        desc.desc.dims = graph::knownDims(program.pool, program.value(operand).shape);
        // Plugins must not read undecided entries; these hold no member of the enums.
        desc.desc.type = static_cast<DataType>(-1);
        desc.desc.format = static_cast<TensorFormat>(-1);
        desc.desc.scale = 1.0F;
        desc.min = extents.min[operand];
        desc.max = extents.max[operand];
        desc.opt = extents.opt[operand];
        descs.push_back(desc);
    }
    return descs;
}

} // namespace

FoundCombinations combinationsOf(Program const& program, Extents const& extents, Step const& step,
                                 AllowedTypes const& allowed, Rejections& rejections) {
    std::vector<DynamicPluginTensorDesc> descs = descriptors(program, extents, step);
    nvinfer1::PluginTensorDesc const unset = descs.front().desc;
    std::size_t set = 0; // descriptors with a type
    auto const takes = [&](std::size_t position, Combination const& types) {
        for (std::size_t i = 0; i <= position; ++i) {
            descs[i].desc.type = types[i].type;
            descs[i].desc.format = types[i].format;
        }
        for (std::size_t i = position + 1; i < set; ++i) {
            descs[i].desc.type = unset.type;
            descs[i].desc.format = unset.format;
        }
        set = position + 1;
        return step.plugin->supports(static_cast<int32_t>(position), descs,
                                     static_cast<int32_t>(plainInputs(step)));
    };
    FoundCombinations found = searchFormats(
        allowed, plainInputs(step), boundsFor(step.plugin->combinationLimit(), allowed.size()),
        takes, rejections);
    if (found.cut) {
        rejections.addCut(found.questions);
    }
    return found;
}

std::optional<std::vector<Combination>> listedCombinations(Program const& program,
                                                           Extents const& extents,
                                                           Step const& step) {
    if (!step.plugin->listsCombinations()) {
        return std::nullopt;
    }
    Combination declared;
    for (ValueId const operand : operandsOf(step)) {
        declared.push_back({program.value(operand).type.type, TensorFormat::kLINEAR});
    }
    std::vector<nvinfer1::PluginTensorDesc> const listed = step.plugin->combinations(
        describedAs(program, extents, step, declared), static_cast<int32_t>(plainInputs(step)));
    std::vector<Combination> combinations;
    for (std::size_t first = 0; first < listed.size(); first += declared.size()) {
        Combination combination;
        for (std::size_t i = first; i < first + declared.size(); ++i) {
            combination.push_back({listed[i].type, listed[i].format});
        }
        combinations.push_back(std::move(combination));
    }
    return combinations;
}

std::vector<Combination> within(std::vector<Combination> const& listed, AllowedTypes const& allowed,
                                Rejections& rejections) {
    std::vector<Combination> found;
    for (Combination const& combination : listed) {
        bool fits = true;
        for (std::size_t i = 0; i < combination.size(); ++i) {
            fits = fits && std::find(allowed[i].begin(), allowed[i].end(), combination[i]) !=
                               allowed[i].end();
        }
        if (fits) {
            found.push_back(combination);
        } else {
            rejections.add(combination);
        }
    }
    return found;
}

std::vector<DynamicPluginTensorDesc> describedAs(Program const& program, Extents const& extents,
                                                 Step const& step, Combination const& combination) {
    std::vector<DynamicPluginTensorDesc> descs = descriptors(program, extents, step);
    for (std::size_t i = 0; i < descs.size(); ++i) {
        descs[i].desc.type = combination[i].type;
        descs[i].desc.format = combination[i].format;
    }
    return descs;
}

ConfiguredPlugin configured(Program const& program, Extents const& extents, Step const& step,
                            Combination const& combination) {
    std::vector<DynamicPluginTensorDesc> const descs =
        describedAs(program, extents, step, combination);
    std::span<DynamicPluginTensorDesc const> const all(descs);
    auto const inputs = all.first(plainInputs(step));
    auto const outputs = all.subspan(plainInputs(step));
    ConfiguredPlugin result;
    result.plugin = step.plugin->clone();
    result.plugin->configure(inputs, outputs);
    result.workspaceBytes = result.plugin->workspaceBytes(inputs, outputs);
    result.tactics = result.plugin->tactics();
    if (result.workspaceBytes > program.options.workspaceLimit) {
        fail(ErrorKind::kOutOfMemory,
             "[plugin] layer '{}', plugin {}: expected at most {} bytes of workspace, the plugin "
             "wants {}. Raise the limit of the workspace memory pool.",
             step.name, step.plugin->id().text(), program.options.workspaceLimit,
             result.workspaceBytes);
    }
    return result;
}

namespace {

/// Sets extents that the plugin itself computes to -1, as when it runs in an engine.
void hideOwnSizes(Program const& program, Step const& step, graph::ShapeExpr const& shape,
                  Dims& dims) {
    // Operands precede their users, so one pass finds everything that depends on a size.
    std::vector<bool> own;
    for (graph::ExprNode const& node : program.pool.nodes()) {
        if (node.op == graph::ExprOp::kSizeTensor) {
            ValueId const value = program.sizeTensors.at(static_cast<std::size_t>(node.a));
            own.push_back(std::find(step.outputs().begin(), step.outputs().end(), value) !=
                          step.outputs().end());
        } else {
            own.push_back(
                node.op >= graph::ExprOp::kSum &&
                (own[static_cast<std::size_t>(node.a)] || own[static_cast<std::size_t>(node.b)]));
        }
    }
    for (int32_t axis = 0; axis < shape.rank; ++axis) {
        if (own[static_cast<std::size_t>(shape[axis])]) {
            dims.d[axis] = -1;
        }
    }
}

/// Descriptions of all operands, shape inputs included, for a run at the optimum.
std::vector<target::OperandSpec> specsOf(Program const& program, Extents const& extents,
                                         Step const& step, Combination const& combination) {
    std::vector<target::OperandSpec> specs;
    std::vector<ValueId> const operands = operandsOf(step);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        specs.push_back(specOf(program, extents, operands[i]));
        specs.back().type = combination[i];
        specs.back().constant = false; // timing needs no values, and they may have another type
        if (i >= plainInputs(step) &&
            dependsOnSize(program.pool, program.value(operands[i]).shape)) {
            specs.back().room = extents.max[operands[i]];
            hideOwnSizes(program, step, program.value(operands[i]).shape, specs.back().opt);
        }
    }
    for (std::size_t i = plainInputs(step); i < step.inputs().size(); ++i) {
        auto const at = specs.begin() + static_cast<std::ptrdiff_t>(i);
        specs.insert(at, specOf(program, extents, step.inputs()[i]));
    }
    return specs;
}

PluginRun aboutRun(Program const& program, Step const& step) {
    PluginRun about{.device = program.backend.deviceNumber()};
    for (std::size_t i = plainInputs(step); i < step.inputs().size() && i < 64; ++i) {
        about.hostInputs |= uint64_t{1} << i;
    }
    return about;
}

/// Gives the shape inputs their values at the optimum. `onHost`: in host memory, for a plugin that
/// reads them itself; ahead-of-time kernels read them from device memory. The result owns the
/// bytes.
std::deque<Bytes> giveValues(Program const& program, Ranges const& ranges, Step const& step,
                             bool onHost, std::span<target::OperandSpec> inputs) {
    std::vector<int64_t> const values = valuesAt(program, ranges, ProfileCorner::kOpt);
    std::deque<Bytes> kept;
    for (std::size_t i = plainInputs(step); i < step.inputs().size(); ++i) {
        Value const& value = program.value(step.inputs()[i]);
        std::vector<int64_t> elements;
        if (value.role == plan::TensorRole::kInput) {
            elements = ranges.values[static_cast<std::size_t>(value.inputIndex)].opt;
        }
        for (graph::ExprRef const ref : value.values) {
            elements.push_back(values[static_cast<std::size_t>(ref)]);
        }
        target::OperandSpec& spec = inputs[i];
        spec.host = onHost;
        if (value.role != plan::TensorRole::kConstant) {
            kept.emplace_back(
                bytesFor(spec.type.type, static_cast<int64_t>(std::max<std::size_t>(
                                             elements.size(), 1)))); // so that it has an address
            runtime::writeValues(spec.type.type, elements, kept.back().data());
            spec.constant = true;
            spec.data = kept.back();
        }
    }
    return kept;
}

/// One tactic, ready to run: an attached plugin, or the code that it compiles to.
class Trial {
public:
    Trial(Program const& program, Extents const& extents, Step const& step,
          Combination const& combination, ConfiguredPlugin& configured, int32_t tactic,
          std::span<target::OperandType const> inputs,
          std::span<target::OperandType const> outputs) {
        if (!configured.plugin->aheadOfTime()) {
            instance_ = std::make_unique<runtime::PluginInstance>(
                configured.plugin->attachForTiming(
                    {program.options.allocator, program.options.recorder}),
                tactic, aboutRun(program, step), inputs, outputs);
            return;
        }
        variants_ = compileAot(program, extents, step, *configured.plugin, combination, tactic);
        code_ = std::make_unique<runtime::AotCode>(
            fmt::format("[plugin] layer '{}', plugin {}", step.name, step.plugin->id().text()),
            variants_, *program.device, inputs, outputs,
            HandOver{true, true, defaultTemporaryDirectory()});
        instance_ = code_->instantiate();
        instance_->takeValues(valuesAt(program, *extents.ranges, ProfileCorner::kOpt));
    }
    target::KernelInstance& instance() { return *instance_; }

    /// The compiled code, for the plan: compiling again may take seconds. Ends the trial.
    std::vector<plugin::AotVariant> takeCode() {
        instance_.reset();
        code_.reset();
        return std::move(variants_);
    }

private:
    std::vector<plugin::AotVariant> variants_;
    std::unique_ptr<runtime::AotCode> code_;
    std::unique_ptr<target::KernelInstance> instance_;
};

/// Adds layer, plugin and tactic to device errors and out-of-memory errors, which lack them.
double timeTactic(Program const& program, Step const& step, int32_t tactic,
                  target::KernelInstance& instance, std::span<target::OperandSpec const> inputs,
                  std::span<target::OperandSpec const> outputs, uint64_t workspaceBytes) {
    try {
        return timeInstance(program, instance, inputs, outputs, workspaceBytes);
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kDevice && error.kind() != ErrorKind::kOutOfMemory) {
            throw;
        }
        fail(error.kind(), "[plugin] layer '{}', plugin {}, while tactic {} was timed: {}",
             step.name, step.plugin->id().text(), tactic, error.what());
    }
}

PluginTiming runTrials(Program const& program, Extents const& extents, Step const& step,
                       Combination const& combination) {
    ConfiguredPlugin trial = configured(program, extents, step, combination);
    if (program.device == nullptr) { // cannot measure: the plugin's first tactic
        return {0.0, trial.tactics.empty() ? 0 : trial.tactics.front(), {}};
    }
    trial.plugin->initialize();
    std::vector<target::OperandSpec> specs = specsOf(program, extents, step, combination);
    LoadedConstants constants;
    constants.load(specs);
    std::deque<Bytes> const shapeValues =
        giveValues(program, *extents.ranges, step, !trial.plugin->aheadOfTime(), specs);
    std::vector<target::OperandType> types;
    for (target::OperandSpec const& spec : specs) {
        types.push_back(spec.type);
    }
    std::span<target::OperandSpec const> const all(specs);
    std::span<target::OperandType const> const allTypes(types);
    std::size_t const inputs = step.inputs().size();
    std::vector<int32_t> const tactics =
        trial.tactics.empty() ? std::vector<int32_t>{0} : trial.tactics;
    PluginTiming best;
    for (std::size_t i = 0; i < tactics.size(); ++i) {
        Trial run(program, extents, step, combination, trial, tactics[i], allTypes.first(inputs),
                  allTypes.subspan(inputs));
        double const seconds =
            timeTactic(program, step, tactics[i], run.instance(), all.first(inputs),
                       all.subspan(inputs), trial.workspaceBytes);
        program.options.log.verbose(
            "[select] layer '{}': plugin {} as {}, tactic {} takes {:.2f} us", step.name,
            step.plugin->id().text(), textOf(combination), tactics[i], seconds * 1e6);
        if (i == 0 || seconds < best.seconds) {
            best = {seconds, tactics[i], run.takeCode()};
        }
    }
    return best;
}

/// The key of a plugin and a combination in the timing cache. Empty: timings are not cached.
std::string cacheText(Program const& program, Extents const& extents, Step const& step,
                      Combination const& combination) {
    std::optional<std::string> const id = step.plugin->timingCacheId();
    if (program.options.timingCache == nullptr || !id.has_value()) {
        return {};
    }
    plugin::PluginId const& name = step.plugin->id();
    std::string text = fmt::format("plugin|{}|{}|{}|{}|{}", program.backend.timingFacts(),
                                   name.name, name.version, name.space, *id);
    appendOperands(text, specsOf(program, extents, step, combination));
    return text;
}

} // namespace

PluginTiming timePlugin(Program const& program, Extents const& extents, Step const& step,
                        Combination const& combination, std::vector<int32_t> const* offered) {
    std::string const text = cacheText(program, extents, step, combination);
    if (text.empty()) {
        return runTrials(program, extents, step, combination);
    }
    TimingCache& cache = *program.options.timingCache;
    if (std::optional<TimingCache::Entry> const known = cache.find(text)) {
        auto const tactic = static_cast<int32_t>(known->tactic);
        bool const valid = offered == nullptr || (offered->empty() && tactic == 0) ||
                           std::find(offered->begin(), offered->end(), tactic) != offered->end();
        if (valid) {
            return {known->milliseconds / 1e3, tactic, {}};
        }
        program.options.log.warning(
            "[builder] layer '{}': the timing cache chose tactic {}, which plugin {} does not "
            "offer "
            "any more; it is timed again. Change the plugin's timing cache ID with its tactics.",
            step.name, tactic, step.plugin->id().text());
    }
    failOnMiss(program, step.name);
    PluginTiming timing = runTrials(program, extents, step, combination);
    cache.store(text,
                {static_cast<uint64_t>(timing.tactic), static_cast<float>(timing.seconds * 1e3)});
    return timing;
}

} // namespace kiln::compiler
