// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/interval.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "graph/real_operation.h"

namespace kiln::graph {
namespace {

using Wide = __int128;

constexpr Wide kLeast = std::numeric_limits<int64_t>::min();
constexpr Wide kMost = std::numeric_limits<int64_t>::max();

int64_t clamped(Wide number) {
    return static_cast<int64_t>(std::clamp(number, kLeast, kMost));
}

Interval hull(Interval a, Interval b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// The part that both have. They have one, since both hold the value; else the bounds were clamped.
Interval both(Interval a, Interval b) {
    Interval const part{std::max(a.low, b.low), std::min(a.high, b.high)};
    return part.low <= part.high ? part : a;
}

Interval product(Interval a, Interval b) {
    Wide const corners[] = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low,
                            Wide{a.high} * b.high};
    auto const [least, most] = std::minmax_element(std::begin(corners), std::end(corners));
    return {clamped(*least), clamped(*most)};
}

Wide quotient(ExprOp op, Wide a, Wide b) {
    Wide const towardsZero = a / b;
    bool const exact = towardsZero * b == a;
    bool const negative = (a < 0) != (b < 0);
    if (op == ExprOp::kFloorDiv) {
        return !exact && negative ? towardsZero - 1 : towardsZero;
    }
    return op == ExprOp::kCeilDiv && !exact && !negative ? towardsZero + 1 : towardsZero;
}

/// Divisors of 0 are left out, because the division fails there. On either side of 0 the quotient
/// is monotone in each operand.
Interval quotient(ExprOp op, Interval a, Interval b) {
    if (b == Interval{0, 0}) {
        fail(ErrorKind::kInvalidArgument,
             "[shape] division of a number from {} to {} by an extent that is always 0. Check the "
             "input shapes.",
             a.low, a.high);
    }
    Wide least = kMost;
    Wide most = kLeast;
    auto const include = [&](int64_t divisor) {
        for (int64_t const dividend : {a.low, a.high}) {
            Wide const found = quotient(op, dividend, divisor);
            least = std::min(least, found);
            most = std::max(most, found);
        }
    };
    if (b.low < 0) {
        include(b.low);
        include(std::min<int64_t>(b.high, -1));
    }
    if (b.high > 0) {
        include(std::max<int64_t>(b.low, 1));
        include(b.high);
    }
    return {clamped(least), clamped(most)};
}

/// Factors of a product of extents: nodes, and a number.
struct Factors {
    // A shape has 8 extents; a longer list of factors is not worth the search.
    static constexpr std::size_t kMostFactors = 32;

    std::vector<ExprRef> nodes;
    Wide number = 1;
    bool whole = true; ///< nothing was left out

    void add(std::span<ExprNode const> table, ExprRef ref) {
        std::vector<ExprRef> waiting{ref};
        while (!waiting.empty() && whole) {
            ExprRef const at = waiting.back();
            ExprNode const& node = table[static_cast<std::size_t>(at)];
            waiting.pop_back();
            if (node.op == ExprOp::kConstant) {
                number *= node.value;
            } else if (node.op == ExprOp::kProd && waiting.size() < kMostFactors) {
                waiting.push_back(node.a);
                waiting.push_back(node.b);
            } else {
                nodes.push_back(at);
            }
            whole = nodes.size() <= kMostFactors && number >= 0 && number <= kMost;
        }
    }

    /// Removes these factors if all of them are there.
    bool remove(Factors const& others) {
        for (ExprRef const factor : others.nodes) {
            auto const found = std::find(nodes.begin(), nodes.end(), factor);
            if (found == nodes.end()) {
                return false;
            }
            nodes.erase(found);
        }
        bool const divides = others.number >= 1 && number % others.number == 0;
        number = divides ? number / others.number : number;
        return divides;
    }
};

} // namespace

Intervals::Intervals(std::span<ExprNode const> nodes, LinearForms const& forms,
                     LeafRanges const& leaves)
    : nodes_(nodes), forms_(forms) {
    intervals_.reserve(nodes.size());
    for (ExprNode const& node : nodes) {
        intervals_.push_back(compute(node, leaves));
    }
}

Interval Intervals::compute(ExprNode const& node, LeafRanges const& leaves) const {
    if (node.op == ExprOp::kConstant || node.op == ExprOp::kReal) {
        return {node.value, node.value};
    }
    if (node.op == ExprOp::kSizeTensor) {
        return leaves.sizeTensor(node.a, of(node.b));
    }
    if (isRealOperation(node.op) || isUnary(node.op)) {
        return boundReal(node.op, of(node.a), of(node.b));
    }
    if (!isIntegerOperation(node.op)) {
        return leaves.leaf(node);
    }
    Interval const plain = ofOperation(node);
    auto const ref = static_cast<ExprRef>(intervals_.size());
    LinearForm const& form = forms_.of(ref);
    bool const isSum = form.terms.size() != 1 || form.terms[0].of != ref;
    return isSum ? both(ofForm(form), plain) : plain;
}

/// Bounds from those of the operands.
Interval Intervals::ofOperation(ExprNode const& node) const {
    Interval const a = of(node.a);
    Interval const b = of(node.b);
    switch (node.op) {
    case ExprOp::kSum:
        return choice(node.a, node.b)
            .value_or(Interval{clamped(Wide{a.low} + b.low), clamped(Wide{a.high} + b.high)});
    case ExprOp::kSub: return {clamped(Wide{a.low} - b.high), clamped(Wide{a.high} - b.low)};
    case ExprOp::kProd:
        return node.a == node.b ? both(product(a, b), {0, clamped(kMost)}) : product(a, b);
    case ExprOp::kMax: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case ExprOp::kMin: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case ExprOp::kEqual:
    case ExprOp::kLess: return comparison(node);
    default: return quotient(node.op, a, b);
    }
}

Interval Intervals::ofForm(LinearForm const& form) const {
    Wide low = form.constant;
    Wide high = form.constant;
    for (LinearForm::Term const& term : form.terms) {
        Interval const atom = of(term.of);
        Wide const ends[] = {Wide{term.times} * atom.low, Wide{term.times} * atom.high};
        if (__builtin_add_overflow(low, std::min(ends[0], ends[1]), &low) ||
            __builtin_add_overflow(high, std::max(ends[0], ends[1]), &high)) {
            return {clamped(kLeast), clamped(kMost)};
        }
    }
    return {clamped(low), clamped(high)};
}

/// The bounds of condition * then + (1 - condition) * otherwise, which is one of the two; see
/// choose(). Added up, their bounds would be twice as large.
std::optional<Interval> Intervals::choice(ExprRef one, ExprRef other) const {
    struct Part {
        ExprRef condition;
        Interval value;
    };
    auto const partsOf = [&](ExprRef ref) {
        std::vector<Part> parts{{ref, {1, 1}}}; // a choice of 1 has no product
        ExprNode const& node = nodes_[static_cast<std::size_t>(ref)];
        if (node.op == ExprOp::kProd) {
            parts.push_back({node.a, of(node.b)});
            parts.push_back({node.b, of(node.a)});
        }
        return parts;
    };
    for (Part const& then : partsOf(one)) {
        Interval const condition = of(then.condition);
        if (condition.low < 0 || condition.high > 1) {
            continue;
        }
        for (Part const& otherwise : partsOf(other)) {
            if (forms_.addUpToOne(then.condition, otherwise.condition)) {
                return condition.low == 1    ? then.value
                       : condition.high == 0 ? otherwise.value
                                             : hull(then.value, otherwise.value);
            }
        }
    }
    return std::nullopt;
}

Interval Intervals::comparison(ExprNode const& node) const {
    std::optional<LinearForm> const form = forms_.difference(node.a, node.b);
    Interval const a = of(node.a);
    Interval const b = of(node.b);
    Interval const plain{clamped(Wide{a.low} - b.high), clamped(Wide{a.high} - b.low)};
    Interval const difference = form.has_value() ? both(ofForm(*form), plain) : plain;
    if (node.op == ExprOp::kLess) {
        return {difference.high < 0 ? 1 : 0, difference.low < 0 ? 1 : 0};
    }
    bool const maybe = difference.low <= 0 && difference.high >= 0;
    return {difference == Interval{0, 0} ? 1 : 0, maybe ? 1 : 0};
}

int64_t Intervals::mostElements(ShapeExpr const& shape) const {
    Factors factors;
    Wide plain = 1;
    for (int32_t axis = 0; axis < shape.rank; ++axis) {
        plain = clamped(plain * std::max<int64_t>(of(shape[axis]).high, 0));
        factors.add(nodes_, shape[axis]);
    }
    // floor(n / d) * d <= n for n >= 0 and d > 0.
    constexpr int32_t kMostSteps = 64; // a plan may nest quotients to any depth
    std::size_t at = 0;
    for (int32_t step = 0; step < kMostSteps && factors.whole && at < factors.nodes.size();
         ++step) {
        ExprNode const& node = nodes_[static_cast<std::size_t>(factors.nodes[at++])];
        bool const rounds = node.op == ExprOp::kFloorDiv || node.op == ExprOp::kTruncDiv;
        if (!rounds || of(node.a).low < 0 || of(node.b).low < 0) {
            continue;
        }
        Factors divisor;
        divisor.add(nodes_, node.b);
        Factors rest = factors;
        rest.nodes.erase(rest.nodes.begin() + static_cast<std::ptrdiff_t>(at - 1));
        if (divisor.whole && rest.remove(divisor)) {
            rest.add(nodes_, node.a);
            factors = std::move(rest);
            at = 0; // the dividend may be a quotient itself
        }
    }
    Wide cancelled = factors.number;
    for (ExprRef const factor : factors.nodes) {
        if (of(factor).low < 0) {
            return static_cast<int64_t>(plain);
        }
        cancelled = clamped(cancelled * of(factor).high);
    }
    return static_cast<int64_t>(factors.whole ? std::min(plain, cancelled) : plain);
}

} // namespace kiln::graph
