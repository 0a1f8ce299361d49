// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/shapes.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"

namespace kiln::runtime {
namespace {

using graph::ExprOp;
using test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Input x [n] and shape input v [1] give y [n * v0] in the arena. Step 0 writes size tensor 3, at
/// most n; z [size] is in the arena. Profile 0: n 1..8, v 1..3; profile 1: n 20..30, v 1..3.
plan::Document sample() {
    plan::Document document;
    document.exprs = {{ExprOp::kInputExtent, 0, 0, 0},
                      {ExprOp::kShapeValue, 1, 0, 0},
                      {ExprOp::kConstant, 0, 0, 1},
                      {ExprOp::kSizeTensor, 3, 0, 0},
                      {ExprOp::kProd, 0, 1, 0}};
    auto const add = [&](char const* name, plan::TensorRole role, int32_t extent) {
        plan::TensorRecord tensor;
        tensor.name = name;
        tensor.role = role;
        tensor.inputIndex =
            role == plan::TensorRole::kInput ? static_cast<int32_t>(document.tensors.size()) : -1;
        tensor.shape.rank = extent < 0 ? 0 : 1;
        tensor.shape.extent[0] = extent;
        document.tensors.push_back(tensor);
    };
    add("x", plan::TensorRole::kInput, 0);
    add("v", plan::TensorRole::kInput, 2);
    add("y", plan::TensorRole::kInternal, 4);
    add("size", plan::TensorRole::kInternal, -1);
    add("z", plan::TensorRole::kInternal, 3);
    document.tensors[1].type.type = DataType::kINT64;
    document.tensors[3].type.type = DataType::kINT64;
    for (int64_t const least : {1, 20}) {
        int64_t const most = least == 1 ? 8 : 30;
        plan::ProfileRecord profile;
        profile.ranges.push_back({0, makeDims({least}), makeDims({least}), makeDims({most})});
        profile.values.push_back({1, {1}, {1}, {3}});
        document.profiles.push_back(profile);
    }
    document.steps.resize(1);
    document.steps[0].name = "finder";
    document.steps[0].inputs = {0};
    document.steps[0].outputs = {3, 4};
    return document;
}

class ShapesTest : public ::testing::Test {
protected:
    plan::Document document = sample();
    SizePoints points{document};
    Table<plan::TensorId, uint64_t> capacity = Table<plan::TensorId, uint64_t>(5, 1000);
    Shapes shapes{document, points, capacity};
};

TEST_F(ShapesTest, AreUnknownUntilInputsAreKnown) {
    EXPECT_FALSE(shapes.inputsKnown());
    EXPECT_THAT(errorOf(ErrorKind::kInvalidState, [&] { shapes.expectInputs(); }),
                HasSubstr("[run] input 'x': its shape [-1] has unknown extents"));
    EXPECT_TRUE(shapes.setInput(0, makeDims({4})));
    EXPECT_FALSE(shapes.setInput(0, makeDims({4})));
    EXPECT_TRUE(shapes.inputsKnown());
    EXPECT_FALSE(shapes.valuesKnown());
    EXPECT_EQ(toText(shapes.of(2)), "[-1]");
    EXPECT_THAT(shapes.inputsByValue(), ElementsAre(plan::TensorId(1)));
    int64_t const value = 3;
    EXPECT_TRUE(shapes.readInput(1, &value));
    EXPECT_FALSE(shapes.readInput(1, &value));
    EXPECT_TRUE(shapes.valuesKnown());
    EXPECT_EQ(toText(shapes.of(2)), "[12]");
    EXPECT_EQ(toText(shapes.of(4)), "[-1]");
}

TEST_F(ShapesTest, StayInsideTheProfile) {
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { shapes.setInput(0, makeDims({9})); }),
                HasSubstr("expected a shape from [1] to [8] (optimization profile 0), got [9]"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { shapes.setInput(2, makeDims({9})); }),
                HasSubstr("expected an input, got an output"));
    int64_t const value = 4;
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { shapes.readInput(1, &value); }),
                HasSubstr("element 0: expected a value from 1 to 3"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { shapes.checkProfile(2); }),
                HasSubstr("expected 0 to 1, got 2"));
}

TEST_F(ShapesTest, AreForgottenWithTheProfile) {
    int64_t const value = 3;
    shapes.setInput(0, makeDims({4}));
    shapes.readInput(1, &value);
    shapes.setProfile(1);
    EXPECT_EQ(shapes.profile(), 1);
    EXPECT_FALSE(shapes.inputsKnown());
    EXPECT_FALSE(shapes.valuesKnown());
    EXPECT_TRUE(shapes.setInput(0, makeDims({24})));
}

TEST_F(ShapesTest, TakeSizesDuringARun) {
    int64_t const value = 3;
    shapes.setInput(0, makeDims({4}));
    shapes.readInput(1, &value);
    shapes.resolve();
    EXPECT_EQ(toText(shapes.dims()[2]), "[12]");
    EXPECT_EQ(toText(shapes.dims()[4]), "[-1]");
    EXPECT_EQ(toText(shapes.bounds()[4]), "[4]");
    EXPECT_THAT(errorOf(ErrorKind::kPlugin, [&] { shapes.setSize(0, 3, 5); }),
                HasSubstr("layer 'finder', size tensor 'size': expected enqueue to write a size "
                          "from 0 to 4"));
    shapes.setSize(0, 3, 2);
    shapes.settle(0);
    EXPECT_EQ(shapes.knownUpTo(), 0);
    EXPECT_EQ(toText(shapes.dims()[4]), "[2]");
    EXPECT_EQ(toText(shapes.found(4)), "[2]");
    EXPECT_EQ(toText(shapes.of(4)), "[-1]");
    shapes.setInput(0, makeDims({5}));
    EXPECT_EQ(toText(shapes.found(4)), "[-1]");
}

TEST_F(ShapesTest, NeverExceedTheirMemory) {
    int64_t const value = 3;
    capacity[2] = 47;
    shapes.setInput(0, makeDims({4}));
    shapes.readInput(1, &value);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidState, [&] { shapes.resolve(); }),
                HasSubstr("tensor 'y' of shape [12]: expected at most 47 bytes, got 48"));
}

} // namespace
} // namespace kiln::runtime
