// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Callbacks that succeed but return invalid counts, types, shapes, fields or sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class PluginResult : public testing::TestWithParam<Style> {
protected:
    void expect(char const* stage, std::string const& problem) {
        Outcome const outcome = UserStory(script, GetParam()).play();
        EXPECT_EQ(outcome.stage, stage);
        EXPECT_THAT(outcome.errors, HasSubstr(problem));
        EXPECT_EQ(outcome.recorded.size(), 1U);
    }

    Script script;
};

INSTANTIATE_TEST_SUITE_P(BothStyles, PluginResult, testing::Values(Style::kV2, Style::kV3),
                         [](auto const& info) { return nameOf(info.param); });

TEST_P(PluginResult, NoOutputs) {
    script.outputs = 0;
    expect("add", "plugin Scripted (version 1), getNbOutputs: expected 1 to 4096, returned 0");
}

TEST_P(PluginResult, NegativeNumberOfOutputs) {
    script.outputs = -3;
    expect("add", "getNbOutputs: expected 1 to 4096, returned -3");
}

TEST_P(PluginResult, MoreOutputsThanAnyoneHas) {
    script.outputs = 2'000'000'000;
    expect("add", "getNbOutputs: expected 1 to 4096, returned 2000000000");
}

TEST_P(PluginResult, CloneThatIsTheObjectItself) {
    script.copiesItself = false;
    expect("add", "clone: expected a new plugin object, returned the object itself");
}

TEST_P(PluginResult, NoName) {
    script.name = "";
    expect("add", "got an empty text");
}

TEST_P(PluginResult, NoVersion) {
    script.version = "";
    expect("add", "got an empty text");
}

TEST_P(PluginResult, UnknownType) {
    script.type = [](int32_t, DataType const*) { return static_cast<DataType>(-5); };
    expect("build", "unknown element type -5");
}

TEST_P(PluginResult, TooManyDimensions) {
    script.shape = [](int32_t, DimsExprs const* inputs, IExprBuilder&) {
        DimsExprs shape = inputs[0];
        shape.nbDims = 9;
        return shape;
    };
    expect("build", "expected an output of 0 to 8 dimensions, got 9");
}

TEST_P(PluginResult, NullExtent) {
    script.shape = [](int32_t, DimsExprs const*, IExprBuilder&) {
        DimsExprs shape{};
        shape.nbDims = 2;
        return shape;
    };
    expect("build", "expected dimension 0 to be an expression of this call, got null");
}

TEST_P(PluginResult, NegativeExtent) {
    script.shape = [](int32_t, DimsExprs const* inputs, IExprBuilder& builder) {
        DimsExprs shape = inputs[0];
        shape.d[0] = builder.constant(-3);
        return shape;
    };
    expect("build", "expected dimension 0 to be 0 or more, got -3");
}

TEST_P(PluginResult, ForeignExpression) {
    static IDimensionExpr const* kept = nullptr;
    kept = nullptr;
    script.shape = [](int32_t, DimsExprs const* inputs, IExprBuilder& builder) {
        DimsExprs shape = inputs[0];
        if (kept == nullptr) {
            kept = builder.constant(4);
            return shape;
        }
        shape.d[0] = kept;
        return shape;
    };
    expect("build", "expected dimension 0 to be an expression of this call, got a foreign object");
}

TEST_P(PluginResult, DivisionByZero) {
    script.shape = [](int32_t, DimsExprs const* inputs, IExprBuilder& builder) {
        DimsExprs shape = inputs[0];
        shape.d[0] = builder.operation(DimensionOperation::kFLOOR_DIV, *inputs[0].d[0],
                                       *builder.constant(0));
        return shape;
    };
    expect("build", "division of 4 by an extent that is 0");
}

TEST_P(PluginResult, UnknownOperation) {
    script.shape = [](int32_t, DimsExprs const* inputs, IExprBuilder& builder) {
        DimsExprs shape = inputs[0];
        shape.d[0] = builder.operation(static_cast<DimensionOperation>(42), *inputs[0].d[0],
                                       *builder.constant(2));
        return shape;
    };
    expect("build", "unknown dimension operation");
}

TEST_P(PluginResult, ARefusedOperationThatIsNotUsedHarmsNothing) {
    script.shape = [](int32_t, DimsExprs const* inputs, IExprBuilder& builder) {
        EXPECT_EQ(builder.operation(static_cast<DimensionOperation>(42), *inputs[0].d[0],
                                    *inputs[0].d[0]),
                  nullptr);
        EXPECT_EQ(
            builder.operation(DimensionOperation::kCEIL_DIV, *inputs[0].d[0], *builder.constant(0)),
            nullptr);
        return inputs[0];
    };
    EXPECT_EQ(UserStory(script, GetParam()).play().stage, "done");
}

TEST_P(PluginResult, SizeTensor) {
    script.shape = [](int32_t, DimsExprs const* inputs, IExprBuilder& builder) {
        DimsExprs shape = inputs[0];
        shape.d[0] = builder.declareSizeTensor(1, *inputs[0].d[0], *inputs[0].d[0]);
        return shape;
    };
    expect("build", GetParam() == Style::kV3
                        ? "size tensor: expected an output of the plugin, 0 to 0, got 1"
                        : "a size tensor was declared, but this plugin interface has none");
}

TEST_P(PluginResult, NoCombination) {
    script.takes = [](auto const&, auto const&) { return false; };
    expect("build", "supportsFormatCombination takes no combination of types and formats that the "
                    "network offers; it refused: operand 0 as float32 linear, operand 0 as "
                    "float16 linear, operand 0 as bfloat16 linear");
}

TEST_P(PluginResult, WorkspaceThatOverflows) {
    script.workspace = [](auto const&, auto const&) { return SIZE_MAX; };
    expect("build", "overflows");
}

TEST_P(PluginResult, WorkspaceThatNoMachineHas) {
    script.workspace = [](auto const&, auto const&) { return std::size_t{1} << 52U; };
    expect("context", "4503599627370496");
}

TEST(PluginResultV3, CombinationLimitOfZero) {
    Script script;
    script.combinationLimit = 0;
    Outcome const outcome = UserStory(script, Style::kV3).play();
    EXPECT_EQ(outcome.stage, "build");
    EXPECT_THAT(outcome.errors,
                HasSubstr("getFormatCombinationLimit: expected 1 or more, returned 0"));
}

TEST(PluginResultV3, BadFields) {
    int32_t const value = 1;
    struct Bad {
        PluginField field;
        char const* problem;
    };
    Bad const all[] = {
        {{"a", nullptr, PluginFieldType::kINT32, 1}, "field 'a': expected data and a length"},
        {{"b", &value, PluginFieldType::kINT32, -1},
         "field 'b': expected data and a length of 0 "
         "or more, got length -1"},
        {{"c", &value, static_cast<PluginFieldType>(99), 1},
         "field 'c': expected a member of PluginFieldType, got 99"},
    };
    for (Bad const& bad : all) {
        Script script;
        script.fields = {bad.field};
        Outcome const outcome = UserStory(script, Style::kV3).play();
        EXPECT_EQ(outcome.stage, "build");
        EXPECT_THAT(outcome.errors, HasSubstr(bad.problem));
    }
}

TEST(PluginResultV3, TacticsArePositive) {
    Script script;
    script.tactics = 2; // getValidTactics leaves the array unchanged
    Outcome const outcome = UserStory(script, Style::kV3).play();
    EXPECT_EQ(outcome.stage, "build");
    EXPECT_THAT(outcome.errors,
                HasSubstr("getValidTactics: expected positive tactics, got 0; 0 stands for a "
                          "plugin without tactics"));
}

} // namespace
} // namespace kiln::test
