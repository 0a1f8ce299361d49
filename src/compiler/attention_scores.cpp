// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/attention_scores.h"

#include <limits>
#include <utility>

#include "compiler/attention_source.h"
#include "graph/ops/cast.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/select.h"

namespace kiln::compiler {
namespace {

using nvinfer1::ElementWiseOperation;

class ScoresReader {
public:
    ScoresReader(Program const& program, ElementRules& rules) : program_(program), rules_(rules) {}

    std::optional<AttentionScores> read(ValueId value) {
        for (;;) {
            value = withoutFloatCasts(program_, value, found_.steps);
            Step const* const step = inner(value);
            if (step == nullptr || step->isPlugin()) {
                return std::nullopt;
            }
            if (step->as<graph::MatrixMultiply>() != nullptr) {
                note(value);
                found_.product = program_.value(value).producer();
                return std::move(found_);
            }
            std::optional<ValueId> next = withoutFactor(program_, *step);
            if (next.has_value()) {
                found_.scale *= *scalarFactor(program_, *step);
                scaled_ = true;
            } else {
                next = unmasked(*step, value);
            }
            if (!next.has_value()) {
                return std::nullopt;
            }
            note(value);
            value = *next;
        }
    }

private:
    Step const* inner(ValueId value) const { return privateProducer(program_, value); }
    void note(ValueId value) { found_.steps.push_back(program_.value(value).producer()); }

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
                found_.masks.push_back({step.inputs()[1 - side], AttentionMasks::Kind::kAdded});
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
            found_.masks.push_back({step.inputs()[0], side == 1 ? keeps : drops});
            return x;
        }
        return std::nullopt;
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

    // Scores of 1e3 and less cannot outweigh it.
    static constexpr double kLargestNever = -1e4;

    Program const& program_;
    ElementRules& rules_;
    AttentionScores found_;
    bool scaled_ = false;
};

} // namespace

std::optional<AttentionScores> attentionScores(Program const& program, ElementRules& rules,
                                               ValueId value) {
    return ScoresReader(program, rules).read(value);
}

Step const* privateProducer(Program const& program, ValueId value, std::size_t readers) {
    Value const& at = program.value(value);
    return at.isPrivate() && at.users().size() == readers ? program.producerOf(value) : nullptr;
}

ValueId withoutFloatCasts(Program const& program, ValueId value, std::vector<StepId>& steps) {
    for (Step const* step = privateProducer(program, value);
         step != nullptr && step->as<graph::Cast>() != nullptr;
         step = privateProducer(program, value)) {
        if (!isFloating(program.value(step->inputs()[0]).type.type) ||
            !isFloating(program.value(value).type.type)) {
            break;
        }
        steps.push_back(program.value(value).producer());
        value = step->inputs()[0];
    }
    return value;
}

} // namespace kiln::compiler
