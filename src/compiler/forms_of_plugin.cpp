// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/tensor_layout.h"
#include "compiler/form_choice.h"
#include "compiler/layer_forms.h"
#include "plugin/callback_name.h"
#include "plugin/plugin_layer.h"

namespace kiln::compiler {
namespace {

class PluginForms {
public:
    PluginForms(Program const& program, Extents const& extents,
                std::vector<Extents> const& profiles, Step const& step)
        : program_(program), extents_(extents), profiles_(profiles), step_(step) {}

    FormChoice run() {
        // A plugin that lists its combinations is tried with all formats at once.
        std::optional<std::vector<Combination>> const listed =
            listedCombinations(program_, extents_, step_);
        FormChoice choice;
        choice.options = accepted(listed);
        if (choice.options.empty()) {
            failForNone(listed.has_value());
        }
        warnIfCut(choice.options.size());
        choice.seconds.resize(choice.options.size(), 0.0);
        if (choice.options.size() > 1) {
            time(choice);
        }
        for (Combination& option : choice.options) {
            // From here on, an option covers all operands, including shape inputs.
            for (auto i = step_.inputs().size() - static_cast<std::size_t>(step_.shapeInputs);
                 i < step_.inputs().size(); ++i) {
                option.insert(option.begin() + static_cast<std::ptrdiff_t>(i),
                              program_.value(step_.inputs()[i]).type);
            }
        }
        return choice;
    }

private:
    /// The declared types and formats come first. A plugin that accepts only vectorized formats, or
    /// only half in a weakly typed float network, gets reformats and casts around it.
    std::vector<Combination> accepted(std::optional<std::vector<Combination>> const& listed) {
        std::vector<Combination> found;
        for (Reach const reach :
             {Reach::kDeclared, Reach::kAnyFloat, Reach::kAnyFormat, Reach::kAnything}) {
            bool const widens = reach == Reach::kAnyFloat || reach == Reach::kAnything;
            bool const skipped =
                listed.has_value() && (reach == Reach::kDeclared || reach == Reach::kAnyFloat);
            if (!found.empty() || skipped || (widens && program_.stronglyTyped)) {
                continue;
            }
            AllowedTypes const allowed = allowedTypes(reach);
            found =
                listed.has_value()
                    ? within(*listed, allowed, rejections_)
                    : combinationsOf(program_, extents_, step_, allowed, rejections_).combinations;
        }
        return found;
    }

    [[noreturn]] void failForNone(bool listed) const {
        fail(ErrorKind::kPlugin,
             "[plugin] layer '{}', plugin {}: {} takes no combination of "
             "types and formats that the network offers; it {}: {}{}.{} Accept one of them{}.",
             step_.name, step_.plugin->id().text(),
             plugin::nameOfCallback(step_.plugin->id(), listed ? "getSupportedFormatCombinations"
                                                               : "supportsFormatCombination"),
             listed ? "listed, and the network cannot give," : "refused", rejections_.text(),
             rejections_.cutAfter() == 0
                 ? std::string()
                 : fmt::format(" (combinations are left after {} questions, the most that are "
                               "asked)",
                               rejections_.cutAfter()),
             originsOf(),
             program_.stronglyTyped ? ", declare other outputs, or add cast layers around the "
                                      "plugin"
                                    : ", or declare other outputs");
    }

    void warnIfCut(std::size_t found) const {
        if (rejections_.cutAfter() > 0) {
            program_.options.log.warning(
                "[plugin] layer '{}', plugin {}: the search for types and formats ended after {} "
                "questions, the most that are asked; it found {} and left others untried. Let {} "
                "refuse an operand as soon as the operands before it rule it out, or raise {}.",
                step_.name, step_.plugin->id().text(), rejections_.cutAfter(), found,
                plugin::nameOfCallback(step_.plugin->id(), "supportsFormatCombination"),
                plugin::nameOfCallback(step_.plugin->id(), "getFormatCombinationLimit"));
        }
    }

    void time(FormChoice& choice) const {
        for (std::size_t i = 0; i < choice.options.size(); ++i) {
            std::vector<PluginTiming>& timings = choice.timings.emplace_back();
            for (Extents const& extents : profiles_) {
                timings.push_back(timePlugin(program_, extents, step_, choice.options[i]));
                choice.seconds[i] += timings.back().seconds / static_cast<double>(profiles_.size());
            }
        }
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

    AllowedTypes allowedTypes(Reach reach) const {
        bool const anyFormat = reach == Reach::kAnyFormat || reach == Reach::kAnything;
        bool const anyFloat = reach == Reach::kAnyFloat || reach == Reach::kAnything;
        AllowedTypes allowed;
        std::size_t const plain =
            step_.inputs().size() - static_cast<std::size_t>(step_.shapeInputs);
        for (std::size_t i = 0; i < step_.inputs().size() + step_.outputs().size(); ++i) {
            if (i >= plain && i < step_.inputs().size()) {
                continue; // plugins are not asked about shape inputs
            }
            Value const& value = program_.value(operandOf(step_, i));
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
    std::string originsOf() const {
        constexpr std::size_t kMostTold = 16;
        std::string text;
        std::size_t const plain =
            step_.inputs().size() - static_cast<std::size_t>(step_.shapeInputs);
        std::size_t const count = plain + step_.outputs().size();
        for (std::size_t i = 0; i < std::min(count, kMostTold); ++i) {
            ValueId const value = i < plain ? step_.inputs()[i] : step_.outputs()[i - plain];
            text += fmt::format("{} {} ('{}'): {}, {}", i == 0 ? " Operand" : "; operand", i,
                                program_.value(value).name, nameOf(program_.value(value).type.type),
                                originOf(value));
        }
        return text + (count > kMostTold ? "; and so on." : ".");
    }

    std::string originOf(ValueId value) const {
        Step const* const maker = program_.producerOf(value);
        if (maker == nullptr) {
            return program_.value(value).role == plan::TensorRole::kConstant
                       ? "a constant"
                       : "an input of the network";
        }
        if (maker == &step_) {
            return "declared by this plugin";
        }
        return maker->isPlugin()
                   ? fmt::format("declared by plugin {} of layer '{}'", maker->plugin->id().text(),
                                 maker->name)
                   : fmt::format("made by layer '{}' ({})", maker->name, maker->op->kind());
    }

    Program const& program_;
    Extents const& extents_;               ///< over all profiles
    std::vector<Extents> const& profiles_; ///< of each
    Step const& step_;
    Rejections rejections_;
};

} // namespace

FormChoice formsOfPlugin(Program const& program, Extents const& extents,
                         std::vector<Extents> const& profiles, Step const& step) {
    return PluginForms(program, extents, profiles, step).run();
}

} // namespace kiln::compiler
