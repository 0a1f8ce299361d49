// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The ways in which layer and RMS normalization are written from parts, and what only looks like
// them. tests/models compares results with torch.
#include <gmock/gmock.h>

#include "graph/ops/normalization.h"
#include "program_fixture.h"

namespace kiln::compiler {
namespace {

using graph::Normalization;
using nvinfer1::UnaryOperation;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

class LayerNorm : public ProgramTest {
protected:
    enum class Square { kPower, kProduct };
    enum class Root { kDivide, kReciprocal, kOneOver, kPower };

    Tensor& squared(Tensor& d, Square how) {
        return how == Square::kPower ? elementwise(Operation::kPOW, d, scalar(2.0F, 3))
                                     : elementwise(Operation::kPROD, d, d);
    }
    /// d / sqrt(variance + epsilon).
    Tensor& scaled(Tensor& d, Tensor& variance, Root how, float epsilon = 1e-5F) {
        Tensor& sum = elementwise(Operation::kSUM, variance, scalar(epsilon, 3));
        if (how == Root::kPower) {
            return elementwise(Operation::kPROD, d,
                               elementwise(Operation::kPOW, sum, scalar(-0.5F, 3)));
        }
        Tensor& root = unary(UnaryOperation::kSQRT, sum);
        if (how == Root::kDivide) {
            return elementwise(Operation::kDIV, d, root);
        }
        Tensor& inverse = how == Root::kReciprocal
                              ? unary(UnaryOperation::kRECIP, root)
                              : elementwise(Operation::kDIV, scalar(1.0F, 3), root);
        return elementwise(Operation::kPROD, inverse, d);
    }
    Tensor& centered(Tensor& x, uint32_t axes) {
        return elementwise(Operation::kSUB, x, mean(x, axes));
    }
    Tensor& normalized(Tensor& x, uint32_t axes = 4, Square square = Square::kPower,
                       Root root = Root::kDivide) {
        Tensor& d = centered(x, axes);
        return scaled(d, mean(squared(d, square), axes), root);
    }
    Normalization const& only(Program const& program) {
        return *program.step(*program.order().begin()).as<Normalization>();
    }
    std::vector<float> numbers(Program const& program, std::size_t operand) {
        return floatsOf(program.value(program.step(*program.order().begin()).inputs()[operand]));
    }

    Tensor& x = input("x", makeDims({2, 3, 4}));
    Tensor& scale = constant({1, 2, 3, 4}, makeDims({1, 1, 4}));
    Tensor& bias = constant({5, 6, 7, 8}, makeDims({1, 1, 4}));
};

TEST_F(LayerNorm, EachWayToWriteIt) {
    std::vector<Tensor*> results;
    for (Square const square : {Square::kPower, Square::kProduct}) {
        for (Root const root : {Root::kDivide, Root::kReciprocal, Root::kOneOver, Root::kPower}) {
            results.push_back(&normalized(x, 4, square, root));
        }
    }
    for (std::size_t i = 1; i < results.size(); ++i) {
        network.markOutput(*results[i]);
    }
    EXPECT_THAT(kindsFor(*results[0]),
                testing::AllOf(testing::Each("Normalization"), testing::SizeIs(8)));
}

TEST_F(LayerNorm, ScaleAndBiasJoin) {
    Tensor& product = elementwise(Operation::kPROD, normalized(x), scale);
    Program const& program = programFor(elementwise(Operation::kSUM, bias, product));
    EXPECT_TRUE(only(program).centers);
    EXPECT_EQ(only(program).axes, 4U);
    EXPECT_FLOAT_EQ(only(program).epsilon, 1e-5F);
    EXPECT_THAT(numbers(program, 1), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(numbers(program, 2), ElementsAre(5, 6, 7, 8));
    Step const& step = program.step(*program.order().begin());
    EXPECT_THAT(step.rewrites, ElementsAre(testing::StartsWith("recognise_layer_norm: "),
                                           testing::StartsWith("fold_affine: "),
                                           testing::StartsWith("fold_affine: ")));
}

TEST_F(LayerNorm, OnlyABiasOrOnlyAScale) {
    Program const& program = programFor(elementwise(Operation::kSUM, normalized(x), bias));
    EXPECT_THAT(numbers(program, 1), ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(numbers(program, 2), ElementsAre(5, 6, 7, 8));
}

TEST_F(LayerNorm, RootMeanSquare) {
    for (Square const square : {Square::kPower, Square::kProduct}) {
        Tensor& result = scaled(x, mean(squared(x, square), 4), Root::kReciprocal);
        network.markOutput(elementwise(Operation::kPROD, scale, result));
    }
    Tensor& last = scaled(x, mean(squared(x, Square::kPower), 4), Root::kOneOver, 1e-6F);
    Program const& program = programFor(last);
    for (StepId const id : program.order()) {
        ASSERT_NE(program.step(id).as<Normalization>(), nullptr);
        EXPECT_FALSE(program.step(id).as<Normalization>()->centers);
    }
}

TEST_F(LayerNorm, CastsToFloatAndBackGo) { // T5 and Llama in float16
    Tensor& half = input("half", makeDims({2, 3, 4}), DataType::kHALF);
    Tensor& wide = cast(half, DataType::kFLOAT);
    Tensor& result = scaled(wide, mean(squared(wide, Square::kPower), 4), Root::kReciprocal);
    Tensor& weight = cast(scale, DataType::kHALF);
    Tensor& output = elementwise(Operation::kPROD, weight, cast(result, DataType::kHALF));
    EXPECT_THAT(kindsFor(output), ElementsAre("Normalization"));
}

TEST_F(LayerNorm, SeveralLastAxes) {
    EXPECT_THAT(kindsFor(normalized(x, 6)), ElementsAre("Normalization"));
}

class NoLayerNorm : public LayerNorm {
protected:
    void expectNone(Tensor& output) {
        EXPECT_THAT(kindsFor(output), Not(Contains("Normalization")));
    }
};

TEST_F(NoLayerNorm, AnotherAxisOfTheVariance) {
    Tensor& d = centered(x, 4);
    expectNone(scaled(d, mean(squared(d, Square::kPower), 2), Root::kDivide));
}

TEST_F(NoLayerNorm, AnotherAxisOfTheMeanIsRootMeanSquareOfTheDifference) {
    Tensor& d = centered(x, 2);
    EXPECT_THAT(kindsFor(scaled(d, mean(squared(d, Square::kPower), 4), Root::kDivide)),
                ElementsAre("Reduce", "ElementWise", "Normalization"));
}

TEST_F(NoLayerNorm, AxesInTheMiddle) {
    expectNone(normalized(x, 2));
}

TEST_F(NoLayerNorm, AnEpsilonForEachElement) {
    Tensor& d = centered(x, 4);
    Tensor& epsilon = constant({1e-5F, 1e-6F, 1e-7F}, makeDims({1, 3, 1}));
    Tensor& variance = mean(squared(d, Square::kPower), 4);
    Tensor& root = unary(UnaryOperation::kSQRT, elementwise(Operation::kSUM, variance, epsilon));
    expectNone(elementwise(Operation::kDIV, d, root));
}

TEST_F(NoLayerNorm, ANegativeEpsilon) {
    Tensor& d = centered(x, 4);
    expectNone(scaled(d, mean(squared(d, Square::kPower), 4), Root::kDivide, -1e-3F));
}

TEST_F(NoLayerNorm, AnotherPower) {
    Tensor& d = centered(x, 4);
    Tensor& cubes = elementwise(Operation::kPOW, d, scalar(3.0F, 3));
    expectNone(scaled(d, mean(cubes, 4), Root::kDivide));
}

TEST_F(NoLayerNorm, AnotherNumerator) {
    Tensor& d = centered(x, 4);
    Tensor& other = input("other", makeDims({2, 3, 4}));
    expectNone(scaled(other, mean(squared(d, Square::kPower), 4), Root::kDivide));
}

TEST_F(NoLayerNorm, AnInnerValueThatIsReadElsewhere) {
    Tensor& d = centered(x, 4);
    Tensor& variance = mean(squared(d, Square::kPower), 4);
    network.markOutput(unary(UnaryOperation::kEXP, variance));
    expectNone(scaled(d, variance, Root::kDivide));
}

TEST_F(NoLayerNorm, AScaleOfOtherAxesStays) {
    Tensor& rows = constant({1, 2, 3}, makeDims({1, 3, 1}));
    EXPECT_THAT(kindsFor(elementwise(Operation::kPROD, normalized(x), rows)),
                ElementsAre("Normalization", "ElementWise"));
}

TEST_F(NoLayerNorm, AScaleBehindTheBiasStays) {
    Tensor& shifted = elementwise(Operation::kSUM, normalized(x), bias);
    EXPECT_THAT(kindsFor(elementwise(Operation::kPROD, shifted, scale)),
                ElementsAre("Normalization", "ElementWise"));
}

} // namespace
} // namespace kiln::compiler
