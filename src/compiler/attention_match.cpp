// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Walks up from the second product: casts, softmax, masks and scales, the first product, and from
// there to the tensors that Q, K and V are transposes and multiples of.
#include "compiler/attention_match.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "compiler/attention_mask.h"
#include "compiler/constants.h"
#include "graph/ops/cast.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/select.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/softmax.h"
#include "graph/ops/unary.h"

namespace kiln::compiler {
namespace {

using graph::Attention;
using graph::Shuffle;
using nvinfer1::ElementWiseOperation;
using nvinfer1::MatrixOperation;

class AttentionMatcher {
public:
    /// `repeats`: heads of K and V may be fewer than those of Q.
    AttentionMatcher(Program const& program, ElementRules& rules, StepId product, bool repeats)
        : program_(program), rules_(rules), repeats_(repeats) {
        found_.product = product;
    }

    std::optional<AttentionMatch> match() {
        Step const& step = program_.step(found_.product);
        auto const* product = step.as<graph::MatrixMultiply>();
        int32_t const rank = program_.value(step.outputs()[0]).shape.rank;
        if (product == nullptr || product->operation[0] != MatrixOperation::kNONE ||
            product->operation[1] == MatrixOperation::kVECTOR || (rank != 3 && rank != 4)) {
            return std::nullopt;
        }
        found_.steps.push_back(found_.product);
        bool const withHeads = rank == 4;
        bool const swaps = product->operation[1] == MatrixOperation::kTRANSPOSE;
        if (!weights(step.inputs()[0]) ||
            !source(Attention::kValue, step.inputs()[1], axes(withHeads, swaps)) || !sizes() ||
            !masks() || !std::isfinite(scale_)) {
            return std::nullopt;
        }
        found_.op.scale = static_cast<float>(scale_);
        output(step.outputs()[0]);
        return std::move(found_);
    }

private:
    static std::string axes(bool withHeads, bool swaps) {
        return std::string(withHeads ? "bh" : "b") + (swaps ? "ds" : "sd");
    }

    /// The producer of a value that only one operand of one step reads.
    Step const* inner(ValueId value) const {
        Value const& at = program_.value(value);
        std::size_t const readers = value == readTwice_ ? 2 : 1;
        return at.isPrivate() && at.users().size() == readers ? program_.producerOf(value)
                                                              : nullptr;
    }

    void note(ValueId value) { found_.steps.push_back(program_.value(value).producer()); }

    /// Skips casts between floating-point types: kernels compute in float32.
    ValueId withoutCasts(ValueId value) {
        for (Step const* step = inner(value); step != nullptr; step = inner(value)) {
            if (step->as<graph::Cast>() == nullptr ||
                !isFloating(program_.value(step->inputs()[0]).type.type) ||
                !isFloating(program_.value(value).type.type)) {
                break;
            }
            note(value);
            value = step->inputs()[0];
        }
        return value;
    }

    bool weights(ValueId value) {
        value = zeroIfNaN(withoutCasts(value));
        Step const* const step = inner(value);
        auto const* softmax = step == nullptr ? nullptr : step->as<graph::SoftMax>();
        int32_t const rank = program_.value(value).shape.rank;
        if (softmax == nullptr || softmax->axisFor(rank) != rank - 1) {
            return false;
        }
        note(value);
        return scores(step->inputs()[0]);
    }

    /// x of a selection of 0 where x is NaN and of x elsewhere: torch gives 0 for a query without
    /// keys.
    ValueId zeroIfNaN(ValueId value) {
        Step const* const step = inner(value);
        if (step == nullptr || step->as<graph::Select>() == nullptr ||
            scalarOf(program_, step->inputs()[1]) != 0.0) {
            return value;
        }
        Step const* const test = inner(step->inputs()[0]);
        auto const* op = test == nullptr ? nullptr : test->as<graph::Unary>();
        ValueId const x = step->inputs()[2];
        bool const onlyHere =
            program_.value(x).isPrivate() && program_.value(x).users().size() == 2;
        if (op == nullptr || op->operation != nvinfer1::UnaryOperation::kISNAN || !onlyHere ||
            test->inputs()[0] != x || !sameShape(x, value)) {
            return value;
        }
        note(value);
        note(step->inputs()[0]);
        found_.op.emptyIsZero = true;
        readTwice_ = x;
        return x;
    }

    /// scale * product + masks: the scale is below the masks.
    bool scores(ValueId value) {
        scores_ = value;
        for (;;) {
            value = withoutCasts(value);
            Step const* const step = inner(value);
            if (step == nullptr || step->isPlugin()) {
                return false;
            }
            if (step->as<graph::MatrixMultiply>() != nullptr) {
                note(value);
                return products(*step);
            }
            std::optional<ValueId> next = withoutFactor(program_, *step);
            if (next.has_value()) {
                scale_ *= *scalarFactor(program_, *step);
                scaled_ = true;
            } else {
                next = unmasked(*step, value);
            }
            if (!next.has_value()) {
                return false;
            }
            note(value);
            value = *next;
        }
    }

    bool sameShape(ValueId value, ValueId as) const {
        return program_.value(value).shape == program_.value(as).shape;
    }

    /// x of x + mask, or of a selection of x or -infinity. The first scale must be behind it.
    std::optional<ValueId> unmasked(Step const& step, ValueId value) {
        if (scaled_) {
            return std::nullopt;
        }
        if (step.as<graph::Select>() != nullptr) {
            return unselected(step, value);
        }
        auto const* op = step.as<graph::ElementWise>();
        if (op == nullptr || op->operation != ElementWiseOperation::kSUM) {
            return std::nullopt;
        }
        for (std::size_t side = 0; side < 2; ++side) {
            ValueId const x = step.inputs()[side];
            if (isScores(x) && sameShape(x, value)) {
                masks_.push_back({step.inputs()[1 - side], AttentionMasks::Kind::kAdded});
                return x;
            }
        }
        return std::nullopt;
    }

    std::optional<ValueId> unselected(Step const& step, ValueId value) {
        using Kind = AttentionMasks::Kind;
        for (std::size_t side = 1; side <= 2; ++side) {
            ValueId const x = step.inputs()[side];
            std::optional<ElementRule> const rule = rules_.of(step.inputs()[3 - side]);
            std::optional<double> const other =
                rule.has_value() ? rules_.uniform(*rule) : std::nullopt;
            if (!other.has_value() || *other >= 0.0 || !sameShape(x, value)) {
                continue;
            }
            bool const never = *other == -std::numeric_limits<double>::infinity();
            if (!never && *other > kLargestNever) {
                continue;
            }
            Kind const keeps = never ? Kind::kKeeps : Kind::kKeepsLarge;
            Kind const drops = never ? Kind::kDrops : Kind::kDropsLarge;
            masks_.push_back({step.inputs()[0], side == 1 ? keeps : drops});
            return x;
        }
        return std::nullopt;
    }

    /// Takes the causal rule out of the masks. The others must be alike.
    bool masks() {
        std::optional<AttentionMasks> const found =
            withCausalRule(program_, rules_, masks_, program_.value(scores_).shape);
        if (!found.has_value()) {
            return false;
        }
        found_.op.causal = found->causal;
        for (AttentionMasks::Mask const& mask : found->masks) {
            if (program_.value(mask.value).type != program_.value(found->masks[0].value).type) {
                return false;
            }
            found_.masks.push_back(mask.value);
            found_.op.maskDrops = mask.kind == AttentionMasks::Kind::kDrops;
        }
        return true;
    }

    /// Whether a value comes from a product through scales, masks and casts.
    bool isScores(ValueId value) const {
        for (Step const* step = inner(value); step != nullptr && !step->isPlugin();
             step = inner(value)) {
            if (step->as<graph::MatrixMultiply>() != nullptr) {
                return true;
            }
            std::optional<ValueId> const x = withoutFactor(program_, *step);
            if (step->as<graph::Cast>() != nullptr) {
                value = step->inputs()[0];
            } else if (x.has_value()) {
                value = *x;
            } else {
                return isSumOfScores(*step, value);
            }
        }
        return false;
    }

    /// Whether a step adds another mask to scores, or selects.
    bool isSumOfScores(Step const& step, ValueId value) const {
        auto const* op = step.as<graph::ElementWise>();
        bool const sums = op != nullptr && op->operation == ElementWiseOperation::kSUM;
        if (!sums && step.as<graph::Select>() == nullptr) {
            return false;
        }
        for (ValueId const input : step.inputs()) {
            if (sameShape(input, value) && isScores(input)) {
                return true;
            }
        }
        return false;
    }

    bool products(Step const& step) {
        auto const& op = *step.as<graph::MatrixMultiply>();
        bool const withHeads = program_.value(step.outputs()[0]).shape.rank == 4;
        if (op.operation[0] == MatrixOperation::kVECTOR ||
            op.operation[1] == MatrixOperation::kVECTOR) {
            return false;
        }
        bool const swapsQuery = op.operation[0] == MatrixOperation::kTRANSPOSE;
        bool const swapsKey = op.operation[1] == MatrixOperation::kNONE;
        return source(Attention::kQuery, step.inputs()[0], axes(withHeads, swapsQuery)) &&
               source(Attention::kKey, step.inputs()[1], axes(withHeads, swapsKey));
    }

    bool source(std::size_t role, ValueId value, std::string const& at) {
        AttentionSourceRules const rules{role != Attention::kValue,
                                         repeats_ && role != Attention::kQuery};
        std::optional<AttentionSource> found = attentionSource(program_, value, at, rules);
        if (!found.has_value()) {
            return false;
        }
        found_.op.layouts[role] = found->layout;
        found_.op.offsets[role] = found->offset;
        scale_ *= found->factor;
        found_.steps.insert(found_.steps.end(), found->steps.begin(), found->steps.end());
        found_.sources[role] = *std::move(found);
        return true;
    }

    bool sizes() {
        auto const& [query, key, value] = found_.sources;
        Attention& op = found_.op;
        op.heads = query.heads;
        op.keyHeads = key.heads;
        op.size = query.size;
        op.valueSize = value.size;
        return key.heads == value.heads && key.size == query.size;
    }

    /// Takes the transpose behind the product, if nothing else reads the product.
    void output(ValueId value) {
        bool const withHeads = program_.value(value).shape.rank == 4;
        found_.op.layouts[Attention::kOutput] =
            withHeads ? Attention::Layout::kHeadsFirst : Attention::Layout::kJoined;
        if (!withHeads || inner(value) == nullptr) {
            return;
        }
        StepId const user = program_.value(value).users()[0].step;
        auto const* shuffle = program_.step(user).as<Shuffle>();
        if (shuffle == nullptr || program_.value(value).users()[0].operand != 0) {
            return;
        }
        bool const reshapes =
            program_.step(user).inputs().size() > 1 || shuffle->reshape.nbDims >= 0;
        std::string at = "bhsd";
        std::string moved(4, ' ');
        for (std::size_t i = 0; i < 4; ++i) {
            auto const middle =
                reshapes ? i : static_cast<std::size_t>(shuffle->secondTranspose[i]);
            moved[i] = at[static_cast<std::size_t>(shuffle->firstTranspose[middle])];
        }
        if (moved == "bshd") {
            found_.transpose = user;
            found_.op.layouts[Attention::kOutput] = Attention::Layout::kLengthFirst;
        }
    }

    // Scores of 1e3 and less cannot outweigh it.
    static constexpr double kLargestNever = -1e4;

    Program const& program_;
    ElementRules& rules_;
    bool repeats_;
    AttentionMatch found_;
    std::vector<AttentionMasks::Mask> masks_;
    ValueId scores_ = ValueId::kNone; ///< with scale and masks
    double scale_ = 1.0;
    bool scaled_ = false;
    ValueId readTwice_ = ValueId::kNone; ///< by the test for NaN and the selection behind it
};

} // namespace

std::optional<AttentionMatch> matchAttention(Program const& program, ElementRules& rules,
                                             StepId product) {
    std::optional<AttentionMatch> match = AttentionMatcher(program, rules, product, true).match();
    return match.has_value() ? match : AttentionMatcher(program, rules, product, false).match();
}

} // namespace kiln::compiler
