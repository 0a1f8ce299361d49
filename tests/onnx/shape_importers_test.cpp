// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Operators on shapes: known values become constants, unknown ones stay expressions.

#include "onnx/parser_harness.h"

#include <gmock/gmock.h>

namespace kiln::onnx {
namespace {

using nvinfer1::LayerType;
using testing::ElementsAre;
using testing::HasSubstr;

using ShapeImporters = ParserTest;

TEST_F(ShapeImporters, KnownExtentsBecomeAConstant) {
    ASSERT_TRUE(parse(ModelWriter(15)
                          .input("x", {5, 3, 4})
                          .node("Size", "count", {"x"}, {"n"})
                          .node("Unsqueeze", "vector", {"n", "zero"}, {"s"})
                          .node("Reshape", "flat", {"x", "s"}, {"y"})
                          .integers("zero", {0})
                          .output("y")))
        << error;
    EXPECT_THAT(layerTypes(), ElementsAre(LayerType::kSHUFFLE));
    EXPECT_THAT(outputShape(), ElementsAre(60));
}

TEST_F(ShapeImporters, ComputedReshape) {
    ASSERT_TRUE(parse(ModelWriter(15)
                          .input("x", {-1, 3, 4})
                          .node("Shape", "extents", {"x"}, {"s"})
                          .node("Gather", "rows", {"s", "first"}, {"r"})
                          .node("Concat", "shape", {"r", "rest"}, {"t"}, {intAttribute("axis", 0)})
                          .node("Reshape", "flat", {"x", "t"}, {"y"})
                          .integers("first", {0})
                          .integers("rest", {-1})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1, 12));
}

TEST_F(ShapeImporters, ReshapeTakesDataAsShape) {
    ASSERT_TRUE(parse(ModelWriter(15)
                          .input("x", {2, 2})
                          .input("m", {1, 1}, kOnnxInt64)
                          .node("Squeeze", "vector", {"m", "zero"}, {"s"})
                          .node("Reshape", "flat", {"x", "s"}, {"y"})
                          .integers("zero", {0})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1));
}

TEST_F(ShapeImporters, SliceOfKnownExtents) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {5, 6})
                          .integers("starts", {-1, 1})
                          .integers("ends", {-100, 1000})
                          .integers("axes", {0, 1})
                          .integers("steps", {-2, 2})
                          .node("Slice", "cut", {"x", "starts", "ends", "axes", "steps"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(layerTypes(), ElementsAre(LayerType::kSLICE));
    EXPECT_EQ(last<nvinfer1::ISliceLayer>().getStart().d[0], 4);
    EXPECT_THAT(outputShape(), ElementsAre(3, 3));
}

TEST_F(ShapeImporters, SliceOfUnknownExtents) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {-1, 6})
                          .integers("starts", {1})
                          .integers("ends", {4})
                          .integers("axes", {-1})
                          .node("Slice", "cut", {"x", "starts", "ends", "axes"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1, 3));
}

TEST_F(ShapeImporters, SliceRefusals) {
    ASSERT_FALSE(parse(ModelWriter(13)
                           .input("x", {5, 6})
                           .integers("starts", {0})
                           .integers("ends", {2})
                           .integers("axes", {0})
                           .integers("steps", {0})
                           .node("Slice", "cut", {"x", "starts", "ends", "axes", "steps"}, {"y"})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("and no step of 0, got axes [0] and steps [0]"));
    startOver();
    ASSERT_FALSE(parse(ModelWriter(9)
                           .input("x", {-1, 6})
                           .node("Slice", "cut", {"x"}, {"y"},
                                 {intsAttribute("starts", {0}), intsAttribute("ends", {2})})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("expected known extents before operator set 10"));
}

TEST_F(ShapeImporters, ExpandRepeats) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {-1, 1, 3})
                          .integers("shape", {2, 1, 4, 1})
                          .node("Expand", "expand", {"x", "shape"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(2, -1, 4, 3));
}

TEST_F(ShapeImporters, ReduceTakesAxesFromAnInput) {
    ASSERT_TRUE(
        parse(ModelWriter(18)
                  .input("x", {-1, 3, 4})
                  .integers("axes", {-1})
                  .node("ReduceMean", "mean", {"x", "axes"}, {"y"}, {intAttribute("keepdims", 0)})
                  .output("y")))
        << error;
    EXPECT_EQ(last<nvinfer1::IReduceLayer>().getReduceAxes(), 4U);
    EXPECT_THAT(outputShape(), ElementsAre(-1, 3));
}

TEST_F(ShapeImporters, AxesAreComputedFromConstants) {
    ASSERT_TRUE(parse(ModelWriter(18)
                          .input("x", {-1, 3, 4})
                          .initializer<int64_t>("axis", {}, {-2}, kOnnxInt64)
                          .initializer<int64_t>("rank", {}, {3}, kOnnxInt64)
                          .initializer<int64_t>("one", {}, {1}, kOnnxInt64)
                          .node("Add", "first", {"axis", "rank"}, {"f"})
                          .node("Range", "axes", {"f", "rank", "one"}, {"a"})
                          .node("ReduceSum", "sum", {"x", "a"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_EQ(last<nvinfer1::IReduceLayer>().getReduceAxes(), 6U);
}

TEST_F(ShapeImporters, RangesOfNumbers) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .initializer<float>("start", {}, {1.0F}, kOnnxFloat)
                          .initializer<float>("limit", {}, {2.0F}, kOnnxFloat)
                          .initializer<float>("delta", {}, {0.4F}, kOnnxFloat)
                          .node("Range", "range", {"start", "limit", "delta"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(3));
    startOver();
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {-1, 3})
                          .initializer<int64_t>("zero", {}, {0}, kOnnxInt64)
                          .initializer<int64_t>("two", {}, {2}, kOnnxInt64)
                          .node("Size", "count", {"x"}, {"n"})
                          .node("Range", "range", {"zero", "n", "two"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1));
    startOver();
    ASSERT_FALSE(parse(ModelWriter(13)
                           .initializer<float>("start", {}, {1.0F}, kOnnxFloat)
                           .initializer<float>("delta", {}, {0.0F}, kOnnxFloat)
                           .initializer<float>("limit", {}, {2.0F}, kOnnxFloat)
                           .node("Range", "range", {"start", "limit", "delta"}, {"y"})
                           .output("y")));
    EXPECT_THAT(error,
                HasSubstr("expected a limit within reach of start and delta, got 1, 2 and 0"));
}

TEST_F(ShapeImporters, SplitByEqualParts) {
    ASSERT_TRUE(parse(ModelWriter(18)
                          .input("x", {-1, 7})
                          .node("Split", "split", {"x"}, {"a", "b"},
                                {intAttribute("axis", 1), intAttribute("num_outputs", 2)})
                          .output("b")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1, 3));
    startOver();
    ASSERT_TRUE(parse(ModelWriter(18)
                          .input("x", {-1, 7})
                          .node("Split", "split", {"x"}, {"a", "b"}, {intAttribute("axis", 0)})
                          .output("b")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1, 7));
    startOver();
    ASSERT_FALSE(
        parse(ModelWriter(18)
                  .input("x", {-1, 7})
                  .integers("sizes", {3, 3})
                  .node("Split", "split", {"x", "sizes"}, {"a", "b"}, {intAttribute("axis", 1)})
                  .output("b")));
    EXPECT_THAT(error, HasSubstr("split: expected 2 sizes with the sum 7, got [3, 3]"));
}

TEST_F(ShapeImporters, PadOfUnknownExtents) {
    ASSERT_TRUE(
        parse(ModelWriter(18)
                  .input("x", {-1, 7})
                  .integers("pads", {1, 2, 0, -1})
                  .node("Pad", "pad", {"x", "pads"}, {"y"}, {stringAttribute("mode", "edge")})
                  .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1, 8));
    startOver();
    ASSERT_FALSE(parse(ModelWriter(18)
                           .input("x", {-1, 7})
                           .integers("pads", {1, 2, 0})
                           .node("Pad", "pad", {"x", "pads"}, {"y"})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("pads: expected 4 numbers, got [1, 2, 0]"));
    startOver();
    ASSERT_FALSE(
        parse(ModelWriter(18)
                  .input("x", {-1, 7})
                  .integers("pads", {1, 2, 0, 0})
                  .node("Pad", "pad", {"x", "pads"}, {"y"}, {stringAttribute("mode", "other")})
                  .output("y")));
    EXPECT_THAT(error, HasSubstr("expected constant, edge, reflect or wrap, got 'other'"));
}

TEST_F(ShapeImporters, IsInfOfOneSign) {
    ASSERT_TRUE(parse(ModelWriter(10)
                          .input("x", {4})
                          .node("IsInf", "ask", {"x"}, {"y"}, {intAttribute("detect_negative", 0)})
                          .output("y")))
        << error;
    startOver();
    ASSERT_FALSE(
        parse(ModelWriter(10)
                  .input("x", {4})
                  .node("IsInf", "ask", {"x"}, {"y"},
                        {intAttribute("detect_negative", 0), intAttribute("detect_positive", 0)})
                  .output("y")));
    EXPECT_THAT(error, HasSubstr("expected detect_positive or detect_negative, got neither"));
}

} // namespace
} // namespace kiln::onnx
