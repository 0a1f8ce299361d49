// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Walks up from the second product: casts, softmax, masks and scales, the first product, and from
// there to the tensors that Q, K and V are transposes and multiples of.
#include "compiler/attention_match.h"

#include <cmath>
#include <string>
#include <utility>

#include "compiler/attention_scores.h"
#include "compiler/constants.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/select.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/softmax.h"
#include "graph/ops/unary.h"

namespace kiln::compiler {
namespace {

using graph::Attention;
using graph::Shuffle;
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
        return privateProducer(program_, value, value == readTwice_ ? 2 : 1);
    }

    void note(ValueId value) { found_.steps.push_back(program_.value(value).producer()); }

    bool weights(ValueId value) {
        value = zeroIfNaN(withoutFloatCasts(program_, value, found_.steps));
        Step const* const step = inner(value);
        auto const* softmax = step == nullptr ? nullptr : step->as<graph::SoftMax>();
        int32_t const rank = program_.value(value).shape.rank;
        if (softmax == nullptr || softmax->axisFor(rank) != rank - 1) {
            return false;
        }
        note(value);
        scores_ = step->inputs()[0];
        std::optional<AttentionScores> scores = attentionScores(program_, rules_, scores_);
        if (!scores.has_value()) {
            return false;
        }
        found_.steps.insert(found_.steps.end(), scores->steps.begin(), scores->steps.end());
        masks_ = std::move(scores->masks);
        scale_ *= scores->scale;
        return products(program_.step(scores->product));
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

    bool sameShape(ValueId value, ValueId as) const {
        return program_.value(value).shape == program_.value(as).shape;
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

    Program const& program_;
    ElementRules& rules_;
    bool repeats_;
    AttentionMatch found_;
    std::vector<AttentionMasks::Mask> masks_;
    ValueId scores_ = ValueId::kNone; ///< with scale and masks
    double scale_ = 1.0;
    ValueId readTwice_ = ValueId::kNone; ///< by the test for NaN and the selection behind it
};

} // namespace

std::optional<AttentionMatch> matchAttention(Program const& program, ElementRules& rules,
                                             StepId product) {
    std::optional<AttentionMatch> match = AttentionMatcher(program, rules, product, true).match();
    return match.has_value() ? match : AttentionMatcher(program, rules, product, false).match();
}

} // namespace kiln::compiler
