// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/program.h"

namespace kiln::compiler {
namespace {

class RangeLeaves final : public graph::LeafValues {
public:
    RangeLeaves(std::vector<InputRange> const& ranges, Dims InputRange::* corner)
        : ranges_(ranges), corner_(corner) {}

    int64_t leaf(graph::ExprNode const& node) const override {
        if (node.op != graph::ExprOp::kInputExtent ||
            static_cast<std::size_t>(node.a) >= ranges_.size()) {
            fail(ErrorKind::kInternal, "[builder] expression leaf of kind {} has no value.",
                 static_cast<int32_t>(node.op));
        }
        return (ranges_[static_cast<std::size_t>(node.a)].*corner_).d[node.b];
    }

private:
    std::vector<InputRange> const& ranges_;
    Dims InputRange::* corner_;
};

std::vector<Dims> dimsAt(Program const& program, Dims InputRange::* corner) {
    RangeLeaves const leaves(program.ranges, corner);
    std::vector<int64_t> values(program.pool.nodes().size());
    graph::evaluate(program.pool.nodes(), leaves, values);
    std::vector<Dims> dims;
    for (Value const& value : program.values) {
        dims.push_back(graph::dimsFrom(value.shape, values));
        for (int32_t axis = 0; axis < dims.back().nbDims; ++axis) {
            if (dims.back().d[axis] < 0) {
                fail(ErrorKind::kInvalidArgument,
                     "[builder] tensor '{}': the profile gives it the negative shape {}. Widen the "
                     "profile's shapes.",
                     value.name, toText(dims.back()));
            }
        }
    }
    return dims;
}

} // namespace

Extents extentsOf(Program const& program) {
    return {dimsAt(program, &InputRange::min), dimsAt(program, &InputRange::opt),
            dimsAt(program, &InputRange::max)};
}

backend::OperandSpec specOf(Program const& program, Extents const& extents, int32_t value) {
    auto const index = static_cast<std::size_t>(value);
    Value const& own = program.values[index];
    backend::OperandSpec spec;
    spec.type = own.type;
    spec.min = extents.min[index];
    spec.opt = extents.opt[index];
    spec.max = extents.max[index];
    spec.constant = own.role == plan::TensorRole::kConstant;
    spec.data = own.data;
    return spec;
}

} // namespace kiln::compiler
