// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/program.h"

#include <algorithm>

#include "graph/interval.h"

namespace kiln::compiler {
namespace {

/// A corner of the profiles: of shapes, of values, and of sizes that plugins compute.
struct Corner {
    Dims InputRange::* shape;
    std::vector<int64_t> ValueRange::* values;
};
constexpr Corner kLowest{&InputRange::min, &ValueRange::min};
constexpr Corner kOptimum{&InputRange::opt, &ValueRange::opt};
constexpr Corner kHighest{&InputRange::max, &ValueRange::max};

class CornerLeaves final : public graph::LeafValues {
public:
    CornerLeaves(Ranges const& ranges, Corner const& corner) : ranges_(ranges), corner_(corner) {}

    int64_t leaf(graph::ExprNode const& node) const override {
        auto const slot = static_cast<std::size_t>(node.a);
        auto const at = static_cast<std::size_t>(node.b);
        if (node.op == graph::ExprOp::kInputExtent && slot < ranges_.shapes.size()) {
            return (ranges_.shapes[slot].*corner_.shape).d[at];
        }
        if (slot >= ranges_.values.size()) {
            return 0; // an input whose values nothing needs
        }
        std::vector<int64_t> const& values = ranges_.values[slot].*corner_.values;
        return at < values.size() ? values[at] : 0;
    }

    int64_t sizeTensor(int32_t, int64_t optimum, int64_t upperBound) const override {
        return corner_.shape == kHighest.shape   ? upperBound
               : corner_.shape == kOptimum.shape ? optimum
                                                 : 0;
    }

private:
    Ranges const& ranges_;
    Corner const& corner_;
};

/// Shapes and values of the inputs over a profile.
class ProfileRanges final : public graph::LeafRanges {
public:
    explicit ProfileRanges(Ranges const& ranges) : low_(ranges, kLowest), high_(ranges, kHighest) {}

    graph::Interval leaf(graph::ExprNode const& node) const override {
        return {low_.leaf(node), high_.leaf(node)};
    }

private:
    CornerLeaves low_;
    CornerLeaves high_;
};

std::vector<int64_t> evaluated(Program const& program, Ranges const& ranges, Corner const& corner) {
    CornerLeaves const leaves(ranges, corner);
    std::vector<int64_t> values(program.pool.nodes().size());
    graph::evaluate(program.pool.nodes(), leaves, values);
    return values;
}

Table<ValueId, Dims> dimsAt(Program const& program, Ranges const& ranges, Corner const& corner) {
    std::vector<int64_t> const values = evaluated(program, ranges, corner);
    Table<ValueId, Dims> dims;
    for (Value const& value : program.values()) {
        Dims const& own = dims[dims.add(graph::dimsFrom(value.shape, values))];
        for (int32_t axis = 0; axis < own.nbDims; ++axis) {
            if (own.d[axis] < 0) {
                fail(ErrorKind::kInvalidArgument,
                     "[builder] tensor '{}': the profile gives it the negative shape {}. Widen the "
                     "profile's shapes.",
                     value.name, toText(own));
            }
        }
    }
    return dims;
}

} // namespace

Extents extentsOf(Program const& program) {
    return extentsOf(program, program.united);
}

Extents extentsOf(Program const& program, Ranges const& ranges) {
    // The corners must be valid, but other shapes of the profile may be smaller or larger.
    Extents extents{dimsAt(program, ranges, kLowest), dimsAt(program, ranges, kOptimum),
                    dimsAt(program, ranges, kHighest), &ranges};
    graph::Intervals const intervals(program.pool.nodes(), program.pool.forms(),
                                     ProfileRanges(ranges));
    for (std::size_t i = 0; i < program.values().size(); ++i) {
        auto const id = static_cast<ValueId>(i);
        graph::ShapeExpr const& shape = program.value(id).shape;
        for (int32_t axis = 0; axis < shape.rank; ++axis) {
            graph::Interval const extent = intervals.of(shape[axis]);
            extents.min[id].d[axis] = std::max<int64_t>(extent.low, 0);
            extents.max[id].d[axis] = extent.high;
        }
    }
    return extents;
}

std::vector<Extents> extentsByProfile(Program const& program) {
    std::vector<Extents> extents;
    for (Ranges const& ranges : program.profiles) {
        extents.push_back(extentsOf(program, ranges));
    }
    return extents;
}

graph::Intervals intervalsOf(Program const& program) {
    return {program.pool.nodes(), program.pool.forms(), ProfileRanges(program.united)};
}

std::vector<int64_t> valuesAt(Program const& program, Ranges const& ranges, ProfileCorner corner) {
    return evaluated(program, ranges,
                     corner == ProfileCorner::kMin   ? kLowest
                     : corner == ProfileCorner::kOpt ? kOptimum
                                                     : kHighest);
}

bool dependsOnSize(graph::ExprPool const& pool, graph::ShapeExpr const& shape) {
    return dependsOnSize(pool, shape, [](int64_t) { return true; });
}

bool dependsOnSize(graph::ExprPool const& pool, graph::ShapeExpr const& shape,
                   std::function<bool(int64_t number)> const& isMeant) {
    // Operands precede their users, so one pass suffices. A recursive walk revisits shared nodes.
    std::vector<bool> depends;
    for (graph::ExprNode const& node : pool.nodes()) {
        depends.push_back(
            (node.op == graph::ExprOp::kSizeTensor && isMeant(node.a)) ||
            (node.op >= graph::ExprOp::kSum && (depends[static_cast<std::size_t>(node.a)] ||
                                                depends[static_cast<std::size_t>(node.b)])));
    }
    return std::any_of(shape.extent.begin(), shape.extent.begin() + shape.rank,
                       [&](graph::ExprRef ref) { return depends[static_cast<std::size_t>(ref)]; });
}

target::OperandSpec specOf(Program const& program, Extents const& extents, ValueId value) {
    Value const& own = program.value(value);
    target::OperandSpec spec;
    spec.type = own.type;
    spec.min = extents.min[value];
    spec.opt = extents.opt[value];
    spec.max = extents.max[value];
    spec.constant = own.role == plan::TensorRole::kConstant;
    if (own.recipe != nullptr && own.recipe->isKnown()) {
        spec.data = own.recipe->known().view;
    }
    spec.recipe = own.recipe;
    return spec;
}

target::OperandSpec outputSpecOf(Program const& program, Extents const& extents, Step const& step,
                                 ValueId value) {
    target::OperandSpec spec = specOf(program, extents, value);
    spec.opt = step.findsSizes() ? spec.max : spec.opt;
    return spec;
}

} // namespace kiln::compiler
