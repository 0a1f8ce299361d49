// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plans for refit whose recipes pass the checks of the reader and are wrong: operations on operands
// that do not fit them. rebind() must refuse these, and the engine must run as before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "compiler/compile.h"
#include "graph/ops/attention.h"
#include "graph/ops/cast.h"
#include "graph/ops/constant.h"
#include "graph/ops/convolution.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/gather.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/normalization.h"
#include "graph/ops/pooling.h"
#include "graph/ops/reduce.h"
#include "graph/ops/slice.h"
#include "plan/reader.h"
#include "plan/writer.h"
#include "runtime/context.h"

namespace kiln::test {
namespace {

constexpr std::size_t kElements = 128;

/// y = x + cast(w), for refit: weights 0 is "w/value", 1 the cast.
Bytes castPlan() {
    static std::vector<float> const numbers(kElements, 0.5F);
    graph::Network network(true);
    graph::Tensor& x = network.addInput("x", DataType::kHALF, makeDims({kElements}));
    auto constant = std::make_unique<graph::Constant>();
    constant->value = {DataType::kFLOAT, numbers.data(), static_cast<int64_t>(kElements)};
    constant->dims = makeDims({kElements});
    graph::Node& w = network.addNode(std::move(constant), {});
    w.name = "w";
    auto cast = std::make_unique<graph::Cast>();
    cast->toType = DataType::kHALF;
    graph::Tensor& half = *network.addNode(std::move(cast), {w.outputs[0]}).outputs[0];
    network.markOutput(
        *network.addNode(std::make_unique<graph::ElementWise>(), {&x, &half}).outputs[0]);
    compiler::Options options;
    options.target = "cpu";
    options.timingRuns = 1;
    options.refit = true;
    return compiler::compile(network, options);
}

/// Opens the plan with these recipes and rebinds 'w/value'. Returns the error; empty: none.
std::string rebound(plan::Document const& document) {
    runtime::Engine engine(runtime::copyOfPlan(plan::write(document)), Log());
    std::vector<float> const numbers(kElements, 2.0F);
    runtime::NewWeights const weights{"w/value", DataType::kFLOAT,
                                      std::as_bytes(std::span(numbers))};
    try {
        engine.rebind({&weights, 1}, {});
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

class LyingRecipe : public testing::Test {
protected:
    LyingRecipe() : bytes_(castPlan()), document(plan::read(bytes_)) {}

    template <typename Op>
    void setOp(Op const& op) {
        ByteWriter writer;
        op.save(writer);
        document.weights[1].op = Op::kKind;
        document.weights[1].parameters = writer.take();
    }

private:
    Bytes bytes_;

protected:
    plan::Document document;
};

TEST_F(LyingRecipe, TheTruthIsBound) {
    ASSERT_EQ(document.weights.size(), 2U);
    EXPECT_EQ(rebound(document), "");
}

TEST_F(LyingRecipe, OtherExtentsThanTheOperationGives) {
    document.weights[1].operands[0].dims = makeDims({kElements / 2, 2});
    EXPECT_THAT(rebound(document), testing::HasSubstr("[shape] Cast"));
}

TEST_F(LyingRecipe, AnotherTypeThanTheOperationGives) {
    graph::Cast cast;
    cast.toType = DataType::kINT8;
    setOp(cast);
    EXPECT_THAT(rebound(document), testing::HasSubstr("[shape] Cast"));
}

TEST_F(LyingRecipe, TooManyOperands) {
    document.weights[1].operands.push_back(document.weights[1].operands[0]);
    EXPECT_NE(rebound(document), "");
}

/// Every operation that was not meant for these operands.
TEST_F(LyingRecipe, OtherOperations) {
    auto const expectRefused = [&](auto const& op) {
        setOp(op);
        for (std::size_t operands = 1; operands <= 4; ++operands) {
            document.weights[1].operands.assign(operands, document.weights[1].operands[0]);
            for (Dims const& dims : {makeDims({kElements}), makeDims({1, 2, 8, 8})}) {
                for (plan::WeightOperand& operand : document.weights[1].operands) {
                    operand.dims = dims;
                }
                EXPECT_NE(rebound(document), "") << op.kKind << " of " << operands;
            }
        }
    };
    expectRefused(graph::Attention());
    expectRefused(graph::Convolution());
    expectRefused(graph::ElementWise());
    expectRefused(graph::Gather());
    expectRefused(graph::MatrixMultiply());
    graph::Normalization normalization;
    normalization.axes = 1;
    expectRefused(normalization);
    expectRefused(graph::Pooling());
    graph::Reduce reduce;
    reduce.axes = 1;
    expectRefused(reduce);
    expectRefused(graph::Slice());
}

TEST_F(LyingRecipe, ASourceThatIsNotInThePlan) {
    plan::WeightRecord other;
    other.name = "other/value";
    other.type.type = DataType::kHALF;
    other.sourceBytes = kElements * 2;
    plan::WeightRecord sum;
    sum.op = graph::ElementWise::kKind;
    ByteWriter writer;
    graph::ElementWise().save(writer);
    sum.parameters = writer.take();
    sum.type.type = DataType::kHALF;
    sum.operands = {{1, makeDims({kElements})}, {2, makeDims({kElements})}};
    sum.dims = makeDims({kElements});
    document.weights.push_back(other);
    document.weights.push_back(sum);
    for (plan::TensorRecord& tensor : document.tensors) {
        tensor.weight = tensor.weight == 1 ? 3 : tensor.weight;
    }
    EXPECT_THAT(rebound(document),
                testing::HasSubstr("[weights] 'other/value': expected its 256 bytes"));
}

} // namespace
} // namespace kiln::test
