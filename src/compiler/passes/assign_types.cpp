// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Chooses element types. In a strongly typed network the layers fix the types, and plugins only
// accept or refuse them. In a weakly typed network each layer has options (float, half, bfloat16,
// as the builder flags allow). The cost of an option is its measured time plus the casts to and
// from the current choices of its neighbours. Choices are revised until none changes, which takes a
// few sweeps and gives a local optimum.
#include <algorithm>

#include "base/tensor_layout.h"
#include "compiler/aot.h"
#include "compiler/passes/passes.h"
#include "compiler/plugin_trial.h"
#include "plugin/callback_name.h"
#include "plugin/plugin_layer.h"

namespace kiln::compiler {
namespace {

// Cost model of a cast: one pass over memory and one more step.
constexpr double kCastBytesPerSecond = 8e9;
constexpr double kStepSeconds = 1e-6;
constexpr int32_t kMostSweeps = 8;
constexpr double kForbiddenSeconds = 1e6; ///< of a cast that insertCasts() would refuse

struct Choice {
    std::vector<Combination> options;
    std::vector<double> seconds;
    /// For timed plugins, by option and profile: the tactic, and the code that its trial compiled.
    std::vector<std::vector<PluginTiming>> timings;
    std::size_t taken = 0;

    Combination const& types() const { return options[taken]; }
};

class TypeAssigner {
public:
    TypeAssigner(Program& program, KernelChooser& chooser)
        : program_(program), chooser_(chooser), extents_(extentsOf(program)) {
        for (Ranges const& ranges : program.profiles) {
            profiles_.push_back(extentsOf(program, ranges));
        }
    }

    void run() {
        for (std::size_t i = 0; i < program_.steps.size(); ++i) {
            indexUsers(i);
        }
        for (Step& step : program_.steps) {
            choices_.push_back(step.isPlugin() ? optionsOfPlugin(step) : optionsOfLayer(step));
        }
        settle();
        for (std::size_t i = 0; i < program_.steps.size(); ++i) {
            take(program_.steps[i], choices_[i]);
        }
    }

private:
    struct Use {
        std::size_t step;
        std::size_t operand;
    };

    void indexUsers(std::size_t index) {
        Step const& step = program_.steps[index];
        users_.resize(program_.values.size());
        producers_.resize(program_.values.size(), Use{SIZE_MAX, 0});
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            users_[static_cast<std::size_t>(step.inputs[i])].push_back({index, i});
        }
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            producers_[static_cast<std::size_t>(step.outputs[i])] = {index, step.inputs.size() + i};
        }
    }

    int32_t operand(Step const& step, std::size_t index) const {
        return index < step.inputs.size() ? step.inputs[index]
                                          : step.outputs[index - step.inputs.size()];
    }

    Combination declared(Step const& step) const {
        Combination types;
        for (std::size_t i = 0; i < step.inputs.size() + step.outputs.size(); ++i) {
            types.push_back(program_.value(operand(step, i)).type);
        }
        return types;
    }

    /// Types of a layer's operands if it computes in `type` instead of float.
    static Combination computedIn(DataType type, Step const& step, Combination types) {
        auto const inputs = static_cast<int32_t>(step.inputs.size());
        for (std::size_t i = 0; i < types.size(); ++i) {
            bool const free =
                step.op->typeRule(static_cast<int32_t>(i), inputs) == graph::TypeRule::kCompute;
            if (free && types[i].type == DataType::kFLOAT) {
                types[i].type = type;
            }
        }
        return types;
    }

    Choice optionsOfLayer(Step const& step) {
        Choice choice;
        Combination plain = declared(step);
        for (target::OperandType& type : plain) {
            type.format = TensorFormat::kLINEAR; // the only format that layers support
        }
        choice.options.push_back(plain);
        for (auto const& [type, allowed] :
             {std::pair(DataType::kHALF, program_.options.allowHalf),
              std::pair(DataType::kBF16, program_.options.allowBfloat16)}) {
            Combination const narrow = computedIn(type, step, plain);
            if (allowed && !program_.stronglyTyped && narrow != plain) {
                choice.options.push_back(narrow);
            }
        }
        if (choice.options.size() == 1) {
            choice.seconds = {0.0};
            return choice;
        }
        Choice usable;
        for (Combination const& option : choice.options) {
            KernelChoice const& kernel = kernelFor(step, option);
            if (kernel.found) {
                usable.options.push_back(option);
                usable.seconds.push_back(kernel.seconds);
            }
        }
        return usable.options.empty() ? choice : usable; // if none, chooseKernels says why
    }

    KernelChoice const& kernelFor(Step const& step, Combination const& types) {
        std::vector<target::OperandSpec> specs;
        for (std::size_t i = 0; i < types.size(); ++i) {
            specs.push_back(i < step.inputs.size()
                                ? specOf(program_, extents_, operand(step, i))
                                : outputSpecOf(program_, extents_, step, operand(step, i)));
            if (specs.back().constant && specs.back().type != types[i]) {
                specs.back().constant = false; // its data still has the old type
            }
            specs.back().type = types[i];
        }
        std::span<target::OperandSpec const> const all(specs);
        return chooser_.choose(*step.op, step.name, all.first(step.inputs.size()),
                               all.subspan(step.inputs.size()));
    }

    /// How far the offered types and formats may differ from those that the network declares.
    enum class Reach { kDeclared, kAnyFormat, kAnyFloat, kAnything };

    std::vector<DataType> allowedElements(DataType type, bool anyFloat) const {
        std::vector<DataType> types{type};
        bool const single = type == DataType::kFLOAT;
        bool const free = anyFloat && isFloating(type);
        auto const offer = [&](DataType other, bool allowed) {
            if (!program_.stronglyTyped && other != type && (free || allowed)) {
                types.push_back(other);
            }
        };
        offer(DataType::kFLOAT, false);
        offer(DataType::kHALF, single && program_.options.allowHalf);
        offer(DataType::kBF16, single && program_.options.allowBfloat16);
        return types;
    }

    AllowedTypes allowedTypes(Step const& step, Reach reach) const {
        bool const anyFormat = reach == Reach::kAnyFormat || reach == Reach::kAnything;
        bool const anyFloat = reach == Reach::kAnyFloat || reach == Reach::kAnything;
        AllowedTypes allowed;
        std::size_t const plain = step.inputs.size() - static_cast<std::size_t>(step.shapeInputs);
        for (std::size_t i = 0; i < step.inputs.size() + step.outputs.size(); ++i) {
            if (i >= plain && i < step.inputs.size()) {
                continue; // plugins are not asked about shape inputs
            }
            Value const& value = program_.value(operand(step, i));
            std::vector<target::OperandType> types;
            for (DataType const type : allowedElements(value.type.type, anyFloat)) {
                types.push_back({type, value.type.format});
            }
            for (int32_t f = 0; anyFormat && f < nvinfer1::EnumMax<TensorFormat>(); ++f) {
                auto const format = static_cast<TensorFormat>(f);
                for (DataType const type : allowedElements(value.type.type, anyFloat)) {
                    if (format != value.type.format && fitsFormat(format, type, value.shape.rank)) {
                        types.push_back({type, format});
                    }
                }
            }
            allowed.push_back(std::move(types));
        }
        return allowed;
    }

    /// Where the offered types come from: " Operand 0 ('x'): float32, an input of the network;
    /// operand 1 ('y'): float16, declared by this plugin."
    std::string originsOf(Step const& step) const {
        constexpr std::size_t kMostTold = 16;
        std::string text;
        std::size_t const plain = step.inputs.size() - static_cast<std::size_t>(step.shapeInputs);
        std::size_t const count = plain + step.outputs.size();
        for (std::size_t i = 0; i < std::min(count, kMostTold); ++i) {
            int32_t const value = i < plain ? step.inputs[i] : step.outputs[i - plain];
            text += fmt::format("{} {} ('{}'): {}, {}", i == 0 ? " Operand" : "; operand", i,
                                program_.value(value).name, nameOf(program_.value(value).type.type),
                                originOf(value, step));
        }
        return text + (count > kMostTold ? "; and so on." : ".");
    }

    std::string originOf(int32_t value, Step const& asked) const {
        Use const& made = producers_[static_cast<std::size_t>(value)];
        if (made.step == SIZE_MAX) {
            return program_.value(value).role == plan::TensorRole::kConstant
                       ? "a constant"
                       : "an input of the network";
        }
        Step const& maker = program_.steps[made.step];
        if (&maker == &asked) {
            return "declared by this plugin";
        }
        return maker.isPlugin()
                   ? fmt::format("declared by plugin {} of layer '{}'", maker.plugin->id().text(),
                                 maker.name)
                   : fmt::format("made by layer '{}' ({})", maker.name, maker.op->kind());
    }

    Choice optionsOfPlugin(Step& step) {
        Rejections rejections;
        Choice choice;
        // The declared types and formats come first. A plugin that accepts only vectorized formats,
        // or only half in a weakly typed float network, gets reformats and casts around it. A
        // plugin that lists its combinations is tried with all formats at once.
        std::optional<std::vector<Combination>> const listed =
            listedCombinations(program_, extents_, step);
        for (Reach const reach :
             {Reach::kDeclared, Reach::kAnyFloat, Reach::kAnyFormat, Reach::kAnything}) {
            bool const widens = reach == Reach::kAnyFloat || reach == Reach::kAnything;
            bool const skipped =
                listed.has_value() && (reach == Reach::kDeclared || reach == Reach::kAnyFloat);
            if (!choice.options.empty() || skipped || (widens && program_.stronglyTyped)) {
                continue;
            }
            AllowedTypes const allowed = allowedTypes(step, reach);
            choice.options =
                listed.has_value()
                    ? within(*listed, allowed, rejections)
                    : combinationsOf(program_, extents_, step, allowed, rejections).combinations;
        }
        if (choice.options.empty()) {
            fail(ErrorKind::kPlugin,
                 "[plugin] layer '{}', plugin {}: {} takes no combination of "
                 "types and formats that the network offers; it {}: {}{}.{} Accept one of them{}.",
                 step.name, step.plugin->id().text(),
                 plugin::nameOfCallback(step.plugin->id(), listed.has_value()
                                                               ? "getSupportedFormatCombinations"
                                                               : "supportsFormatCombination"),
                 listed.has_value() ? "listed, and the network cannot give," : "refused",
                 rejections.text(),
                 rejections.cutAfter() == 0
                     ? std::string()
                     : fmt::format(" (combinations are left after {} questions, the most that are "
                                   "asked)",
                                   rejections.cutAfter()),
                 originsOf(step),
                 program_.stronglyTyped ? ", declare other outputs, or add cast layers around the "
                                          "plugin"
                                        : ", or declare other outputs");
        }
        if (rejections.cutAfter() > 0) {
            program_.options.log.warning(
                "[plugin] layer '{}', plugin {}: the search for types and formats ended after {} "
                "questions, the most that are asked; it found {} and left others untried. Let {} "
                "refuse an operand as soon as the operands before it rule it out, or raise {}.",
                step.name, step.plugin->id().text(), rejections.cutAfter(), choice.options.size(),
                plugin::nameOfCallback(step.plugin->id(), "supportsFormatCombination"),
                plugin::nameOfCallback(step.plugin->id(), "getFormatCombinationLimit"));
        }
        choice.seconds.resize(choice.options.size(), 0.0);
        if (choice.options.size() > 1) {
            for (std::size_t i = 0; i < choice.options.size(); ++i) {
                std::vector<PluginTiming>& timings = choice.timings.emplace_back();
                for (Extents const& extents : profiles_) {
                    timings.push_back(timePlugin(program_, extents, step, choice.options[i]));
                    choice.seconds[i] +=
                        timings.back().seconds / static_cast<double>(profiles_.size());
                }
            }
        }
        for (Combination& option : choice.options) {
            // From here on, an option covers all operands, including shape inputs.
            for (auto i = step.inputs.size() - static_cast<std::size_t>(step.shapeInputs);
                 i < step.inputs.size(); ++i) {
                option.insert(option.begin() + static_cast<std::ptrdiff_t>(i),
                              program_.value(step.inputs[i]).type);
            }
        }
        return choice;
    }

    double castSeconds(int32_t value, target::OperandType from, target::OperandType to) const {
        DataType const a = from.type;
        DataType const b = to.type;
        Value const& own = program_.value(value);
        if (from == to || own.role == plan::TensorRole::kConstant) {
            return 0.0; // constants are converted at build time
        }
        double bytes = (bitsOf(a) + bitsOf(b)) / 8.0;
        Dims const& dims = extents_.opt[static_cast<std::size_t>(value)];
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            bytes *= static_cast<double>(dims.d[i]);
        }
        return kStepSeconds + bytes / kCastBytesPerSecond;
    }

    /// The type in which a value is produced, by the current choices.
    target::OperandType madeAs(int32_t value) const {
        Use const& made = producers_[static_cast<std::size_t>(value)];
        return made.step == SIZE_MAX ? program_.value(value).type
                                     : choices_[made.step].types()[made.operand];
    }

    double costOf(std::size_t index, std::size_t option) const {
        Step const& step = program_.steps[index];
        Combination const& types = choices_[index].options[option];
        double cost = choices_[index].seconds[option];
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            Value const& value = program_.value(step.inputs[i]);
            cost += castSeconds(step.inputs[i], madeAs(step.inputs[i]), types[i]);
            if (value.direct && value.role == plan::TensorRole::kInput && value.type != types[i]) {
                cost += kForbiddenSeconds;
            }
        }
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            int32_t const value = step.outputs[i];
            target::OperandType const made = types[step.inputs.size() + i];
            if (program_.value(value).role == plan::TensorRole::kOutput) {
                cost += castSeconds(value, made, program_.value(value).type);
                bool const forbidden = program_.value(value).direct;
                cost += forbidden && made != program_.value(value).type ? kForbiddenSeconds : 0.0;
            }
            std::vector<target::OperandType> wanted; // one cast serves all users of a type
            for (Use const& use : users_[static_cast<std::size_t>(value)]) {
                target::OperandType const& type = choices_[use.step].types()[use.operand];
                if (std::find(wanted.begin(), wanted.end(), type) == wanted.end()) {
                    wanted.push_back(type);
                    cost += castSeconds(value, made, type);
                }
            }
        }
        return cost;
    }

    void settle() {
        bool changed = true;
        for (int32_t sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
            changed = false;
            for (std::size_t i = 0; i < choices_.size(); ++i) {
                std::size_t best = choices_[i].taken;
                for (std::size_t option = 0; option < choices_[i].options.size(); ++option) {
                    if (costOf(i, option) < costOf(i, best)) {
                        best = option;
                    }
                }
                changed = changed || best != choices_[i].taken;
                choices_[i].taken = best;
            }
        }
    }

    void take(Step& step, Choice& choice) {
        Combination const& types = choice.types();
        step.kernel.inputs.assign(types.begin(),
                                  types.begin() + static_cast<std::ptrdiff_t>(step.inputs.size()));
        step.kernel.outputs.assign(types.begin() + static_cast<std::ptrdiff_t>(step.inputs.size()),
                                   types.end());
        if (!step.isPlugin()) {
            return;
        }
        Combination asked = types;
        asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(step.inputs.size()) -
                        step.shapeInputs,
                    asked.begin() + static_cast<std::ptrdiff_t>(step.inputs.size()));
        for (std::size_t i = 0; i < step.inputs.size() - static_cast<std::size_t>(step.shapeInputs);
             ++i) {
            step.declared.push_back(program_.value(step.inputs[i]).type.type);
        }
        std::vector<Final> chosen;
        for (std::size_t profile = 0; profile < profiles_.size(); ++profile) {
            chosen.push_back(finalFor(step, choice, asked, profile));
        }
        std::string const said = chosen.front().configured.plugin->metadata();
        step.metadata += (step.metadata.empty() || said.empty() ? "" : "; ") + said;
        // The first profile's copy replaces the one that answered the questions about types.
        step.plugin = std::move(chosen.front().configured.plugin);
        for (std::size_t profile = 0; profile < profiles_.size(); ++profile) {
            plugin::PluginOp& plugin =
                profile == 0 ? *step.plugin : *chosen[profile].configured.plugin;
            save(step, plugin, asked, chosen[profile], profiles_[profile]);
        }
    }

    /// A plugin that is configured for one profile, and its timing.
    struct Final {
        ConfiguredPlugin configured;
        PluginTiming timing;
    };

    Final finalFor(Step const& step, Choice& choice, Combination const& asked,
                   std::size_t profile) {
        Final result;
        result.configured = configured(program_, profiles_[profile], step, asked);
        std::vector<int32_t> const& tactics = result.configured.tactics;
        result.timing.tactic = tactics.empty() ? 0 : tactics.front();
        bool const timed = !choice.timings.empty();
        if (timed) {
            result.timing = std::move(choice.timings[choice.taken][profile]);
        }
        int32_t const tactic = result.timing.tactic;
        bool const offered =
            tactic == 0 ? tactics.empty()
                        : std::find(tactics.begin(), tactics.end(), tactic) != tactics.end();
        if ((!timed && tactics.size() > 1) || !offered) {
            result.timing = timePlugin(program_, profiles_[profile], step, asked, &tactics);
        }
        return result;
    }

    /// Saves the plugin of one profile. Profiles with equal records share one.
    void save(Step& step, plugin::PluginOp& plugin, Combination const& asked, Final& final,
              Extents const& extents) {
        step.workspaceBytes = std::max(step.workspaceBytes, final.configured.workspaceBytes);
        plugin.initialize();
        step.op.reset();
        plugin::PluginRecord record = plugin.save();
        record.layer = step.name;
        record.tactic = final.timing.tactic;
        if (plugin.aheadOfTime()) {
            record.code = final.timing.code.empty()
                              ? compileAot(program_, extents, step, plugin, asked, record.tactic)
                              : std::move(final.timing.code);
        }
        plugin.terminate();
        auto const known = std::find(step.records.begin(), step.records.end(), record);
        step.recordOf.push_back(static_cast<int32_t>(known - step.records.begin()));
        if (known == step.records.end()) {
            step.records.push_back(std::move(record));
        }
    }

    Program& program_;
    KernelChooser& chooser_;
    Extents extents_;               ///< over all profiles
    std::vector<Extents> profiles_; ///< of each
    std::vector<Choice> choices_;
    std::vector<std::vector<Use>> users_;
    std::vector<Use> producers_;
};

} // namespace

void assignTypes(Program& program, KernelChooser& chooser) {
    TypeAssigner(program, chooser).run();
}

} // namespace kiln::compiler
