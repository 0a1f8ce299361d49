// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plugin_questions.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "plugin/plugin_record.h"
#include "runtime/plan_exprs.h"
#include "runtime/shapes.h"

namespace kiln::runtime {
namespace {

using nvinfer1::DynamicPluginTensorDesc;

/// Queries one step's plugin and compares the answers with the plan. Uses its own clone.
class Interview {
public:
    Interview(plan::Document const& document, PlanExprs& exprs, plan::StepRecord const& step,
              plugin::PluginOp& plugin)
        : document_(document), exprs_(exprs), step_(step), plugin_(plugin),
          plain_(step.inputs.size() - static_cast<std::size_t>(step.shapeInputs)) {
        operands_.assign(step.inputs.begin(),
                         step.inputs.begin() + static_cast<std::ptrdiff_t>(plain_));
        operands_.insert(operands_.end(), step.outputs.begin(), step.outputs.end());
    }

    /// Queries that do not depend on the profile. `united`: the range over all profiles.
    void askRules(ProfileShapes const& united) {
        askOutputs();
        askTypes();
        askShapes();
        askAliases();
        askFormats(united);
    }

    void askBounds(ProfileShapes const& shapes, std::size_t profile, int32_t tactic) {
        std::vector<DynamicPluginTensorDesc> const descs = described(shapes);
        std::span<DynamicPluginTensorDesc const> const all(descs);
        plugin_.configure(all.first(plain_), all.subspan(plain_));
        std::size_t const wanted = plugin_.workspaceBytes(all.first(plain_), all.subspan(plain_));
        if (wanted > step_.workspaceFor(profile)) {
            disagree(fmt::format("workspace under optimization profile {}", profile),
                     fmt::format("{} bytes", wanted),
                     fmt::format("{}", step_.workspaceFor(profile)));
        }
        // A plugin for the runtime phase may list no tactics; it gets the plan's tactic.
        std::vector<int32_t> const tactics = plugin_.tactics();
        if (!tactics.empty() &&
            std::find(tactics.begin(), tactics.end(), tactic) == tactics.end()) {
            disagree(fmt::format("tactic under optimization profile {}", profile),
                     fmt::format("{}", tactics), fmt::format("{}", tactic));
        }
    }

private:
    [[noreturn]] void disagree(std::string_view what, std::string_view expected,
                               std::string_view got) const {
        fail(ErrorKind::kCorruptData,
             "[plan] layer '{}', plugin {}, {}: expected {}, as the plugin says, the plan has {}. "
             "Build the plan again with the plugin that is registered here.",
             step_.name, plugin_.id().text(), what, expected, got);
    }

    plan::TensorRecord const& tensor(plan::TensorId index) const {
        return document_.tensors[index];
    }
    int32_t inputs() const { return static_cast<int32_t>(plain_); }

    void askOutputs() const {
        if (!plugin::isV3(plugin_.style()) && step_.shapeInputs != 0) {
            disagree("shape inputs", "none", fmt::format("{}", step_.shapeInputs));
        }
        int32_t const count = plugin_.outputCount();
        if (static_cast<std::size_t>(count) != step_.outputs.size()) {
            disagree("number of outputs", fmt::format("{}", count),
                     fmt::format("{}", step_.outputs.size()));
        }
    }

    /// Whether a tensor may have `type` if the network declares another type: a weakly typed
    /// network has casts between floating types.
    bool mayBe(DataType type, DataType declared) const {
        return type == declared ||
               (!document_.stronglyTyped && isFloating(type) && isFloating(declared));
    }

    void askTypes() {
        std::vector<int32_t> ranks;
        for (std::size_t i = 0; i < plain_; ++i) {
            DataType const type = tensor(operands_[i]).type.type;
            ranks.push_back(tensor(operands_[i]).shape.rank);
            if (!mayBe(type, step_.declared[i])) {
                disagree(fmt::format("type of input {}", i), nameOf(step_.declared[i]),
                         nameOf(type));
            }
        }
        declaredOutputs_.resize(step_.outputs.size());
        plugin_.outputTypes(step_.declared, ranks, declaredOutputs_);
        for (std::size_t i = 0; i < declaredOutputs_.size(); ++i) {
            DataType const type = tensor(step_.outputs[i]).type.type;
            if (!mayBe(type, declaredOutputs_[i])) {
                disagree(fmt::format("type of output {}", i), nameOf(declaredOutputs_[i]),
                         nameOf(type));
            }
        }
    }

    void askShapes() const {
        std::vector<graph::ShapeExpr> shapes;
        std::vector<graph::ShapeValues> values;
        for (std::size_t i = 0; i < step_.inputs.size(); ++i) {
            if (i < plain_) {
                shapes.push_back(exprs_.shapeOf(step_.inputs[i]));
            } else {
                values.push_back(exprs_.valuesOf(step_.inputs[i]));
            }
        }
        std::vector<graph::ShapeExpr> outputs(step_.outputs.size());
        std::vector<plugin::SizeTensor> sizes = exprs_.sizeTensorsOf(step_);
        plugin_.outputShapes(shapes, values, exprs_.pool(), outputs, sizes);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            graph::ShapeExpr const given = exprs_.shapeOf(step_.outputs[i]);
            if (!(given == outputs[i])) {
                std::string const expected = toText(graph::knownDims(exprs_.pool(), outputs[i]));
                std::string const got = toText(graph::knownDims(exprs_.pool(), given));
                disagree(fmt::format("shape of output {}", i), expected,
                         expected == got ? "other expressions of the inputs' shapes" : got);
            }
        }
    }

    plan::TensorId rootOf(plan::TensorId index) const {
        plan::TensorId const shared = tensor(index).sharesWith;
        return shared.isNone() ? index : shared;
    }

    void askAliases() const {
        for (std::size_t i = 0; i < step_.outputs.size(); ++i) {
            int32_t const input = plugin_.aliasedInput(static_cast<int32_t>(i));
            if (input >= inputs() ||
                (input >= 0 && rootOf(step_.inputs[static_cast<std::size_t>(input)]) !=
                                   rootOf(step_.outputs[i]))) {
                disagree(fmt::format("alias of output {}", i), fmt::format("input {}", input),
                         "memory of its own");
            }
        }
    }

    std::vector<DynamicPluginTensorDesc> described(ProfileShapes const& shapes) const {
        std::vector<DynamicPluginTensorDesc> descs;
        for (plan::TensorId const operand : operands_) {
            DynamicPluginTensorDesc desc{};
            desc.desc.dims = graph::knownDims(exprs_.pool(), exprs_.shapeOf(operand));
            desc.desc.type = tensor(operand).type.type;
            desc.desc.format = tensor(operand).type.format;
            desc.desc.scale = 1.0F;
            desc.min = shapes.min[operand];
            desc.opt = shapes.opt[operand];
            desc.max = shapes.max[operand];
            descs.push_back(desc);
        }
        return descs;
    }

    /// Checks that a plugin that lists its combinations lists the plan's combination.
    void askList(ProfileShapes const& united) const {
        std::vector<DynamicPluginTensorDesc> const descs = described(united);
        std::vector<DynamicPluginTensorDesc> shown = descs;
        for (std::size_t i = 0; i < shown.size(); ++i) {
            shown[i].desc.type = i < plain_ ? step_.declared[i] : declaredOutputs_[i - plain_];
            shown[i].desc.format = TensorFormat::kLINEAR;
        }
        std::vector<nvinfer1::PluginTensorDesc> const listed =
            plugin_.combinations(shown, inputs());
        for (std::size_t first = 0; first < listed.size(); first += descs.size()) {
            bool const equal = std::equal(
                descs.begin(), descs.end(), listed.begin() + static_cast<std::ptrdiff_t>(first),
                [](DynamicPluginTensorDesc const& own, nvinfer1::PluginTensorDesc const& other) {
                    return own.desc.type == other.type && own.desc.format == other.format;
                });
            if (equal) {
                return;
            }
        }
        disagree("types and formats", "a combination that it lists", "another");
    }

    void askFormats(ProfileShapes const& united) const {
        if (plugin_.listsCombinations()) {
            askList(united);
            return;
        }
        std::vector<DynamicPluginTensorDesc> const descs = described(united);
        std::vector<DynamicPluginTensorDesc> shown = descs;
        for (DynamicPluginTensorDesc& desc : shown) { // undecided until queried
            desc.desc.type = static_cast<DataType>(-1);
            desc.desc.format = static_cast<TensorFormat>(-1);
        }
        for (std::size_t i = 0; i < descs.size(); ++i) {
            shown[i].desc = descs[i].desc;
            if (!plugin_.supports(static_cast<int32_t>(i), shown, inputs())) {
                disagree(
                    i < plain_ ? fmt::format("type and format of input {}", i)
                               : fmt::format("type and format of output {}", i - plain_),
                    "another",
                    fmt::format("{} {}", nameOf(descs[i].desc.type), nameOf(descs[i].desc.format)));
            }
        }
    }

    plan::Document const& document_;
    PlanExprs& exprs_;
    plan::StepRecord const& step_;
    plugin::PluginOp& plugin_;
    std::size_t plain_;                    ///< number of inputs that are not shape inputs
    std::vector<plan::TensorId> operands_; ///< these inputs, then the outputs
    std::vector<DataType> declaredOutputs_;
};

/// Whether an earlier profile of the step has the same plugin.
bool askedBefore(plan::StepRecord const& step, std::size_t profile) {
    plan::PluginIndex const plugin = step.pluginFor(profile);
    for (std::size_t earlier = 0; earlier < profile; ++earlier) {
        if (step.pluginFor(earlier) == plugin) {
            return true;
        }
    }
    return false;
}

} // namespace

void askPlugins(plan::Document const& document,
                Table<plan::PluginIndex, std::unique_ptr<plugin::PluginOp>> const& plugins) {
    Table<plan::PluginIndex, bool> answers;
    for (auto const& plugin : plugins) {
        answers.add(plugin != nullptr && plugin->hasBuildPart());
    }
    if (std::none_of(answers.begin(), answers.end(), [](bool answer) { return answer; })) {
        return;
    }
    PlanExprs exprs(document);
    ProfileShapes const united = shapesOver(document, unitedProfile(document));
    std::size_t const profiles = std::max<std::size_t>(1, document.profiles.size());
    for (std::size_t profile = 0; profile < profiles; ++profile) {
        ProfileShapes const own =
            profiles == 1 ? united : shapesOver(document, document.profiles[profile]);
        for (plan::StepRecord const& step : document.steps) {
            if (step.plugin.isNone()) {
                continue;
            }
            plan::PluginIndex const index = step.pluginFor(profile);
            if (!answers[index]) {
                continue;
            }
            std::unique_ptr<plugin::PluginOp> const asked = plugins[index]->clone();
            Interview interview(document, exprs, step, *asked);
            if (!askedBefore(step, profile)) {
                interview.askRules(united);
            }
            interview.askBounds(own, profile, document.plugins[index].tactic);
        }
    }
}

} // namespace kiln::runtime
