// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/expr_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace kiln::plugin {
namespace {

using nvinfer1::DimensionOperation;
using nvinfer1::DimsExprs;
using nvinfer1::IDimensionExpr;
using testing::HasSubstr;

class ExprBuilderTest : public testing::Test {
protected:
    int64_t of(DimensionOperation op, int64_t a, int64_t b) {
        return builder.operation(op, *builder.constant(a), *builder.constant(b))
            ->getConstantValue();
    }
    std::string refusal(DimsExprs const& shape) {
        try {
            builder.unwrap(shape);
            return "";
        } catch (Error const& error) {
            return error.what();
        }
    }

    graph::ExprPool pool;
    ExprBuilder builder{pool, 2};
};

TEST_F(ExprBuilderTest, ConstantsAreFolded) {
    EXPECT_EQ(of(DimensionOperation::kSUM, 7, -3), 4);
    EXPECT_EQ(of(DimensionOperation::kPROD, 7, 3), 21);
    EXPECT_EQ(of(DimensionOperation::kMAX, 7, 3), 7);
    EXPECT_EQ(of(DimensionOperation::kMIN, 7, 3), 3);
    EXPECT_EQ(of(DimensionOperation::kSUB, 3, 7), -4);
    EXPECT_EQ(of(DimensionOperation::kEQUAL, 3, 3), 1);
    EXPECT_EQ(of(DimensionOperation::kEQUAL, 3, 4), 0);
    EXPECT_EQ(of(DimensionOperation::kLESS, 3, 4), 1);
    EXPECT_EQ(of(DimensionOperation::kLESS, 4, 4), 0);
    EXPECT_EQ(builder.problem(), "");
}

// Quotients are rounded towards minus or plus infinity, for all signs.
TEST_F(ExprBuilderTest, QuotientsRound) {
    EXPECT_EQ(of(DimensionOperation::kFLOOR_DIV, 7, 3), 2);
    EXPECT_EQ(of(DimensionOperation::kFLOOR_DIV, -7, 3), -3);
    EXPECT_EQ(of(DimensionOperation::kFLOOR_DIV, 7, -3), -3);
    EXPECT_EQ(of(DimensionOperation::kCEIL_DIV, 7, 3), 3);
    EXPECT_EQ(of(DimensionOperation::kCEIL_DIV, -7, 3), -2);
    EXPECT_EQ(of(DimensionOperation::kCEIL_DIV, 6, 3), 2);
}

TEST_F(ExprBuilderTest, UnknownExtentsStayUnknown) {
    graph::ShapeExpr shape;
    shape.rank = 2;
    shape[0] = pool.inputExtent(0, 0);
    shape[1] = pool.constant(5);
    DimsExprs const wrapped = builder.wrap(shape);
    EXPECT_FALSE(wrapped.d[0]->isConstant());
    EXPECT_TRUE(wrapped.d[1]->isConstant());
    EXPECT_EQ(wrapped.d[1]->getConstantValue(), 5);
    IDimensionExpr const* const sum =
        builder.operation(DimensionOperation::kSUM, *wrapped.d[0], *wrapped.d[1]);
    EXPECT_FALSE(sum->isConstant());
    EXPECT_TRUE(builder.unwrap(wrapped) == shape);
}

TEST_F(ExprBuilderTest, WhatIsNotConstantHasTheLowestValue) {
    graph::ShapeExpr shape;
    shape.rank = 1;
    shape[0] = pool.inputExtent(0, 0);
    DimsExprs const wrapped = builder.wrap(shape);
    EXPECT_EQ(wrapped.d[0]->getConstantValue(), INT64_MIN);
    auto const* const size =
        builder.declareSizeTensor(1, *builder.constant(1), *builder.constant(9));
    EXPECT_EQ(size->getConstantValue(), INT64_MIN);
}

TEST_F(ExprBuilderTest, RefusedOperationsGiveNullAndHarmNothingElse) {
    graph::ShapeExpr shape;
    shape.rank = 1;
    shape[0] = pool.inputExtent(0, 0);
    DimsExprs wrapped = builder.wrap(shape);
    IDimensionExpr const& n = *wrapped.d[0];
    IDimensionExpr const& zero = *builder.constant(0);
    EXPECT_EQ(builder.operation(static_cast<DimensionOperation>(99), n, zero), nullptr);
    EXPECT_THAT(builder.refusal(), HasSubstr("unknown dimension operation"));
    EXPECT_EQ(builder.operation(static_cast<DimensionOperation>(-1), n, zero), nullptr);
    for (auto const op : {DimensionOperation::kFLOOR_DIV, DimensionOperation::kCEIL_DIV}) {
        EXPECT_EQ(builder.operation(op, n, zero), nullptr);
        EXPECT_EQ(builder.operation(op, *builder.constant(7), zero), nullptr);
        EXPECT_THAT(builder.refusal(), HasSubstr("division of 7 by an extent that is 0"));
    }
    IDimensionExpr const& most = *builder.constant(INT64_MAX);
    EXPECT_EQ(builder.operation(DimensionOperation::kPROD, most, most), nullptr);
    EXPECT_EQ(builder.problem(), "");
    EXPECT_TRUE(builder.unwrap(wrapped) == shape);
    wrapped.d[0] = nullptr;
    EXPECT_THAT(refusal(wrapped), HasSubstr("got null. Last refusal: "));
}

TEST_F(ExprBuilderTest, ExpressionsOfAnotherCallAreRefused) {
    ExprBuilder other(pool, 2);
    EXPECT_EQ(builder.operation(DimensionOperation::kSUM, *other.constant(1), *builder.constant(1)),
              nullptr);
    EXPECT_THAT(builder.refusal(), HasSubstr("was given an expression of another call"));
    DimsExprs shape{};
    shape.nbDims = 1;
    shape.d[0] = other.constant(1);
    EXPECT_THAT(refusal(shape), HasSubstr("got a foreign object"));
    shape.d[0] = nullptr;
    EXPECT_THAT(refusal(shape), HasSubstr("got null. Last refusal: an operation was given"));
    shape.nbDims = 9;
    EXPECT_THAT(refusal(shape), HasSubstr("0 to 8 dimensions, got 9"));
    shape.nbDims = 1;
    shape.d[0] = builder.constant(-1);
    EXPECT_THAT(refusal(shape), HasSubstr("to be 0 or more, got -1"));
}

TEST_F(ExprBuilderTest, SizeTensorsAreDeclaredOnce) {
    auto const* const size =
        builder.declareSizeTensor(1, *builder.constant(1), *builder.constant(9));
    EXPECT_EQ(builder.problem(), "");
    EXPECT_TRUE(size->isSizeTensor());
    EXPECT_FALSE(size->isConstant());
    ASSERT_EQ(builder.sizeTensors().size(), 1U);
    EXPECT_EQ(builder.sizeTensors()[0].output, 1);
    EXPECT_EQ(builder.declareSizeTensor(1, *builder.constant(1), *builder.constant(9)), nullptr);
    EXPECT_THAT(builder.problem(), HasSubstr("was declared twice for output 1"));
}

TEST_F(ExprBuilderTest, SizeTensorsAreOutputs) {
    builder.declareSizeTensor(2, *builder.constant(1), *builder.constant(2));
    EXPECT_THAT(builder.problem(),
                HasSubstr("expected an output of the plugin, 0 to 1, got 2. Name the output"));
}

TEST_F(ExprBuilderTest, OldGenerationsHaveNoSizeTensors) {
    ExprBuilder old(pool, 0);
    old.declareSizeTensor(0, *old.constant(1), *old.constant(2));
    EXPECT_THAT(old.problem(), HasSubstr("was declared, but this plugin interface has none"));
}

TEST_F(ExprBuilderTest, ShapeInputsAreListsOfValues) {
    graph::ShapeValues const values{pool.constant(5), pool.shapeValue(3, 1)};
    DimsExprs const wrapped = builder.wrap(values);
    ASSERT_EQ(wrapped.nbDims, 2);
    EXPECT_EQ(wrapped.d[0]->getConstantValue(), 5);
    EXPECT_FALSE(wrapped.d[1]->isConstant());
}

} // namespace
} // namespace kiln::plugin
