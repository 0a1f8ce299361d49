// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>

#include "compiler/constants.h"
#include "compiler/passes/passes.h"
#include "compiler/region_step.h"
#include "compiler/rewriter.h"
#include "graph/ops/convolution.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/matrix_multiply.h"

namespace kiln::compiler {
namespace {

/// Seconds below which estimates decide: the noise of times exceeds what may be gained.
constexpr double kWorthMeasuring = 4e-6;

/// Estimates that differ by less say nothing; narrow weights take less memory.
constexpr double kAlike = 1.1;

/// Without a GPU to measure on, estimates must differ so much: the kernels may be slower than they.
constexpr double kSurelyFaster = 0.5;

/// Whether the environment wants quantized operands wherever the target takes them.
bool alwaysKeeps() {
    char const* const text = std::getenv("KILN_KEEP_QUANTIZED");
    return text != nullptr && std::string_view(text) == "1";
}

class Keeper {
public:
    Keeper(Program& program, KernelChooser* chooser)
        : program_(program), rewriter_(program), chooser_(chooser) {}

    void run() {
        if (!findReshaped()) {
            return;
        }
        std::vector<StepId> const anchors = find();
        if (anchors.empty()) {
            return;
        }
        constexpr std::array<std::string_view, 2> kFirst{"align_scale", "fold_constants"};
        rewrite(program_, kFirst);
        for (StepId const id : anchors) {
            if (isWhole(id)) {
                own(id);
            }
        }
        Extents const extents = extentsOf(program_);
        for (StepId const id : anchors) {
            if (isWhole(id)) {
                decide(id, extents);
            }
        }
    }

private:
    StepId dequantizationOf(ValueId value) const {
        StepId const id = program_.value(value).producer();
        return id != StepId::kNone && program_.step(id).as<graph::Dequantize>() != nullptr &&
                       program_.value(value).isPrivate()
                   ? id
                   : StepId::kNone;
    }

    /// Of the first operand, and of the second.
    Members sourcesOf(StepId anchor) const {
        Step const& step = program_.step(anchor);
        return {dequantizationOf(step.inputs()[0]), dequantizationOf(step.inputs()[1])};
    }

    /// Whether the second operand was not folded.
    bool isWhole(StepId anchor) const {
        return !program_.isErased(anchor) && sourcesOf(anchor)[1] != StepId::kNone;
    }

    /// Why the target does not run the anchor with these dequantizations, or not faster; empty if
    /// it does.
    std::string refusalOf(Members members, StepId anchor, Extents const& extents) {
        members.push_back(anchor);
        Step const region = regionStep(program_, members);
        if (region.outputs().empty()) {
            return "it gives nothing";
        }
        Offer const offer = offerForRegion(program_, extents, region);
        bool const onHost = program_.device != nullptr && program_.device->isHost();
        return !offer.isThere() || onHost || alwaysKeeps()
                   ? offer.refusal
                   : slowness(anchor, members.front(), extents, region, offer);
    }

    /// Empty if the region takes less time than the anchor with folded weights, and with `first`,
    /// the dequantization of its first operand, in front if there is one.
    std::string slowness(StepId anchor, StepId first, Extents const& extents, Step const& region,
                         Offer const& offer) {
        std::optional<Step> const plain = withFoldedWeights(anchor);
        if (!plain.has_value()) {
            return {};
        }
        Extents const all = extentsOf(program_); // also of the folded weights
        Offer const parts = offerFor(program_, all, *plain);
        bool const isAhead = first != sourcesOf(anchor)[1];
        double whole = offer.seconds;
        double other = parts.seconds + (isAhead ? secondsOf(first, extents) : 0.0);
        bool const measures = chooser_ != nullptr && program_.device != nullptr &&
                              parts.isThere() && std::max(whole, other) >= kWorthMeasuring;
        if (measures) {
            whole = measured(extents, region);
            other =
                measured(all, *plain) + (isAhead ? measured(extents, program_.step(first)) : 0.0);
        }
        double const factor = measures ? 1.0 : program_.device == nullptr ? kSurelyFaster : kAlike;
        if (!parts.isThere() || whole <= factor * other) {
            return {};
        }
        return fmt::format("{:.1f} us, {:.1f} us with folded weights, by {}", 1e6 * whole,
                           1e6 * other, measures ? "measurement" : "estimates");
    }

    double secondsOf(StepId step, Extents const& extents) const {
        Offer const offer = offerFor(program_, extents, program_.step(step));
        return offer.isThere() ? offer.seconds : 0.0;
    }

    /// The fastest kernel in any form.
    double measured(Extents const& extents, Step const& step) {
        double best = std::numeric_limits<double>::infinity(); // none runs it
        for (Combination const& form : layerForms(program_, extents, step)) {
            std::vector<target::OperandSpec> const specs = specsIn(program_, extents, step, form);
            std::span<target::OperandSpec const> const all(specs);
            KernelChoice const& choice =
                chooser_->choose(*step.op, step.name, all.first(step.inputs().size()),
                                 all.subspan(step.inputs().size()), KernelChooser::Timing::kAll);
            best = choice.found ? std::min(best, choice.seconds) : best;
        }
        return best;
    }

    /// The anchor with the weights that its dequantization gives; nothing if they are not constant.
    std::optional<Step> withFoldedWeights(StepId anchor) {
        Step const& step = program_.step(anchor);
        StepId const source = dequantizationOf(step.inputs()[1]);
        bool const constant = std::all_of(
            program_.step(source).inputs().begin(), program_.step(source).inputs().end(),
            [&](ValueId id) { return program_.value(id).role == plan::TensorRole::kConstant; });
        target::RecipePtr recipe = constant ? recipeOf(program_, program_.step(source)) : nullptr;
        if (recipe == nullptr) {
            return std::nullopt;
        }
        Value const& wide = program_.value(step.inputs()[1]);
        Value folded;
        folded.name = wide.name;
        folded.origin = wide.origin;
        folded.role = plan::TensorRole::kConstant;
        folded.type = wide.type;
        folded.shape = wide.shape;
        folded.recipe = std::move(recipe);
        std::vector<ValueId> inputs = step.inputs();
        inputs[1] = program_.addValue(std::move(folded));
        Step plain(std::move(inputs), std::vector<ValueId>(step.outputs()));
        plain.name = program_.step(anchor).name;
        plain.op = program_.step(anchor).op->clone();
        plain.pinned = program_.step(anchor).pinned;
        return plain;
    }

    void decide(StepId id, Extents const& extents) {
        Members const sources = sourcesOf(id);
        std::string refusal = "its first operand is not dequantized";
        if (sources[0] != StepId::kNone && sources[0] != sources[1]) {
            refusal = refusalOf(sources, id, extents);
        }
        if (!refusal.empty() && takesNarrowWeights(id)) {
            std::string const more = refusalOf({sources[1]}, id, extents);
            refusal = more.empty() ? more : refusal + "; " + more;
        }
        if (!refusal.empty()) {
            program_.options.log.verbose("[select] quantized '{}': {}", program_.step(id).name,
                                         refusal);
            program_.step(sources[1]).kept = false;
        }
    }

    /// Reshapes weights in front of their dequantizations. Whether there are dequantizations.
    bool findReshaped() {
        std::vector<StepId> sources;
        for (StepId const id : program_.order()) {
            if (program_.step(id).as<graph::Dequantize>() != nullptr) {
                sources.push_back(id);
                program_.step(id).kept = true;
            }
        }
        if (!sources.empty()) {
            constexpr std::array<std::string_view, 2> kReshape{"fold_constants",
                                                               "reshape_quantized"};
            rewrite(program_, kReshape);
        }
        for (StepId const id : program_.order()) {
            program_.step(id).kept = false;
        }
        return !sources.empty();
    }

    /// Whether a target may have kernels for it of which only the weights are dequantized.
    bool takesNarrowWeights(StepId id) const {
        return program_.step(id).as<graph::MatrixMultiply>() != nullptr ||
               program_.step(id).as<graph::Convolution>() != nullptr;
    }

    /// Anchors of two dequantized operands, or those of which only the second one may be. Marks the
    /// dequantizations of the second ones as kept, so that constants behind them are not folded;
    /// decide() takes the mark away again.
    std::vector<StepId> find() {
        std::vector<StepId> anchors;
        for (StepId const id : program_.order()) {
            Step const& step = program_.step(id);
            if (step.isPlugin() || step.op->opClass() != graph::OpClass::kAnchor ||
                step.inputs().size() < 2) {
                continue;
            }
            Members const sources = sourcesOf(id);
            bool const both = sources[0] != StepId::kNone && sources[0] != sources[1];
            if (sources[1] != StepId::kNone && (both || takesNarrowWeights(id))) {
                program_.step(sources[1]).kept = true;
                anchors.push_back(id);
            }
        }
        return anchors;
    }

    /// Gives an anchor dequantizations of its own, which its region can take.
    void own(StepId anchor) {
        Members const sources = sourcesOf(anchor);
        for (std::size_t i = 0; i < 2; ++i) {
            ValueId const shared = program_.step(anchor).inputs()[i];
            if (sources[i] == StepId::kNone || program_.value(shared).users().size() == 1) {
                continue;
            }
            StepId const from = program_.value(shared).producer();
            Value value;
            value.name = program_.value(shared).name;
            value.type = program_.value(shared).type;
            value.shape = program_.value(shared).shape;
            value.origin = program_.value(shared).origin;
            ValueId const copy = program_.addValue(std::move(value));
            Step step(std::vector<ValueId>(program_.step(from).inputs()), {copy});
            step.name = program_.step(from).name;
            step.op = program_.step(from).op->clone();
            step.kept = i == 1;
            rewriter_.insertBefore(anchor, std::move(step));
            rewriter_.setInput(anchor, i, copy);
        }
    }

    Program& program_;
    Rewriter rewriter_;
    KernelChooser* chooser_;
};

} // namespace

void keepQuantized(Program& program, KernelChooser* chooser) {
    Keeper(program, chooser).run();
}

void foldKept(Program& program) {
    bool any = false;
    for (StepId const id : program.order()) {
        any = any || program.step(id).kept;
        program.step(id).kept = false;
    }
    if (any) {
        constexpr std::array<std::string_view, 1> kFold{"fold_constants"};
        rewrite(program, kFold);
    }
}

} // namespace kiln::compiler
