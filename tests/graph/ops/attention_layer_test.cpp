// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/attention_layer.h"

#include "graph/op_fixture.h"
#include "graph/ops/region.h"

namespace kiln::graph {
namespace {

using nvinfer1::AttentionIOForm;
using testing::HasSubstr;

class AttentionLayerOp : public OpTest {
protected:
    std::vector<TensorFacts> padded() {
        return {floats({2, 6, -1, 8}), floats({2, 3, -2, 8}), floats({2, 3, -2, 10})};
    }
    static AttentionLayer packed() {
        AttentionLayer op;
        op.queryForm = op.keyForm = AttentionIOForm::kPACKED_NHD;
        return op;
    }
    std::string partsShape(AttentionLayer const& op, std::vector<TensorFacts> const& inputs) {
        std::vector<TensorFacts> outputs(1);
        InferContext const context{pool, "probe", inputs, outputs};
        auto const region = op.parts(context);
        std::vector<TensorFacts> const facts = region->facts(pool, "probe", inputs);
        return toText(knownDims(pool, facts[static_cast<std::size_t>(region->results()[0])].shape));
    }
};

TEST_F(AttentionLayerOp, HasTheShapeOfItsParts) {
    EXPECT_EQ(shape(AttentionLayer(), padded()), "[2,6,-1,10]");
    EXPECT_EQ(partsShape(AttentionLayer(), padded()), "[2,6,-1,10]");
    std::vector<TensorFacts> tokens = {floats({9, 6, 8}), floats({-1, 3, 8}), floats({-1, 3, 10})};
    tokens.insert(tokens.end(),
                  {none(), none(), input(DataType::kINT32, {3}), input(DataType::kINT64, {3})});
    EXPECT_EQ(shape(packed(), tokens), "[9,6,10]");
    EXPECT_EQ(partsShape(packed(), tokens), "[9,6,10]");
}

TEST_F(AttentionLayerOp, ChecksOperands) {
    std::vector<TensorFacts> tensors = padded();
    tensors[1] = floats({2, 4, -2, 8});
    EXPECT_THAT(problem(AttentionLayer(), tensors),
                HasSubstr("expected a key with the batch and the size of the query, and heads that "
                          "divide its heads"));
    tensors = padded();
    tensors[2] = floats({3, 10, 8});
    EXPECT_THAT(problem(AttentionLayer(), tensors),
                HasSubstr("value (input 2): expected float32 [batch, heads, length, size], got "
                          "float32 [3,10,8]."));
    tensors = padded();
    tensors.push_back(input(DataType::kINT32, {1, 1, 1, 1}));
    EXPECT_THAT(problem(AttentionLayer(), tensors),
                HasSubstr("mask (input 3): expected bool or float32 with the extents [2,6,-1,-1] "
                          "or 1, got int32 [1,1,1,1]."));
}

TEST_F(AttentionLayerOp, PackedNeedsLengthsAndNoMask) {
    std::vector<TensorFacts> tokens = {floats({9, 6, 8}), floats({7, 3, 8}), floats({7, 3, 8})};
    EXPECT_THAT(problem(packed(), tokens),
                HasSubstr("query lengths (input 5): expected the first token of each packed "
                          "sequence, got none. Set the lengths."));
    tokens.push_back(input(DataType::kBOOL, {1, 1, 9, 7}));
    EXPECT_THAT(test::errorOf(ErrorKind::kUnsupported, [&] { infer(packed(), tokens); }),
                HasSubstr("expected no mask of packed sequences"));
}

TEST_F(AttentionLayerOp, QuantizationNeedsScaleAndType) {
    AttentionLayer op;
    op.quantizedType = DataType::kINT8;
    EXPECT_THAT(problem(op, padded()),
                HasSubstr("expected a scale (input 4) and a type of quantized weights, or neither, "
                          "got int8. Set both."));
    op.quantizedType = DataType::kINT32;
    EXPECT_THAT(problem(op, padded()), HasSubstr("expected weights that are quantized to fp8"));
    throughPlan(packed());
}

} // namespace
} // namespace kiln::graph
