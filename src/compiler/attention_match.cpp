// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Walks up from the second product: casts, softmax, masks and scales, the first product, and from
// there to the tensors that Q, K and V are transposes and multiples of. The axes of a value on the
// way are letters: b(atch), h(ead), s (length), d (channel).
#include "compiler/attention_match.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "compiler/constants.h"
#include "compiler/slice_start.h"
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

std::optional<Attention::Layout> layoutOf(std::string const& axes) {
    return axes == "bhsd"   ? std::optional(Attention::Layout::kHeadsFirst)
           : axes == "bshd" ? std::optional(Attention::Layout::kLengthFirst)
           : axes == "bhds" ? std::optional(Attention::Layout::kChannelsFirst)
           : axes == "bsd"  ? std::optional(Attention::Layout::kJoined)
                            : std::nullopt;
}

/// The axes of the source of a transpose, given those of its result.
std::string undone(std::string const& axes, Shuffle::Order const& order) {
    std::string source(axes.size(), ' ');
    for (std::size_t i = 0; i < axes.size(); ++i) {
        source[static_cast<std::size_t>(order[i])] = axes[i];
    }
    return source;
}

class AttentionMatcher {
public:
    AttentionMatcher(Program const& program, StepId product) : program_(program) {
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
            !std::isfinite(scale_)) {
            return std::nullopt;
        }
        found_.op.scale = static_cast<float>(scale_);
        for (std::size_t role = 0; role < found_.sources.size(); ++role) {
            sliced(role);
        }
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
            test->inputs()[0] != x || !sameShape(x, value).has_value()) {
            return value;
        }
        note(value);
        note(step->inputs()[0]);
        found_.op.emptyIsZero = true;
        readTwice_ = x;
        return x;
    }

    /// scale * product + mask: the scale is below the mask.
    bool scores(ValueId value) {
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
            std::optional<ValueId> const next = unscaled(*step, value).has_value()
                                                    ? unscaled(*step, value)
                                                    : unmasked(*step, value);
            if (!next.has_value()) {
                return false;
            }
            note(value);
            if (std::optional<double> const factor = factorOf(*step)) {
                scale_ *= *factor;
                scaled_ = true;
            }
            value = *next;
        }
    }

    /// c of x * c and c * x, 1 / c of x / c.
    std::optional<double> factorOf(Step const& step) const {
        auto const* op = step.as<graph::ElementWise>();
        if (op == nullptr) {
            return std::nullopt;
        }
        std::optional<double> const second = scalarOf(program_, step.inputs()[1]);
        if (op->operation == ElementWiseOperation::kDIV) {
            return second.has_value() ? std::optional(1.0 / *second) : std::nullopt;
        }
        if (op->operation != ElementWiseOperation::kPROD) {
            return std::nullopt;
        }
        return second.has_value() ? second : scalarOf(program_, step.inputs()[0]);
    }

    /// x of the above, if it has the shape of the result.
    std::optional<ValueId> unscaled(Step const& step, ValueId value) const {
        if (!factorOf(step).has_value()) {
            return std::nullopt;
        }
        std::size_t const at = scalarOf(program_, step.inputs()[1]).has_value() ? 0 : 1;
        return sameShape(step.inputs()[at], value);
    }

    std::optional<ValueId> sameShape(ValueId value, ValueId as) const {
        return program_.value(value).shape == program_.value(as).shape ? std::optional(value)
                                                                       : std::nullopt;
    }

    /// x of x + mask, or of a selection of x or -infinity. The first scale must be behind it.
    std::optional<ValueId> unmasked(Step const& step, ValueId value) {
        if (found_.mask != ValueId::kNone || scaled_) {
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
            if (isScores(x) && sameShape(x, value).has_value()) {
                found_.mask = step.inputs()[1 - side];
                return x;
            }
        }
        return std::nullopt;
    }

    std::optional<ValueId> unselected(Step const& step, ValueId value) {
        for (std::size_t side = 1; side <= 2; ++side) {
            std::optional<double> const other = scalarOf(program_, step.inputs()[3 - side]);
            ValueId const x = step.inputs()[side];
            if (other == -std::numeric_limits<double>::infinity() &&
                sameShape(x, value).has_value()) {
                found_.mask = step.inputs()[0];
                found_.op.maskDrops = side == 2;
                return x;
            }
        }
        return std::nullopt;
    }

    /// Whether a value comes from a product through scales and casts.
    bool isScores(ValueId value) const {
        for (Step const* step = inner(value); step != nullptr && !step->isPlugin();
             step = inner(value)) {
            if (step->as<graph::MatrixMultiply>() != nullptr) {
                return true;
            }
            if (step->as<graph::Cast>() == nullptr && !unscaled(*step, value).has_value()) {
                return false;
            }
            value =
                step->as<graph::Cast>() != nullptr ? step->inputs()[0] : *unscaled(*step, value);
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

    /// Finds the value furthest up that an operand is a multiple and a transpose of.
    bool source(std::size_t role, ValueId value, std::string at) {
        AttentionMatch::Source& found = found_.sources[role];
        double factor = 1.0;
        std::vector<StepId> passed;
        for (;;) {
            if (std::optional<Attention::Layout> const layout = layoutOf(at)) {
                found = {value, StepId::kNone};
                found_.op.layouts[role] = *layout;
                scale_ *= std::exchange(factor, 1.0);
                found_.steps.insert(found_.steps.end(), passed.begin(), passed.end());
                passed.clear();
            }
            Step const* const step = program_.producerOf(value);
            if (step == nullptr || step->isPlugin() || !program_.value(value).isPrivate()) {
                break;
            }
            passed.push_back(program_.value(value).producer());
            std::optional<ValueId> const x = unscaled(*step, value);
            if (x.has_value() && role != Attention::kValue) {
                factor *= *factorOf(*step);
                value = *x;
                continue;
            }
            auto const* shuffle = step->as<Shuffle>();
            if (shuffle == nullptr) {
                break;
            }
            at = undone(at, shuffle->secondTranspose);
            if (step->inputs().size() > 1 || shuffle->reshape.nbDims >= 0) {
                reshaped(role, value, *shuffle, at, passed, factor);
                break;
            }
            at = undone(at, shuffle->firstTranspose);
            value = step->inputs()[0];
        }
        return found.value != ValueId::kNone;
    }

    /// Takes what a Shuffle gives before its second transpose, if it has one.
    void reshaped(std::size_t role, ValueId value, Shuffle const& shuffle, std::string const& at,
                  std::vector<StepId> const& passed, double factor) {
        std::optional<Attention::Layout> const layout = layoutOf(at);
        if (shuffle.secondTranspose == Shuffle::kIdentity || !layout.has_value()) {
            return;
        }
        found_.sources[role] = {value, program_.value(value).producer()};
        found_.op.layouts[role] = *layout;
        scale_ *= factor;
        found_.steps.insert(found_.steps.end(), passed.begin(), passed.end());
    }

    /// The value's extent along one of "bhsd"; -1: unknown.
    int64_t extent(std::size_t role, int32_t Attention::Axes::* axis) const {
        Value const& value = program_.value(found_.sources[role].value);
        int32_t const at = Attention::axesOf(found_.op.layouts[role]).*axis;
        graph::ShapeExpr shape = value.shape;
        if (found_.sources[role].reshape != StepId::kNone) {
            auto const& op = *program_.step(found_.sources[role].reshape).as<Shuffle>();
            for (int32_t i = 0; i < shape.rank; ++i) {
                shape[op.secondTranspose[static_cast<std::size_t>(i)]] = value.shape[i];
            }
        }
        return at < 0 ? 1 : program_.pool.constantOr(shape[at]);
    }

    bool sizes() {
        Attention& op = found_.op;
        op.heads = extent(Attention::kQuery, &Attention::Axes::head);
        op.keyHeads = extent(Attention::kKey, &Attention::Axes::head);
        op.size = extent(Attention::kQuery, &Attention::Axes::channel);
        op.valueSize = extent(Attention::kValue, &Attention::Axes::channel);
        return op.keyHeads == extent(Attention::kValue, &Attention::Axes::head) &&
               op.size == extent(Attention::kKey, &Attention::Axes::channel);
    }

    /// Reads a slice of [batch, length, width] from the whole tensor, as the parts of one product
    /// that computes Q, K and V.
    void sliced(std::size_t role) {
        AttentionMatch::Source& found = found_.sources[role];
        Step const* const reshape = program_.producerOf(found.value);
        auto const* shuffle = reshape == nullptr ? nullptr : reshape->as<Shuffle>();
        if (found_.op.layouts[role] != Attention::Layout::kLengthFirst || shuffle == nullptr ||
            found.reshape != StepId::kNone || shuffle->firstTranspose != Shuffle::kIdentity ||
            shuffle->secondTranspose != Shuffle::kIdentity) {
            return;
        }
        Step const* const step = program_.producerOf(reshape->inputs()[0]);
        graph::ShapeExpr const& parts = program_.value(found.value).shape;
        graph::ShapeExpr const& part = program_.value(reshape->inputs()[0]).shape;
        if (step == nullptr || part.rank != 3 || part[0] != parts[0] || part[1] != parts[1]) {
            return;
        }
        if (std::optional<int64_t> const start = startOfSlice(program_, *step)) {
            found_.steps.push_back(program_.value(found.value).producer());
            found_.steps.push_back(program_.value(reshape->inputs()[0]).producer());
            found = {step->inputs()[0], StepId::kNone};
            found_.op.layouts[role] = Attention::Layout::kJoined;
            found_.op.offsets[role] = *start;
        }
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
    AttentionMatch found_;
    double scale_ = 1.0;
    bool scaled_ = false;
    ValueId readTwice_ = ValueId::kNone; ///< by the test for NaN and the selection behind it
};

} // namespace

std::optional<AttentionMatch> matchAttention(Program const& program, StepId product) {
    return AttentionMatcher(program, product).match();
}

} // namespace kiln::compiler
