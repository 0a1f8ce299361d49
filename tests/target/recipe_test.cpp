// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/recipe.h"

#include <cstring>
#include <numeric>

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "base/half.h"
#include "graph/ops/cast.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/reformat.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"

namespace kiln::target {
namespace {

using nvinfer1::ElementWiseOperation;
using testing::ElementsAre;

constexpr OperandType kFloats{DataType::kFLOAT};

RecipePtr floats(std::string name, std::vector<float> const& values) {
    auto const* raw = reinterpret_cast<std::byte const*>(values.data());
    return Recipe::source(std::move(name), kFloats,
                          Elements(Bytes(raw, raw + values.size() * sizeof(float))));
}

template <typename T>
std::vector<T> valuesOf(Recipe const& recipe) {
    Elements const elements = elementsOf(recipe);
    std::vector<T> values(elements.view.size() / sizeof(T));
    std::memcpy(values.data(), elements.view.data(), elements.view.size());
    return values;
}

RecipePtr elementwise(ElementWiseOperation operation, RecipePtr const& a, RecipePtr const& b,
                      Dims const& dims) {
    graph::ElementWise op;
    op.operation = operation;
    return computed(op, "test", {{a, dims}, {b, dims}}, kFloats, dims);
}

/// A recipe that is too large to be computed at once.
RecipePtr large(std::string name, float first) {
    std::vector<float> values(Recipe::kSmall / sizeof(float) + 1);
    std::iota(values.begin(), values.end(), first);
    return floats(std::move(name), values);
}

TEST(Recipe, ASourceIsItsElements) {
    RecipePtr const w = floats("conv1/kernel", {1, 2, 3});
    EXPECT_TRUE(w->isSource() && w->isKnown());
    EXPECT_EQ(w->bytes(), 12U);
    EXPECT_THAT(valuesOf<float>(*w), ElementsAre(1, 2, 3));
}

TEST(Recipe, SmallResultsAreComputedAtOnceAndLargeOnesWhenTheyAreNeeded) {
    RecipePtr const small = floats("a", {1, 2});
    EXPECT_TRUE(elementwise(ElementWiseOperation::kSUM, small, small, makeDims({2}))->isKnown());
    RecipePtr const big = large("b", 0.0F);
    Dims const dims = makeDims({static_cast<int64_t>(big->bytes() / sizeof(float))});
    RecipePtr const sum = elementwise(ElementWiseOperation::kSUM, big, big, dims);
    EXPECT_FALSE(sum->isKnown());
    EXPECT_EQ(sum->bytes(), big->bytes());
    std::vector<float> const values = valuesOf<float>(*sum);
    EXPECT_EQ(values[1], 2.0F);
    EXPECT_EQ(values.back(), 2.0F * static_cast<float>(values.size() - 1));
}

TEST(Recipe, Casts) {
    graph::Cast op;
    op.toType = DataType::kHALF;
    RecipePtr const half = computed(op, "test", {{floats("a", {1, 0.1F}), makeDims({2})}},
                                    {DataType::kHALF}, makeDims({2}));
    EXPECT_EQ(static_cast<float>(valuesOf<Half>(*half)[1]), static_cast<float>(Half(0.1F)));
}

TEST(Recipe, OperandsMayHaveOtherExtents) {
    graph::Shuffle op;
    op.firstTranspose = {1, 0};
    RecipePtr const turned = computed(op, "test", {{floats("a", {1, 2, 3, 4}), makeDims({2, 2})}},
                                      kFloats, makeDims({2, 2}));
    EXPECT_THAT(valuesOf<float>(*turned), ElementsAre(1, 3, 2, 4));
    RecipePtr const again =
        computed(op, "test", {{turned, makeDims({1, 4})}}, kFloats, makeDims({4, 1}));
    EXPECT_THAT(valuesOf<float>(*again), ElementsAre(1, 3, 2, 4));
}

TEST(Recipe, StandSideBySide) {
    graph::Concatenation op;
    op.axis = 1;
    RecipePtr const joined = computed(
        op, "test",
        {{floats("a", {1, 2}), makeDims({2, 1})}, {floats("b", {3, 4, 5, 6}), makeDims({2, 2})}},
        kFloats, makeDims({2, 3}));
    EXPECT_THAT(valuesOf<float>(*joined), ElementsAre(1, 3, 4, 2, 5, 6));
    EXPECT_THAT(sourceNames(*joined), ElementsAre("a", "b"));
}

TEST(Recipe, ChangeTheFormat) {
    OperandType const last{DataType::kFLOAT, TensorFormat::kHWC};
    RecipePtr const reformatted =
        computed(graph::Reformat(), "test", {{floats("a", {1, 2, 3, 4}), makeDims({1, 2, 2, 1})}},
                 last, makeDims({1, 2, 2, 1}));
    ASSERT_NE(reformatted, nullptr);
    EXPECT_THAT(valuesOf<float>(*reformatted), ElementsAre(1, 3, 2, 4));
}

TEST(Recipe, ElementsThatAnOperationRefusesAreNoRecipe) {
    auto const number = [](int64_t value) {
        auto const raw = std::as_bytes(std::span(&value, 1));
        return RecipeOperand{
            Recipe::source({}, {DataType::kINT64}, Elements(Bytes(raw.begin(), raw.end()))),
            makeDims({1})};
    };
    auto const slice = [&](int64_t start) {
        return computed(
            graph::Slice(), "test",
            {{floats("a", {1, 2, 3}), makeDims({3})}, number(start), number(2), number(1)}, kFloats,
            makeDims({2}));
    };
    EXPECT_THAT(valuesOf<float>(*slice(1)), ElementsAre(2, 3));
    EXPECT_EQ(slice(2), nullptr);
}

TEST(Recipe, SharedPartsAreComputedOnce) {
    RecipePtr doubled = large("a", 0.0F);
    Dims const dims = makeDims({static_cast<int64_t>(doubled->bytes() / sizeof(float))});
    for (int32_t i = 0; i < 40; ++i) { // 2^40 operations, if each were computed for each reader
        doubled = elementwise(ElementWiseOperation::kMAX, doubled, doubled, dims);
    }
    EXPECT_EQ(valuesOf<float>(*doubled)[3], 3.0F);
    EXPECT_EQ(partsOf(*doubled).size(), 41U);
}

TEST(Recipe, IsNotTooDeep) {
    RecipePtr recipe = floats("a", {1});
    int32_t depth = 0;
    for (RecipePtr next = recipe; next != nullptr && depth < 1000; ++depth) {
        recipe = next;
        next = elementwise(ElementWiseOperation::kSUM, recipe, recipe, makeDims({1}));
    }
    EXPECT_EQ(recipe->depth(), Recipe::kMostDepth);
}

TEST(Recipe, NamesTheSourceThatIsMissing) {
    RecipePtr const kernel = Recipe::missing("conv1/kernel", kFloats, 8);
    RecipePtr const sum =
        Recipe::operation("ElementWise", {}, {{kernel, makeDims({2})}}, kFloats, makeDims({2}));
    EXPECT_EQ(test::errorOf(ErrorKind::kInvalidArgument, [&] { elementsOf(*sum); }),
              "[weights] 'conv1/kernel': expected its 8 bytes, which other weights are computed "
              "with, got none. Give this weight, too.");
}

} // namespace
} // namespace kiln::target
