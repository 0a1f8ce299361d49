// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "graph/op_registry.h"

namespace kiln::graph {

/// Infers one op from input facts. An extent of -1 - i is the unknown number i, so equal numbers
/// are the same unknown.
class OpTest : public testing::Test {
protected:
    TensorFacts input(DataType type, std::initializer_list<int64_t> extents) {
        TensorFacts facts{type, {}};
        for (int64_t const extent : extents) {
            facts.shape[facts.shape.rank++] =
                extent >= 0 ? pool.constant(extent)
                            : pool.inputExtent(0, static_cast<int32_t>(-1 - extent));
        }
        return facts;
    }
    TensorFacts floats(std::initializer_list<int64_t> extents) {
        return input(DataType::kFLOAT, extents);
    }

    static TensorFacts none() { return TensorFacts::absent(); }

    TensorFacts infer(Op const& op, std::vector<TensorFacts> const& inputs) {
        std::vector<TensorFacts> outputs(1);
        InferContext context{pool, "probe", inputs, outputs};
        expectPresent(context, op);
        op.infer(context);
        return outputs[0];
    }
    /// The output's shape as text, such as "[2,-1]"; -1 is an unknown extent.
    std::string shape(Op const& op, std::vector<TensorFacts> const& inputs) {
        return toText(knownDims(pool, infer(op, inputs).shape));
    }
    /// The extent of an output axis when the unknowns -1, -2, ... have these values.
    int64_t extent(Op const& op, std::vector<TensorFacts> const& inputs, int32_t axis,
                   std::vector<int64_t> const& unknowns) {
        struct Leaves : LeafValues {
            std::vector<int64_t> const& values;
            explicit Leaves(std::vector<int64_t> const& given) : values(given) {}
            int64_t leaf(ExprNode const& node) const override {
                return values.at(static_cast<std::size_t>(node.b));
            }
        };
        ExprRef const result = infer(op, inputs).shape[axis];
        std::vector<int64_t> values(pool.nodes().size());
        evaluate(pool.nodes(), Leaves(unknowns), values);
        return values[static_cast<std::size_t>(result)];
    }
    std::string problem(Op const& op, std::vector<TensorFacts> const& inputs) {
        return test::errorOf(ErrorKind::kInvalidArgument, [&] { infer(op, inputs); });
    }

    ExprPool pool;
};

inline Bytes saved(Op const& op) {
    ByteWriter writer;
    op.save(writer);
    return writer.take();
}

/// Saves and loads the op. Also checks that every truncation of its bytes is refused.
inline std::unique_ptr<Op> throughPlan(Op const& op) {
    Bytes const bytes = saved(op);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        test::errorOf(ErrorKind::kCorruptData, [&] {
            OpRegistry::instance().load(op.kind(), ByteView(bytes).first(length));
        });
    }
    std::unique_ptr<Op> loaded = OpRegistry::instance().load(op.kind(), bytes);
    EXPECT_EQ(saved(*loaded), bytes);
    EXPECT_EQ(saved(*op.clone()), bytes);
    EXPECT_EQ(loaded->kind(), op.kind());
    return loaded;
}

} // namespace kiln::graph
