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
#include "compiler/layer_forms.h"
#include "compiler/passes/passes.h"
#include "compiler/plugin_trial.h"
#include "plugin/callback_name.h"
#include "plugin/plugin_layer.h"

namespace kiln::compiler {
namespace {

// Cost model of a cast: one pass over memory and one more step, on a host and on a device.
struct CastCost {
    double bytesPerSecond;
    double stepSeconds;
};
constexpr CastCost kHostCast{8e9, 1e-6};
constexpr CastCost kDeviceCast{2e12, 2.5e-6};
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
        choices_.resize(program_.stepIdCount());
        for (StepId const id : program_.order()) {
            Step& step = program_.step(id);
            choices_[id] = step.isPlugin() ? optionsOfPlugin(step) : optionsOfLayer(step);
        }
        settle();
        for (StepId const id : program_.order()) {
            take(program_.step(id), choices_[id]);
        }
    }

private:
    ValueId operand(Step const& step, std::size_t index) const {
        return index < step.inputs().size() ? step.inputs()[index]
                                            : step.outputs()[index - step.inputs().size()];
    }

    Choice optionsOfLayer(Step const& step) {
        Choice choice;
        choice.options = layerForms(program_, step);
        if (choice.options.size() == 1) {
            choice.seconds = {0.0};
            return choice;
        }
        Choice usable;
        for (Combination const& option : choice.options) {
            if (offeredIn(step, option)) {
                usable.options.push_back(option);
            }
        }
        if (usable.options.size() <= 1) {
            usable = usable.options.empty() ? Choice{{choice.options.front()}, {}, {}, 0} : usable;
            usable.seconds = {0.0};
            return usable; // if none, chooseKernels says why
        }
        Choice timed;
        for (Combination const& option : usable.options) {
            KernelChoice const& kernel = kernelFor(step, option);
            if (kernel.found) {
                timed.options.push_back(option);
                timed.seconds.push_back(kernel.seconds);
            }
        }
        return timed.options.empty() ? Choice{{choice.options.front()}, {0.0}, {}, 0} : timed;
    }

    /// Whether the target has a kernel for the step in this form.
    bool offeredIn(Step const& step, Combination const& form) const {
        std::vector<target::OperandSpec> const specs = specsIn(program_, extents_, step, form);
        std::span<target::OperandSpec const> const all(specs);
        std::vector<target::Candidate> const candidates =
            program_.backend.candidates({*step.op, step.name, all.first(step.inputs().size()),
                                         all.subspan(step.inputs().size())});
        return std::any_of(candidates.begin(), candidates.end(),
                           [](target::Candidate const& one) { return one.offered(); });
    }

    KernelChoice const& kernelFor(Step const& step, Combination const& form) {
        std::vector<target::OperandSpec> const specs = specsIn(program_, extents_, step, form);
        std::span<target::OperandSpec const> const all(specs);
        return chooser_.choose(*step.op, step.name, all.first(step.inputs().size()),
                               all.subspan(step.inputs().size()), KernelChooser::Timing::kAll);
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
        std::size_t const plain = step.inputs().size() - static_cast<std::size_t>(step.shapeInputs);
        for (std::size_t i = 0; i < step.inputs().size() + step.outputs().size(); ++i) {
            if (i >= plain && i < step.inputs().size()) {
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
        std::size_t const plain = step.inputs().size() - static_cast<std::size_t>(step.shapeInputs);
        std::size_t const count = plain + step.outputs().size();
        for (std::size_t i = 0; i < std::min(count, kMostTold); ++i) {
            ValueId const value = i < plain ? step.inputs()[i] : step.outputs()[i - plain];
            text += fmt::format("{} {} ('{}'): {}, {}", i == 0 ? " Operand" : "; operand", i,
                                program_.value(value).name, nameOf(program_.value(value).type.type),
                                originOf(value, step));
        }
        return text + (count > kMostTold ? "; and so on." : ".");
    }

    std::string originOf(ValueId value, Step const& asked) const {
        Step const* const maker = program_.producerOf(value);
        if (maker == nullptr) {
            return program_.value(value).role == plan::TensorRole::kConstant
                       ? "a constant"
                       : "an input of the network";
        }
        if (maker == &asked) {
            return "declared by this plugin";
        }
        return maker->isPlugin()
                   ? fmt::format("declared by plugin {} of layer '{}'", maker->plugin->id().text(),
                                 maker->name)
                   : fmt::format("made by layer '{}' ({})", maker->name, maker->op->kind());
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
            for (auto i = step.inputs().size() - static_cast<std::size_t>(step.shapeInputs);
                 i < step.inputs().size(); ++i) {
                option.insert(option.begin() + static_cast<std::ptrdiff_t>(i),
                              program_.value(step.inputs()[i]).type);
            }
        }
        return choice;
    }

    double castSeconds(ValueId value, target::OperandType from, target::OperandType to) const {
        DataType const a = from.type;
        DataType const b = to.type;
        Value const& own = program_.value(value);
        if (from == to || own.role == plan::TensorRole::kConstant) {
            return 0.0; // constants are converted at build time
        }
        double bytes = (bitsOf(a) + bitsOf(b)) / 8.0;
        Dims const& dims = extents_.opt[value];
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            bytes *= static_cast<double>(dims.d[i]);
        }
        CastCost const cost = program_.backend.readsHostMemory() ? kHostCast : kDeviceCast;
        return cost.stepSeconds + bytes / cost.bytesPerSecond;
    }

    /// The type in which a value is produced, by the current choices.
    target::OperandType madeAs(ValueId value) const {
        StepId const id = program_.value(value).producer();
        if (id == StepId::kNone) {
            return program_.value(value).type;
        }
        Step const& step = program_.step(id);
        auto const output = std::find(step.outputs().begin(), step.outputs().end(), value);
        return choices_[id].types()[step.inputs().size() +
                                    static_cast<std::size_t>(output - step.outputs().begin())];
    }

    double costOf(StepId id, std::size_t option) const {
        Step const& step = program_.step(id);
        Combination const& types = choices_[id].options[option];
        double cost = choices_[id].seconds[option];
        for (std::size_t i = 0; i < step.inputs().size(); ++i) {
            Value const& value = program_.value(step.inputs()[i]);
            cost += castSeconds(step.inputs()[i], madeAs(step.inputs()[i]), types[i]);
            if (value.direct && value.role == plan::TensorRole::kInput && value.type != types[i]) {
                cost += kForbiddenSeconds;
            }
        }
        for (std::size_t i = 0; i < step.outputs().size(); ++i) {
            cost += castsOf(step.outputs()[i], types[step.inputs().size() + i]);
        }
        return cost;
    }

    /// Sweeps from several starting points and keeps the best result: a sweep changes one step at a
    /// time, and a chain of convolutions is only faster in another format as a whole.
    void settle() {
        std::vector<std::vector<std::size_t>> const starts{
            startingAt([](Choice const&) { return std::size_t{0}; }),
            startingAt([](Choice const& choice) {
                auto const least = std::min_element(choice.seconds.begin(), choice.seconds.end());
                return static_cast<std::size_t>(least - choice.seconds.begin());
            }),
            startingAt([](Choice const& choice) {
                auto const isLast = [](target::OperandType type) {
                    return type.format == TensorFormat::kHWC || type.format == TensorFormat::kDHWC;
                };
                for (std::size_t i = 0; i < choice.options.size(); ++i) {
                    if (std::any_of(choice.options[i].begin(), choice.options[i].end(), isLast)) {
                        return i;
                    }
                }
                return std::size_t{0};
            }),
        };
        std::vector<std::size_t> best;
        double least = 0.0;
        for (std::vector<std::size_t> const& start : starts) {
            assign(start);
            sweep();
            double const seconds = total();
            if (best.empty() || seconds < least) {
                least = seconds;
                best = taken();
            }
        }
        assign(best);
    }

    template <typename Pick>
    std::vector<std::size_t> startingAt(Pick const& pick) const {
        std::vector<std::size_t> start;
        for (Choice const& choice : choices_) {
            start.push_back(choice.options.empty() ? 0 : pick(choice));
        }
        return start;
    }

    void assign(std::vector<std::size_t> const& options) {
        std::size_t i = 0;
        for (Choice& choice : choices_) {
            choice.taken = options[i++];
        }
    }

    std::vector<std::size_t> taken() const {
        std::vector<std::size_t> options;
        for (Choice const& choice : choices_) {
            options.push_back(choice.taken);
        }
        return options;
    }

    void sweep() {
        bool changed = true;
        for (int32_t round = 0; changed && round < kMostSweeps; ++round) {
            changed = false;
            for (StepId const id : program_.order()) {
                Choice& choice = choices_[id];
                std::size_t best = choice.taken;
                double least = choice.options.size() > 1 ? costOf(id, best) : 0.0;
                for (std::size_t option = 0;
                     choice.options.size() > 1 && option < choice.options.size(); ++option) {
                    double const cost = costOf(id, option);
                    if (cost < least) {
                        least = cost;
                        best = option;
                    }
                }
                changed = changed || best != choice.taken;
                choice.taken = best;
            }
        }
    }

    /// Time of the whole program with the current choices, casts and reformats included.
    double total() const {
        double seconds = 0.0;
        for (StepId const id : program_.order()) {
            seconds += choices_[id].seconds[choices_[id].taken] + castsBehind(id);
            Step const& step = program_.step(id);
            for (std::size_t i = 0; i < step.inputs().size(); ++i) {
                if (program_.producerOf(step.inputs()[i]) == nullptr) {
                    seconds += castSeconds(step.inputs()[i], madeAs(step.inputs()[i]),
                                           choices_[id].types()[i]);
                }
            }
        }
        return seconds;
    }

    /// Casts and reformats of a step's outputs for their users, with the current choices.
    double castsBehind(StepId id) const {
        Step const& step = program_.step(id);
        double seconds = 0.0;
        for (std::size_t i = 0; i < step.outputs().size(); ++i) {
            seconds += castsOf(step.outputs()[i], choices_[id].types()[step.inputs().size() + i]);
        }
        return seconds;
    }

    /// Casts and reformats of one value that is made as `made`. One serves all users of a type.
    double castsOf(ValueId value, target::OperandType made) const {
        double seconds = 0.0;
        Value const& own = program_.value(value);
        if (own.role == plan::TensorRole::kOutput) {
            seconds += castSeconds(value, made, own.type);
            seconds += own.direct && made != own.type ? kForbiddenSeconds : 0.0;
        }
        std::vector<target::OperandType> wanted;
        for (Use const& use : own.users()) {
            target::OperandType const& type = choices_[use.step].types()[use.operand];
            if (std::find(wanted.begin(), wanted.end(), type) == wanted.end()) {
                wanted.push_back(type);
                seconds += castSeconds(value, made, type);
            }
        }
        return seconds;
    }

    void take(Step& step, Choice& choice) {
        Combination const& types = choice.types();
        step.kernel.inputs.assign(
            types.begin(), types.begin() + static_cast<std::ptrdiff_t>(step.inputs().size()));
        step.kernel.outputs.assign(
            types.begin() + static_cast<std::ptrdiff_t>(step.inputs().size()), types.end());
        if (!step.isPlugin()) {
            return;
        }
        Combination asked = types;
        asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(step.inputs().size()) -
                        step.shapeInputs,
                    asked.begin() + static_cast<std::ptrdiff_t>(step.inputs().size()));
        for (std::size_t i = 0;
             i < step.inputs().size() - static_cast<std::size_t>(step.shapeInputs); ++i) {
            step.declared.push_back(program_.value(step.inputs()[i]).type.type);
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
        step.recordOf.push_back(static_cast<std::size_t>(known - step.records.begin()));
        if (known == step.records.end()) {
            step.records.push_back(std::move(record));
        }
    }

    Program& program_;
    KernelChooser& chooser_;
    Extents extents_;               ///< over all profiles
    std::vector<Extents> profiles_; ///< of each
    Table<StepId, Choice> choices_;
};

} // namespace

void assignTypes(Program& program, KernelChooser& chooser) {
    TypeAssigner(program, chooser).run();
}

} // namespace kiln::compiler
