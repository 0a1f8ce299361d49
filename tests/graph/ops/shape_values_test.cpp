// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Values computed from extents stay known: the ops of shape tensors propagate them.
#include "graph/shape_values.h"

#include <array>
#include <cstring>

#include "graph/op_fixture.h"
#include "graph/ops/activation.h"
#include "graph/ops/cast.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/constant.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/gather.h"
#include "graph/ops/reduce.h"
#include "graph/ops/select.h"
#include "graph/ops/shape.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"
#include "graph/ops/unary.h"

namespace kiln::graph {
namespace {

using nvinfer1::ElementWiseOperation;
using nvinfer1::ReduceOperation;
using nvinfer1::UnaryOperation;
using testing::HasSubstr;

class ShapeValuesOf : public OpTest {
protected:
    struct Zeros : LeafValues {
        int64_t leaf(ExprNode const& node) const override { return node.b == 0 ? 0 : 2; }
    };
    /// A known tensor of rank 1.
    TensorFacts vector(std::vector<int64_t> const& values, DataType type = DataType::kINT64) {
        TensorFacts facts = input(type, {static_cast<int64_t>(values.size())});
        facts.values.emplace();
        for (int64_t const value : values) {
            facts.values->push_back(pool.constant(value));
        }
        return facts;
    }
    /// The extents of [-1, 3, -2], of which the unknown ones are in0.d0 and in0.d1.
    TensorFacts extents() { return infer(Shape{}, {floats({-1, 3, -2})}); }

    /// The values as text, such as "in0.d0 3 in0.d1", or "unknown".
    std::string text(TensorFacts const& facts) {
        if (!facts.values) {
            return "unknown";
        }
        std::string result;
        for (ExprRef const value : *facts.values) {
            result += (result.empty() ? "" : " ") + pool.toText(value);
        }
        return result;
    }
    std::string values(Op const& op, std::vector<TensorFacts> const& inputs) {
        return text(infer(op, inputs));
    }
    static ElementWise elementwise(ElementWiseOperation operation) {
        ElementWise op;
        op.operation = operation;
        return op;
    }
};

TEST_F(ShapeValuesOf, ShapeGivesExtents) {
    TensorFacts const facts = extents();
    EXPECT_EQ(facts.type, DataType::kINT64);
    EXPECT_EQ(toText(knownDims(pool, facts.shape)), "[3]");
    EXPECT_EQ(text(facts), "in0.d0 3 in0.d1");
    EXPECT_EQ(shape(Shape{}, {floats({})}), "[0]");
    throughPlan(Shape{});
}

TEST_F(ShapeValuesOf, ConstantsOfIntegers) {
    std::vector<int32_t> const numbers{7, -1};
    Constant op;
    op.dims = makeDims({2, 1});
    op.value = {DataType::kINT32, numbers.data(), 2};
    EXPECT_EQ(values(op, {}), "7 -1");
    std::vector<int64_t> const many(65);
    op.dims = makeDims({65});
    op.value = {DataType::kINT64, many.data(), 65};
    EXPECT_EQ(values(op, {}), "unknown"); // above the limit of 64
    std::vector<float> const data(17, 0.5F);
    op.dims = makeDims({17});
    op.value = {DataType::kFLOAT, data.data(), 17};
    EXPECT_EQ(values(op, {}), "unknown"); // above the limit of 16
    op.dims = makeDims({2});
    op.value = {DataType::kFLOAT, data.data(), 2};
    EXPECT_EQ(values(op, {}), "0.5 0.5");
}

/// Weights of a mapped file lie where the file has them; sanitizers see wrong accesses.
TEST_F(ShapeValuesOf, ConstantsAtAnyByte) {
    Constant op;
    op.dims = makeDims({2});
    auto const placed = [&]<typename T>(DataType type, std::array<T, 2> const& numbers) {
        alignas(8) std::array<std::byte, 1 + sizeof(numbers)> memory{};
        std::memcpy(memory.data() + 1, numbers.data(), sizeof(numbers));
        op.value = {type, memory.data() + 1, 2};
        return values(op, {});
    };
    EXPECT_EQ(placed(DataType::kINT64, std::array<int64_t, 2>{-7, 5'000'000'000}), "-7 5000000000");
    EXPECT_EQ(placed(DataType::kINT32, std::array<int32_t, 2>{-7, 9}), "-7 9");
    EXPECT_EQ(placed(DataType::kFLOAT, std::array<float, 2>{0.5F, -2.0F}), "0.5 -2");
}

TEST_F(ShapeValuesOf, RealNumbers) {
    Cast toReal;
    toReal.toType = DataType::kFLOAT;
    Cast toInteger;
    toInteger.toType = DataType::kINT64;
    TensorFacts const sizes = infer(toReal, {extents()});
    EXPECT_EQ(text(sizes), "real(in0.d0) 3 real(in0.d1)");
    EXPECT_EQ(values(toInteger, {sizes}), "in0.d0 3 in0.d1");
    std::vector<float> const factors{0.5F, -1.5F, 2.0F};
    Constant constant;
    constant.dims = makeDims({3});
    constant.value = {DataType::kFLOAT, factors.data(), 3};
    TensorFacts const scales = infer(constant, {});
    TensorFacts const products = infer(elementwise(ElementWiseOperation::kPROD), {sizes, scales});
    TensorFacts const whole = infer(toInteger, {products});
    EXPECT_EQ(pool.constantOr(whole.values->at(1)), -4); // towards zero
    Unary floor;
    floor.operation = UnaryOperation::kFLOOR;
    EXPECT_EQ(pool.constantOr(infer(toInteger, {infer(floor, {products})}).values->at(1)), -5);
    // A divisor may be 0 as long as nobody asks for the quotient.
    TensorFacts const quotient = infer(elementwise(ElementWiseOperation::kDIV), {scales, sizes});
    std::vector<int64_t> results(pool.nodes().size());
    evaluate(pool.nodes(), Zeros{}, results);
    EXPECT_EQ(realOf(results[static_cast<std::size_t>(quotient.values->at(0))]), 0.0);
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kLESS), {scales, sizes}), "unknown");
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kPOW), {scales, sizes}), "unknown");
}

TEST_F(ShapeValuesOf, GatherPicks) {
    Gather op;
    EXPECT_EQ(values(op, {extents(), vector({2, 0})}), "in0.d1 in0.d0");
    EXPECT_EQ(values(op, {extents(), vector({-2, 5})}), "3 0"); // from the end; out of range
    TensorFacts scalar = input(DataType::kINT32, {});
    scalar.values = ShapeValues{pool.constant(1)};
    EXPECT_EQ(values(op, {extents(), scalar}), "3");
    EXPECT_EQ(values(op, {extents(), input(DataType::kINT64, {2})}), "unknown");
    op.mode = nvinfer1::GatherMode::kELEMENT;
    EXPECT_EQ(values(op, {extents(), vector({1, 1})}), "3 3");
}

TEST_F(ShapeValuesOf, SliceAndConcatenation) {
    Slice op;
    op.start = makeDims({2});
    op.size = makeDims({2});
    op.stride = makeDims({-2});
    TensorFacts const picked = infer(op, {extents()});
    EXPECT_EQ(text(picked), "in0.d1 in0.d0");
    EXPECT_EQ(values(Concatenation{}, {picked, vector({-1}), picked}),
              "in0.d1 in0.d0 -1 in0.d1 in0.d0");
    EXPECT_EQ(values(Concatenation{}, {picked, input(DataType::kINT64, {1})}), "unknown");
}

TEST_F(ShapeValuesOf, ElementWiseComputes) {
    TensorFacts const two = vector({2});
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kPROD), {vector({4, 5}), two}), "8 10");
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kDIV), {vector({-7, 7}), two}), "-3 3");
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kFLOOR_DIV), {vector({-7}), two}), "-4");
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kSUM), {extents(), two}),
              "(2 + in0.d0) 5 (2 + in0.d1)");
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kGREATER), {vector({1, 3}), two}), "0 1");
    TensorFacts const truths = vector({0, 1}, DataType::kBOOL);
    TensorFacts const yes = vector({1}, DataType::kBOOL);
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kXOR), {truths, yes}), "1 0");
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kAND), {truths, yes}), "0 1");
    // Division by an extent of 0 gives 0 and does not fail.
    TensorFacts const quotient =
        infer(elementwise(ElementWiseOperation::kDIV), {vector({7, 7, 7}), extents()});
    std::vector<int64_t> results(pool.nodes().size());
    evaluate(pool.nodes(), Zeros{}, results);
    EXPECT_EQ(results[static_cast<std::size_t>(quotient.values->at(0))], 0);
    EXPECT_EQ(results[static_cast<std::size_t>(quotient.values->at(2))], 3);
    // These are data, not shapes: values that cannot be computed are unknown.
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kDIV), {two, vector({0})}), "unknown");
    EXPECT_EQ(values(elementwise(ElementWiseOperation::kPOW), {two, two}), "unknown");
}

TEST_F(ShapeValuesOf, ReduceSelectUnaryCast) {
    Reduce reduce;
    reduce.axes = 1;
    reduce.operation = ReduceOperation::kPROD;
    EXPECT_EQ(values(reduce, {vector({4, 5, 2})}), "40");
    reduce.operation = ReduceOperation::kAVG;
    EXPECT_EQ(values(reduce, {vector({-4, -5, 2})}), "-2");
    TensorFacts const which = vector({1, 0}, DataType::kBOOL);
    EXPECT_EQ(values(Select{}, {which, vector({4, 5}), vector({6, 7})}), "4 7");
    Unary unary;
    unary.operation = UnaryOperation::kNEG;
    EXPECT_EQ(values(unary, {vector({4, -5})}), "-4 5");
    unary.operation = UnaryOperation::kSIGN;
    EXPECT_EQ(values(unary, {vector({4, -5, 0})}), "1 -1 0");
    unary.operation = UnaryOperation::kNOT;
    EXPECT_EQ(values(unary, {which}), "0 1");
    Cast cast;
    cast.toType = DataType::kBOOL;
    EXPECT_EQ(values(cast, {vector({4, 0})}), "1 0");
    cast.toType = DataType::kINT32;
    EXPECT_EQ(values(cast, {extents()}), "in0.d0 3 in0.d1");
    cast.toType = DataType::kHALF;
    EXPECT_EQ(values(cast, {extents()}), "unknown");
    Activation relu; // changes values
    EXPECT_EQ(values(relu, {vector({-1})}), "unknown");
}

TEST_F(ShapeValuesOf, ChoiceAtRunTime) {
    TensorFacts condition = input(DataType::kBOOL, {1});
    condition.values = ShapeValues{pool.shapeValue(0, 0)};
    EXPECT_EQ(values(Select{}, {condition, vector({4}), vector({6})}),
              "((6 * (1 - in0[0])) + (in0[0] * 4))");
    EXPECT_EQ(values(Select{}, {condition, vector({4}), vector({4})}), "4");
}

TEST_F(ShapeValuesOf, ShuffleMovesAndFollows) {
    TensorFacts matrix = input(DataType::kINT64, {2, 2});
    matrix.values = *vector({1, 2, 3, 4}).values;
    Shuffle op;
    op.firstTranspose = {1, 0};
    op.reshape = makeDims({4});
    EXPECT_EQ(values(op, {matrix}), "1 3 2 4");
    op = Shuffle{};
    op.reshape = makeDims({3, 1});
    EXPECT_EQ(values(op, {extents()}), "in0.d0 3 in0.d1");
}

TEST_F(ShapeValuesOf, ShuffleTakesDimensionsFromATensor) {
    TensorFacts const x = floats({-1, 3, 4});
    TensorFacts dims = vector({0, -1});
    EXPECT_EQ(shape(Shuffle{}, {x, dims}), "[-1,12]");
    dims.values->at(0) = pool.inputExtent(0, 0);
    EXPECT_EQ(infer(Shuffle{}, {x, dims}).shape[0], x.shape[0]);
    EXPECT_EQ(shape(Shuffle{}, {x, dims}), "[-1,12]");
    EXPECT_THAT(problem(Shuffle{}, {x, vector({-1, -1})}),
                HasSubstr("one -1 at most, got -1 at 1"));
    EXPECT_THAT(problem(Shuffle{}, {x, input(DataType::kINT64, {2})}),
                HasSubstr("reshape dimensions (input 1): expected values that are known before the "
                          "layer runs"));
    EXPECT_THAT(problem(Shuffle{}, {x, floats({2})}),
                HasSubstr("expected int32 or int64 of rank 1 and known length, got float32 [2]"));
    EXPECT_THAT(problem(Shuffle{}, {x, vector({1, 1, 1, 1, 1, 1, 1, 1, -1})}),
                HasSubstr("expected at most 8 entries, got 9"));
}

TEST_F(ShapeValuesOf, SliceTakesOperands) {
    Slice op;
    op.start = makeDims({0, 1});
    op.stride = makeDims({1, 1});
    TensorFacts const x = floats({4, -1});
    TensorFacts size = vector({2, 0});
    size.values->at(1) = pool.binary(ExprOp::kSub, x.shape[1], pool.constant(1));
    EXPECT_EQ(extent(op, {x, none(), size}, 1, {5}), 4);
    EXPECT_THAT(problem(op, {x, none(), vector({2})}),
                HasSubstr("size: expected 2 entries, one for each sliced axis, got 1"));
    EXPECT_EQ(shape(op, {x, none(), vector({3, 2}), none(), none(), vector({-1, 0})}), "[2,3]");
    EXPECT_THAT(problem(op, {none(), none(), vector({3, 2})}),
                HasSubstr("expected a tensor as input 0, got none. Connect it"));
    EXPECT_THAT(problem(op, {x, none(), vector({3, 2}), none(), none(), extents()}),
                HasSubstr("axes (input 5): expected constants"));
}

} // namespace
} // namespace kiln::graph
