// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/shuffle.h"

#include <algorithm>
#include <unordered_set>

#include "base/checked.h"
#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {
namespace {

ShapeExpr transposed(InferContext const& context, ShapeExpr const& shape,
                     Shuffle::Order const& order, std::string_view which) {
    ShapeExpr result;
    result.rank = shape.rank;
    uint32_t seen = 0;
    for (int32_t i = 0; i < shape.rank; ++i) {
        int32_t const axis = order[static_cast<std::size_t>(i)];
        if (axis < 0 || axis >= shape.rank || (seen >> axis & 1U) != 0) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, {} transpose: expected a permutation of 0 to {}, got {} at {}. List every "
                 "dimension once.",
                 where(context, Shuffle::kKind), which, shape.rank - 1, axis, i);
        }
        seen |= 1U << axis;
        result[i] = shape[axis];
    }
    return result;
}

/// A product of extents, with constants kept apart so that equal factors can cancel.
struct Product {
    int64_t constant = 1;
    std::vector<ExprRef> factors;

    void multiply(ExprPool const& pool, ExprRef extent) {
        ExprNode const node = pool.node(extent);
        if (node.op == ExprOp::kConstant) {
            constant = checkedMul(constant, node.value, "shuffle");
        } else if (node.op == ExprOp::kProd &&
                   (pool.isConstant(node.a) || pool.isConstant(node.b))) {
            multiply(pool, node.a);
            multiply(pool, node.b);
        } else {
            factors.push_back(extent);
        }
    }

    ExprRef expression(ExprPool& pool) const {
        ExprRef result = pool.constant(constant);
        for (ExprRef const factor : factors) {
            result = pool.binary(ExprOp::kProd, result, factor);
        }
        return result;
    }
};

Product productOf(ExprPool const& pool, ShapeExpr const& shape, int32_t without = -1) {
    Product product;
    for (int32_t i = 0; i < shape.rank; ++i) {
        if (i != without) {
            product.multiply(pool, shape[i]);
        }
    }
    return product;
}

void cancel(Product& a, Product& b) {
    for (auto at = a.factors.begin(); at != a.factors.end();) {
        auto const other = std::find(b.factors.begin(), b.factors.end(), *at);
        if (other == b.factors.end()) {
            ++at;
        } else {
            b.factors.erase(other);
            at = a.factors.erase(at);
        }
    }
}

/// Whether an expression depends on a host value or a comparison, so that it may be a placeholder.
/// Other expressions depend only on extents. Returns true for expressions that are too large to
/// search, because the rule for placeholders is valid for both.
bool carriesValues(ExprPool const& pool, ExprRef root) {
    constexpr std::size_t kMostNodes = 1000;
    std::unordered_set<ExprRef> seen;
    std::vector<ExprRef> waiting{root};
    while (!waiting.empty() && seen.size() < kMostNodes) {
        ExprRef const ref = waiting.back();
        waiting.pop_back();
        ExprNode const& node = pool.node(ref);
        if (node.op == ExprOp::kShapeValue || node.op == ExprOp::kEqual ||
            node.op == ExprOp::kLess) {
            return true;
        }
        if (node.op >= ExprOp::kSum && seen.insert(ref).second) {
            waiting.push_back(node.a);
            waiting.push_back(node.b);
        }
    }
    return !waiting.empty();
}

/// Whether an expression is an extent of the input, or a product of these and of numbers: it may
/// carry values, as the extents of a slice do, but is no placeholder.
bool isOfExtents(ExprPool const& pool, ExprRef root, ShapeExpr const& source) {
    auto const isExtent = [&](ExprRef ref) {
        auto const end = source.extent.begin() + source.rank;
        return pool.constantOr(ref) > 0 || std::find(source.extent.begin(), end, ref) != end;
    };
    constexpr std::size_t kMostFactors = 16;
    std::vector<ExprRef> factors{root};
    for (std::size_t i = 0; i < factors.size(); ++i) {
        ExprNode const& node = pool.node(factors[i]);
        if (isExtent(factors[i])) {
            continue;
        }
        if (node.op != ExprOp::kProd || factors.size() > kMostFactors) {
            return false;
        }
        factors.insert(factors.end(), {node.a, node.b});
    }
    return true;
}

[[noreturn]] void failCount(InferContext const& context, Dims const& from, Dims const& to) {
    fail(ErrorKind::kInvalidArgument,
         "{}: expected reshape dimensions for the elements of {}, got {}. Use dimensions with the "
         "same product.",
         where(context, Shuffle::kKind), toText(from), toText(to));
}

} // namespace

std::string Shuffle::problem() const {
    if (reshape.nbDims < -1 || reshape.nbDims > Dims::MAX_DIMS) {
        return fmt::format("expected reshape dimensions of rank 0 to {}, got {}.",
                           static_cast<int32_t>(Dims::MAX_DIMS), reshape.nbDims);
    }
    int32_t const count = std::max(reshape.nbDims, 0);
    bool const inRange =
        std::all_of(reshape.d, reshape.d + count, [](int64_t d) { return d >= -1; });
    if (!inRange || std::count(reshape.d, reshape.d + count, -1) > 1) {
        return fmt::format("expected reshape dimensions of 0 or more with one -1 at most, got {}.",
                           toText(reshape));
    }
    return {};
}

std::optional<ShapeExpr> Shuffle::wanted(InferContext const& context) const {
    ExprPool& pool = context.pool;
    if (context.inputs.size() < 2) {
        return reshape.nbDims < 0 ? std::nullopt : std::optional(constantShape(pool, reshape));
    }
    int64_t const rank = expectShapeTensor(context, kKind, 1, "reshape dimensions");
    ShapeExpr shape;
    if (!context.given.empty()) { // the output's extents, with the second transpose undone
        shape = constantShape(pool, context.given[0]);
        for (int32_t i = 0; i < shape.rank; ++i) {
            int32_t const axis = secondTranspose[static_cast<std::size_t>(i)];
            if (axis >= 0 && axis < shape.rank) {
                shape[axis] = pool.constant(context.given[0].d[i]);
            }
        }
        return shape;
    }
    ShapeValues const& values = expectValues(context, kKind, 1, "reshape dimensions");
    if (rank > Dims::MAX_DIMS) {
        fail(ErrorKind::kInvalidArgument,
             "{}, reshape dimensions (input 1): expected at most {} entries, got {}. Reshape to "
             "fewer dimensions.",
             where(context, kKind), static_cast<int32_t>(Dims::MAX_DIMS), rank);
    }
    shape.rank = static_cast<int32_t>(rank);
    std::copy(values.begin(), values.end(), shape.extent.begin());
    return shape;
}

ShapeExpr Shuffle::reshaped(InferContext const& context) const {
    ShapeExpr const source = transposed(context, context.inputs[0].shape, firstTranspose, "first");
    std::optional<ShapeExpr> const extents = wanted(context);
    if (!extents) {
        return source;
    }
    ExprPool& pool = context.pool;
    Placeholders const found = placeholders(context, source, *extents);
    return found.maybeOpen.empty() ? withOpenExtent(context, source, *extents, found)
                                   : withOpenExtents(pool, source, found);
}

Shuffle::Placeholders Shuffle::placeholders(InferContext const& context, ShapeExpr const& source,
                                            ShapeExpr const& extents) const {
    ExprPool& pool = context.pool;
    // Shapes that were computed before have no placeholders.
    bool const areGiven = context.inputs.size() >= 2 && !context.given.empty();
    bool const copiesZeros = zeroIsPlaceholder && !areGiven;
    Placeholders found;
    found.shape.rank = extents.rank;
    for (int32_t i = 0; i < extents.rank; ++i) {
        ExprRef const extent = extents[i];
        if (!pool.isConstant(extent)) {
            found.shape[i] = extent;
            bool const isExtent = isOfExtents(pool, extent, source);
            if (!isExtent && carriesValues(pool, extent)) { // may be 0 or -1 at run time
                ExprRef const isZero = pool.binary(ExprOp::kEqual, extent, pool.constant(0));
                ExprRef const isOpen = pool.binary(ExprOp::kEqual, extent, pool.constant(-1));
                ExprRef const kept = copiesZeros && i < source.rank
                                         ? choose(pool, isZero, source[i], extent)
                                         : extent;
                found.shape[i] = choose(pool, isOpen, pool.constant(1), kept);
                found.maybeOpen.push_back({i, isOpen});
            }
            continue;
        }
        int64_t const known = pool.node(extent).value;
        bool const copies = known == 0 && copiesZeros;
        if (copies && i >= source.rank) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected an input dimension {} for the 0 in reshape dimensions {}, got {}. "
                 "Write the extent, or switch off that 0 is a placeholder.",
                 where(context, kKind), i, toText(knownDims(pool, extents)),
                 toText(knownDims(pool, source)));
        }
        if (known < -1 || (known == -1 && found.open >= 0)) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected reshape dimensions of 0 or more with one -1 at most, got {} at "
                 "{}. Change the values of input 1.",
                 where(context, kKind), known, i);
        }
        if (known == -1) {
            found.open = i;
        }
        found.shape[i] = copies ? source[i] : known == -1 ? pool.constant(1) : extent;
    }
    return found;
}

ShapeExpr Shuffle::withOpenExtent(InferContext const& context, ShapeExpr const& source,
                                  ShapeExpr const& extents, Placeholders const& found) {
    ExprPool& pool = context.pool;
    ShapeExpr result = found.shape;
    Product all = productOf(pool, source);
    Product given = productOf(pool, result, found.open);
    cancel(all, given);
    bool const isOpen = found.open >= 0;
    bool const divides =
        given.constant == 0 ? all.constant == 0 && !isOpen : all.constant % given.constant == 0;
    bool const certain = all.factors.empty() && given.factors.empty();
    if (isOpen ? (given.constant == 0 || (certain && !divides))
               : (certain && all.constant != given.constant)) {
        failCount(context, knownDims(pool, source), knownDims(pool, extents));
    }
    if (isOpen) {
        if (divides) {
            all.constant /= given.constant;
            given.constant = 1;
        }
        result[found.open] =
            pool.binary(ExprOp::kFloorDiv, all.expression(pool), given.expression(pool));
    }
    return result;
}

ShapeExpr Shuffle::withOpenExtents(ExprPool& pool, ShapeExpr const& source,
                                   Placeholders const& found) {
    ShapeExpr result = found.shape;
    // All branches of a choice are evaluated, so the division must be valid even if its result is
    // unused.
    ExprRef const given =
        pool.binary(ExprOp::kMax, productOf(pool, result).expression(pool), pool.constant(1));
    ExprRef const rest =
        pool.binary(ExprOp::kFloorDiv, productOf(pool, source).expression(pool), given);
    for (auto const& [axis, isOpen] : found.maybeOpen) {
        result[axis] = choose(pool, isOpen, rest, result[axis]);
    }
    if (found.open >= 0) {
        result[found.open] = rest;
    }
    return result;
}

void Shuffle::followValues(InferContext& context) const {
    ExprPool& pool = context.pool;
    TensorFacts const& input = context.inputs[0];
    if (!input.values) {
        return;
    }
    TensorFacts between{input.type, reshaped(context)};
    // Elements in the order of the first transpose; the reshape does not change it.
    TensorFacts first{input.type, transposed(context, input.shape, firstTranspose, "first")};
    auto const moved = [&](TensorFacts const& from, Order const& order, TensorFacts& to) {
        followElements(pool, to, [&](Position const& position) {
            Position at = position;
            for (int32_t i = 0; i < position.nbDims; ++i) {
                at.d[order[static_cast<std::size_t>(i)]] = position.d[i];
            }
            return valueAt(pool, from, at);
        });
    };
    moved(input, firstTranspose, first);
    if (!first.values || !canFollow(pool, between)) {
        return;
    }
    between.values = first.values;
    moved(between, secondTranspose, context.outputs[0]);
}

void Shuffle::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 2);
    context.outputs[0].type = context.inputs[0].type;
    context.outputs[0].shape = transposed(context, reshaped(context), secondTranspose, "second");
    followValues(context);
}

TypeRule Shuffle::typeRule(int32_t operand, int32_t inputCount) const {
    return operand == 1 && inputCount == 2 ? TypeRule::kFixed : TypeRule::kCompute;
}

void registerOp_shuffle(OpRegistry& registry) {
    registry.add(Shuffle::kKind, &Shuffle::load);
}

} // namespace kiln::graph
