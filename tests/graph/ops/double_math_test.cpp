// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/double_math.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class DoubleMathOp : public OpTest {
protected:
    DoubleMath of(DoubleOperation operation) {
        DoubleMath op;
        op.operation = operation;
        return op;
    }
    TensorFacts bits(std::initializer_list<int64_t> dims) { return input(DataType::kINT64, dims); }
    TensorFacts numbers(std::initializer_list<double> values) {
        TensorFacts facts = bits({static_cast<int64_t>(values.size())});
        facts.doubles.emplace();
        for (double const value : values) {
            facts.doubles->push_back(pool.real(value));
        }
        return facts;
    }
};

TEST_F(DoubleMathOp, HasTheTypeOfTheOperation) {
    EXPECT_EQ(infer(of(DoubleOperation::kFROM_FLOAT), {floats({3})}).type, DataType::kINT64);
    EXPECT_EQ(infer(of(DoubleOperation::kTO_FLOAT), {bits({3})}).type, DataType::kFLOAT);
    EXPECT_EQ(infer(of(DoubleOperation::kPROD), {bits({3}), bits({3})}).type, DataType::kINT64);
    EXPECT_EQ(infer(of(DoubleOperation::kLESS), {bits({3}), bits({3})}).type, DataType::kBOOL);
    throughPlan(of(DoubleOperation::kMIN));
}

TEST_F(DoubleMathOp, RepeatsOneElement) {
    EXPECT_EQ(shape(of(DoubleOperation::kSUM), {bits({3}), bits({1})}), "[3]");
    EXPECT_EQ(shape(of(DoubleOperation::kSUM), {bits({1}), bits({3})}), "[3]");
    EXPECT_EQ(shape(of(DoubleOperation::kSUM), {bits({}), bits({1})}), "[1]");
}

TEST_F(DoubleMathOp, KeepsAllDigits) {
    TensorFacts const sum =
        infer(of(DoubleOperation::kSUM), {numbers({1.0, 2.0}), numbers({1e-12})});
    ASSERT_TRUE(sum.doubles.has_value());
    EXPECT_FALSE(sum.values.has_value()); // nobody takes the bits for integers
    EXPECT_EQ(sum.doubles->front(), pool.real(1.0 + 1e-12));
    TensorFacts const product =
        infer(of(DoubleOperation::kPROD), {numbers({100}), numbers({0.29})});
    TensorFacts const whole = infer(of(DoubleOperation::kTO_INTEGER), {product});
    ASSERT_TRUE(whole.values.has_value());
    EXPECT_EQ(pool.constantOr(whole.values->front()), 28);
    TensorFacts const single = infer(of(DoubleOperation::kTO_FLOAT), {sum});
    EXPECT_EQ(single.values->front(), pool.real(1.0));
}

TEST_F(DoubleMathOp, ChecksOperands) {
    EXPECT_THAT(problem(of(DoubleOperation::kSUM), {bits({3}), bits({2})}),
                HasSubstr("one shape, or one of one element, got [3] and [2]"));
    EXPECT_THAT(problem(of(DoubleOperation::kNEG), {floats({3})}),
                HasSubstr("expected operands of int64, got float32"));
    EXPECT_THAT(problem(of(DoubleOperation::kSUM), {bits({3})}), HasSubstr("2"));
    EXPECT_THAT(problem(of(static_cast<DoubleOperation>(77)), {bits({3})}),
                HasSubstr("expected a member of DoubleOperation, got 77."));
}

} // namespace
} // namespace kiln::graph
