// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/format_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::compiler {
namespace {

using target::OperandType;
using Takes = std::function<bool(std::size_t, Combination const&)>;

/// Three types in twelve formats, float32 linear first.
std::vector<OperandType> everything() {
    std::vector<OperandType> types;
    for (int format = 0; format < 12; ++format) {
        for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
            types.push_back({type, static_cast<TensorFormat>(format)});
        }
    }
    return types;
}

struct Searched {
    FoundCombinations found;
    Rejections rejections;
    std::set<std::string> asked; ///< each query
};

Searched search(std::size_t inputs, Takes const& takes, int32_t limit = 100) {
    Searched result;
    AllowedTypes const allowed(inputs + 1, everything());
    int64_t questions = 0;
    result.found = searchFormats(
        allowed, inputs, boundsFor(limit, allowed.size()),
        [&](std::size_t position, Combination const& types) {
            EXPECT_EQ(types.size(), position + 1);
            result.asked.insert(textOf(types) +
                                std::to_string(static_cast<int>(types[position].format)));
            ++questions;
            return takes(position, types);
        },
        result.rejections);
    EXPECT_EQ(result.found.questions, questions);
    return result;
}

bool linear(OperandType type) {
    return type.format == TensorFormat::kLINEAR;
}

TEST(FormatSearch, APluginThatRefusesItsOutputIsNotAskedForEver) {
    Searched const searched =
        search(6, [](std::size_t position, Combination const&) { return position < 6; });
    EXPECT_TRUE(searched.found.combinations.empty());
    EXPECT_TRUE(searched.found.cut);
    EXPECT_LE(searched.found.questions, 7 * 100 * 100);
    EXPECT_THAT(searched.rejections.text(), testing::StartsWith("operand 6 as float32 linear, "));
}

TEST(FormatSearch, TheBoundFollowsTheLimit) {
    Takes const late = [](std::size_t position, Combination const&) { return position < 6; };
    int64_t const few = search(6, late, 1).found.questions;
    int64_t const many = search(6, late, 1000).found.questions;
    EXPECT_LE(few, 7 * 100 * 100);
    EXPECT_GT(many, 2 * few);
    EXPECT_LE(many, 7 * 100 * 1000);
}

TEST(FormatSearch, ALateRefusalDoesNotHideTheOneThatIsTaken) {
    // Inputs of any type are taken; the output requires half in HWC8 for all operands.
    OperandType const wanted{DataType::kHALF, TensorFormat::kHWC8};
    Searched const searched = search(6, [&](std::size_t position, Combination const& types) {
        return position < 6 || std::count(types.begin(), types.end(), wanted) == 7;
    });
    ASSERT_EQ(searched.found.combinations.size(), 1U);
    EXPECT_EQ(searched.found.combinations[0], Combination(7, wanted));
}

TEST(FormatSearch, InputsAndOutputsMayDiffer) {
    Searched const searched = search(5, [](std::size_t position, Combination const& types) {
        return linear(types[position]) &&
               (position < 5 ? true
                             : types[5].type == DataType::kBF16 &&
                                   std::count(types.begin(), types.begin() + 5,
                                              OperandType{DataType::kHALF}) == 5);
    });
    ASSERT_EQ(searched.found.combinations.size(), 1U);
    EXPECT_EQ(textOf(searched.found.combinations[0]),
              "float16,float16,float16,float16,float16,bfloat16");
}

TEST(FormatSearch, EveryCombinationOfASmallPluginIsFoundOnce) {
    Searched const searched =
        search(1, [](std::size_t, Combination const& types) { return linear(types.back()); }, 100);
    std::set<std::string> texts;
    for (Combination const& combination : searched.found.combinations) {
        texts.insert(textOf(combination));
    }
    EXPECT_EQ(searched.found.combinations.size(), 9U);
    EXPECT_EQ(texts.size(), 9U);
    EXPECT_EQ(textOf(searched.found.combinations[0]), "float32,float32"); // declared types first
    EXPECT_FALSE(searched.found.cut);
}

TEST(FormatSearch, NoQuestionTwice) {
    Searched const searched = search(2, [](std::size_t position, Combination const& types) {
        return types[position] == types[0];
    });
    EXPECT_EQ(searched.found.combinations.size(), 36U);
    EXPECT_EQ(searched.asked.size(), static_cast<std::size_t>(searched.found.questions));
}

TEST(FormatSearch, StopsAtTheLimit) {
    Searched const searched = search(6, [](std::size_t, Combination const&) { return true; }, 1);
    EXPECT_EQ(searched.found.combinations.size(), 1U);
    EXPECT_EQ(searched.found.questions, 7);
    EXPECT_FALSE(searched.found.cut);
}

TEST(FormatSearch, RejectionsAreKeptOnceAndTheListIsShort) {
    Rejections rejections;
    for (int i = 0; i < 1000; ++i) {
        rejections.add(static_cast<std::size_t>(i % 50), OperandType{});
    }
    EXPECT_THAT(rejections.text(), testing::EndsWith("operand 39 as float32 linear, and 10 more"));
}

} // namespace
} // namespace kiln::compiler
