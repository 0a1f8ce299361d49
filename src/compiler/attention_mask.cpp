// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A triangle of -infinity hides the same keys as the causal rule, whatever else is masked. One of
// large negative numbers does so only if each query sees a key: where all keys are hidden, numbers
// give weights and -infinity gives none. So such a triangle must be the only mask.
#include "compiler/attention_mask.h"

#include <algorithm>
#include <limits>

#include "compiler/constants.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/select.h"

namespace kiln::compiler {
namespace {

using graph::Attention;
using graph::ExprOp;
using graph::ExprRef;
using Causal = Attention::Causal;
using Kind = AttentionMasks::Kind;
using Mask = AttentionMasks::Mask;

constexpr double kNever = -std::numeric_limits<double>::infinity();
// What scores of less than 1e3 or so cannot outweigh.
constexpr double kLarge = -1e4;

bool isLarge(Kind kind) {
    return kind == Kind::kKeepsLarge || kind == Kind::kDropsLarge;
}

class MaskReader {
public:
    MaskReader(Program const& program, ElementRules& rules, graph::ShapeExpr const& scores)
        : program_(program), rules_(rules), queries_(scores[scores.rank - 2]),
          keys_(scores[scores.rank - 1]) {}

    AttentionMasks read(std::vector<Mask> const& masks) {
        for (Mask const& mask : masks) {
            take(mask, 0);
        }
        return std::move(found_);
    }

    /// Whether a triangle of numbers stood for the rule.
    bool isFinite() const noexcept { return finite_; }

private:
    /// Takes the causal rule out of a mask, or keeps the mask.
    void take(Mask const& mask, int depth) {
        if (takeWhole(mask) || (depth < 4 && takeParts(mask, depth))) {
            return;
        }
        found_.masks.push_back(mask);
    }

    static double seenBy(Kind kind) {
        return kind == Kind::kKeeps || kind == Kind::kKeepsLarge ? 1.0 : 0.0;
    }

    bool hides(Kind kind, double element) {
        if (kind == Kind::kAdded) {
            finite_ = finite_ || (element <= kLarge && element != kNever);
            return element <= kLarge;
        }
        finite_ = finite_ || isLarge(kind);
        return element != seenBy(kind);
    }

    /// A triangle, or a mask that hides nothing.
    bool takeWhole(Mask const& mask) {
        std::optional<ElementRule> const rule = rules_.of(mask.value);
        if (!rule.has_value() || !rule->isChoice) {
            return false;
        }
        double const seen = seenBy(mask.kind);
        if (rule->yes == seen && rule->no == seen) {
            return true;
        }
        std::optional<Causal> const causal = causalOf(mask, *rule);
        bool const finite = finite_;
        if (!causal.has_value() || !hides(mask.kind, rule->yes == seen ? rule->no : rule->yes) ||
            (found_.causal != Causal::kNone && found_.causal != *causal)) {
            finite_ = finite;
            return false;
        }
        found_.causal = *causal;
        return true;
    }

    /// The causal rule if the mask lets key j <= query i + diagonal be seen.
    std::optional<Causal> causalOf(Mask const& mask, ElementRule const& rule) const {
        graph::ShapeExpr const& shape = program_.value(mask.value).shape;
        int32_t const rank = shape.rank;
        double const seen = seenBy(mask.kind);
        bool const below = rule.yes == seen;
        if ((rule.yes == seen) == (rule.no == seen) || rank < 2 || shape[rank - 2] != queries_ ||
            shape[rank - 1] != keys_) {
            return std::nullopt;
        }
        std::array<int64_t, Dims::MAX_DIMS> wanted{};
        wanted[static_cast<std::size_t>(rank - 2)] = below ? 1 : -1;
        wanted[static_cast<std::size_t>(rank - 1)] = below ? -1 : 1;
        // Below: i - j + offset >= 0 is seen. Above: j - i + offset >= 0 is not.
        graph::ExprPool& pool = program_.pool;
        ExprRef const diagonal =
            below ? rule.offset : pool.binary(ExprOp::kSub, pool.constant(-1), rule.offset);
        if (rule.along != wanted) {
            return std::nullopt;
        }
        ExprRef const toEnd = pool.binary(ExprOp::kSub, keys_, queries_);
        return pool.constantOr(diagonal) == 0 ? std::optional(Causal::kFromStart)
               : diagonal == toEnd            ? std::optional(Causal::kFromEnd)
                                              : std::nullopt;
    }

    /// Takes the operands of the step that makes the mask, if the causal rule is one of them.
    bool takeParts(Mask const& mask, int depth) {
        std::vector<Mask> const parts = partsOf(mask);
        if (parts.empty()) {
            return false;
        }
        MaskReader trial = *this;
        for (Mask const& part : parts) {
            trial.take(part, depth + 1);
        }
        if (trial.found_.causal == found_.causal) {
            return false;
        }
        found_ = std::move(trial.found_);
        finite_ = trial.finite_;
        return true;
    }

    /// Masks that together do what one does.
    std::vector<Mask> partsOf(Mask const& mask) const {
        using Operation = nvinfer1::ElementWiseOperation;
        Step const* const step = program_.producerOf(mask.value);
        if (step == nullptr || step->isPlugin()) {
            return {};
        }
        if (step->as<graph::Select>() != nullptr && mask.kind == Kind::kAdded) {
            std::optional<double> const yes = elementOf(step->inputs()[1]);
            std::optional<double> const no = elementOf(step->inputs()[2]);
            return yes == 0.0 && no == kNever ? std::vector<Mask>{{step->inputs()[0], Kind::kKeeps}}
                   : yes == kNever && no == 0.0
                       ? std::vector<Mask>{{step->inputs()[0], Kind::kDrops}}
                       : std::vector<Mask>();
        }
        auto const* op = step->as<graph::ElementWise>();
        Operation const wanted = mask.kind == Kind::kAdded   ? Operation::kSUM
                                 : mask.kind == Kind::kDrops ? Operation::kOR
                                                             : Operation::kAND;
        return op != nullptr && op->operation == wanted && !isLarge(mask.kind)
                   ? std::vector<Mask>{{step->inputs()[0], mask.kind},
                                       {step->inputs()[1], mask.kind}}
                   : std::vector<Mask>();
    }

    std::optional<double> elementOf(ValueId value) const {
        std::optional<ElementRule> const rule = rules_.of(value);
        return rule.has_value() ? rules_.uniform(*rule) : std::nullopt;
    }

    Program const& program_;
    ElementRules& rules_;
    ExprRef queries_;
    ExprRef keys_;
    AttentionMasks found_;
    bool finite_ = false;
};

bool areAlike(std::vector<Mask> const& masks) {
    return std::all_of(masks.begin(), masks.end(), [&](Mask const& mask) {
        return mask.kind == masks[0].kind && !isLarge(mask.kind);
    });
}

/// Whether each query sees a key by the rule, for all shapes.
bool seesKeys(Program const& program, Causal causal, graph::ShapeExpr const& scores) {
    if (causal != Causal::kFromEnd) {
        return true; // the first key
    }
    ExprRef const more =
        program.pool.binary(ExprOp::kSub, scores[scores.rank - 1], scores[scores.rank - 2]);
    return intervalsOf(program).of(more).low >= 0;
}

} // namespace

std::optional<AttentionMasks> withCausalRule(Program const& program, ElementRules& rules,
                                             std::vector<Mask> masks,
                                             graph::ShapeExpr const& scores) {
    MaskReader reader(program, rules, scores);
    AttentionMasks found = reader.read(masks);
    bool const exact =
        !reader.isFinite() || (found.masks.empty() && seesKeys(program, found.causal, scores));
    if (!exact || !areAlike(found.masks)) {
        found = {std::move(masks), Causal::kNone};
    }
    return areAlike(found.masks) ? std::optional(std::move(found)) : std::nullopt;
}

} // namespace kiln::compiler
