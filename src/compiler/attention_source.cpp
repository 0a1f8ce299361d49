// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Walks up from an operand of a product. The axes of a value on the way are letters.
#include "compiler/attention_source.h"

#include <utility>

#include "compiler/constants.h"
#include "compiler/repeated_heads.h"
#include "compiler/slice_start.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {
namespace {

using graph::Shuffle;
using Layout = graph::Attention::Layout;
using nvinfer1::ElementWiseOperation;

std::optional<Layout> layoutOf(std::string const& axes) {
    return axes == "bhsd"   ? std::optional(Layout::kHeadsFirst)
           : axes == "bshd" ? std::optional(Layout::kLengthFirst)
           : axes == "bhds" ? std::optional(Layout::kChannelsFirst)
           : axes == "bsd"  ? std::optional(Layout::kJoined)
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

class SourceFinder {
public:
    SourceFinder(Program const& program, AttentionSourceRules rules)
        : program_(program), rules_(rules) {}

    std::optional<AttentionSource> find(ValueId value, std::string const& axes) {
        value_ = value;
        at_ = axes;
        do {
            if (std::optional<Layout> const layout = layoutOf(at_)) {
                keep(*layout);
            }
        } while (walksUp());
        if (found_.value == ValueId::kNone) {
            return std::nullopt;
        }
        found_.heads = extentOf(&graph::Attention::Axes::head);
        found_.size = extentOf(&graph::Attention::Axes::channel);
        readSlice();
        return std::move(found_);
    }

private:
    /// The value that was reached is the best source so far.
    void keep(Layout layout) {
        found_.value = value_;
        found_.reshape = StepId::kNone;
        found_.layout = layout;
        found_.factor *= std::exchange(factor_, 1.0);
        found_.steps.insert(found_.steps.end(), passed_.begin(), passed_.end());
        passed_.clear();
    }

    /// Goes to the operand of the step that makes the value; false: this is the end.
    bool walksUp() {
        Step const* const step = program_.producerOf(value_);
        if (step == nullptr || step->isPlugin() || !program_.value(value_).isPrivate()) {
            return false;
        }
        if (walksToFewerHeads(*step)) {
            return true;
        }
        passed_.push_back(program_.value(value_).producer());
        std::optional<ValueId> const x = withoutFactor(program_, *step);
        if (x.has_value() && rules_.scales) {
            factor_ *= *scalarFactor(program_, *step);
            value_ = *x;
            return true;
        }
        auto const* shuffle = step->as<Shuffle>();
        if (shuffle == nullptr) {
            return false;
        }
        at_ = undone(at_, shuffle->secondTranspose);
        if (step->inputs().size() > 1 || shuffle->reshape.nbDims >= 0) {
            takeReshape(*shuffle);
            return false;
        }
        at_ = undone(at_, shuffle->firstTranspose);
        value_ = step->inputs()[0];
        return true;
    }

    bool walksToFewerHeads(Step const& step) {
        auto const* shuffle = step.as<Shuffle>();
        std::string at = at_;
        graph::ShapeExpr shape = program_.value(value_).shape;
        if (shuffle != nullptr) { // the axes in front of its second transpose
            at = undone(at_, shuffle->secondTranspose);
            for (int32_t i = 0; i < shape.rank; ++i) {
                shape[shuffle->secondTranspose[static_cast<std::size_t>(i)]] =
                    program_.value(value_).shape[i];
            }
        }
        std::size_t const head = at.find('h');
        if (!rules_.repeats || head == std::string::npos) {
            return false;
        }
        auto const axis = static_cast<int32_t>(head);
        std::optional<Repetition> const found = repeatedAlong(program_, value_, shape, axis);
        if (!found.has_value()) {
            return false;
        }
        passed_.insert(passed_.end(), found->steps.begin(), found->steps.end());
        value_ = found->source;
        at_ = at;
        return true;
    }

    /// Takes what a Shuffle gives before its second transpose, if it has one.
    void takeReshape(Shuffle const& shuffle) {
        std::optional<Layout> const layout = layoutOf(at_);
        if (shuffle.secondTranspose != Shuffle::kIdentity && layout.has_value()) {
            keep(*layout);
            found_.reshape = program_.value(value_).producer();
        }
    }

    /// The source's extent along one of its axes; 1 if it does not have it.
    int64_t extentOf(int32_t graph::Attention::Axes::* axis) const {
        graph::ShapeExpr const& given = program_.value(found_.value).shape;
        graph::ShapeExpr shape = given;
        if (found_.reshape != StepId::kNone) {
            auto const& op = *program_.step(found_.reshape).as<Shuffle>();
            for (int32_t i = 0; i < shape.rank; ++i) {
                shape[op.secondTranspose[static_cast<std::size_t>(i)]] = given[i];
            }
        }
        int32_t const at = graph::Attention::axesOf(found_.layout).*axis;
        return at < 0 ? 1 : program_.pool.constantOr(shape[at]);
    }

    /// Reads a slice of [batch, length, width] from the whole tensor, as the parts of one product
    /// that computes Q, K and V.
    void readSlice() {
        Step const* const reshape = program_.producerOf(found_.value);
        auto const* shuffle = reshape == nullptr ? nullptr : reshape->as<Shuffle>();
        if (found_.layout != Layout::kLengthFirst || shuffle == nullptr ||
            found_.reshape != StepId::kNone || shuffle->firstTranspose != Shuffle::kIdentity ||
            shuffle->secondTranspose != Shuffle::kIdentity) {
            return;
        }
        ValueId const whole = reshape->inputs()[0];
        Step const* const step = program_.producerOf(whole);
        graph::ShapeExpr const& parts = program_.value(found_.value).shape;
        graph::ShapeExpr const& part = program_.value(whole).shape;
        if (step == nullptr || part.rank != 3 || part[0] != parts[0] || part[1] != parts[1]) {
            return;
        }
        if (std::optional<int64_t> const start = startOfSlice(program_, *step)) {
            found_.steps.push_back(program_.value(found_.value).producer());
            found_.steps.push_back(program_.value(whole).producer());
            found_.value = step->inputs()[0];
            found_.layout = Layout::kJoined;
            found_.offset = *start;
        }
    }

    Program const& program_;
    AttentionSourceRules rules_;
    AttentionSource found_;
    ValueId value_ = ValueId::kNone; ///< reached so far
    std::string at_;                 ///< its axes
    double factor_ = 1.0;            ///< since the last source
    std::vector<StepId> passed_;     ///< since the last source
};

} // namespace

std::optional<AttentionSource> attentionSource(Program const& program, ValueId operand,
                                               std::string axes, AttentionSourceRules rules) {
    return SourceFinder(program, rules).find(operand, axes);
}

std::optional<double> scalarFactor(Program const& program, Step const& step) {
    auto const* op = step.as<graph::ElementWise>();
    if (op == nullptr) {
        return std::nullopt;
    }
    std::optional<double> const second = scalarOf(program, step.inputs()[1]);
    if (op->operation == ElementWiseOperation::kDIV) {
        return second.has_value() ? std::optional(1.0 / *second) : std::nullopt;
    }
    if (op->operation != ElementWiseOperation::kPROD) {
        return std::nullopt;
    }
    return second.has_value() ? second : scalarOf(program, step.inputs()[0]);
}

std::optional<ValueId> withoutFactor(Program const& program, Step const& step) {
    if (!scalarFactor(program, step).has_value()) {
        return std::nullopt;
    }
    ValueId const x = step.inputs()[scalarOf(program, step.inputs()[1]).has_value() ? 0 : 1];
    bool const same = program.value(x).shape == program.value(step.outputs()[0]).shape;
    return same ? std::optional(x) : std::nullopt;
}

} // namespace kiln::compiler
