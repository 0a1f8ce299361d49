// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/shapes.h"

#include <gmock/gmock.h>

#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(ParseShapes, ReadsSeveralTensors) {
    EXPECT_THAT(parseShapes("--shapes", "x:1x8x8,y:4"),
                ElementsAre(Pair("x", Extents{1, 8, 8}), Pair("y", Extents{4})));
}

TEST(ParseShapes, SplitsAtTheLastColon) {
    EXPECT_THAT(parseShapes("--shapes", "x:0:2x0"), ElementsAre(Pair("x:0", Extents{2, 0})));
}

TEST(ParseShapes, TakesQuotedNamesWhole) {
    EXPECT_THAT(parseShapes("--shapes", "'a,b:c':1,d:2"),
                ElementsAre(Pair("a,b:c", Extents{1}), Pair("d", Extents{2})));
}

TEST(ParseShapes, ReadsScalars) {
    EXPECT_THAT(parseShapes("--shapes", "x:scalar"), ElementsAre(Pair("x", Extents{})));
}

TEST(ParseShapes, KeepsTheLargestExtent) {
    EXPECT_THAT(parseShapes("--shapes", "x:9223372036854775807"),
                ElementsAre(Pair("x", Extents{INT64_MAX})));
}

struct BadShapes {
    char const* text;
    char const* message;
};

class ParseShapesErrors : public testing::TestWithParam<BadShapes> {};

TEST_P(ParseShapesErrors, NameTheOptionAndTheText) {
    EXPECT_THAT(failureText([] { parseShapes("--minShapes", GetParam().text); }),
                testing::StartsWith(std::string("[options] --minShapes") + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseShapesErrors,
    testing::Values(BadShapes{"", ": expected name:value,name:value,..., got nothing"},
                    BadShapes{"x", ": expected name:value, got 'x'"},
                    BadShapes{"x:", ": expected name:value, got 'x:'"},
                    BadShapes{":1", ": expected name:value, got ':1'"},
                    BadShapes{"x:1x", ", tensor 'x': expected extents such as 1x8x8, got '1x'"},
                    BadShapes{"x:1xx2", ", tensor 'x': expected extents such as 1x8x8, got '1xx2'"},
                    BadShapes{"x:-1", ", tensor 'x': expected extents such as 1x8x8, got '-1'"},
                    BadShapes{"x:1.5", ", tensor 'x': expected extents such as 1x8x8, got '1.5'"},
                    BadShapes{"x:9223372036854775808",
                              ", tensor 'x': expected extents such as 1x8x8"},
                    BadShapes{"x:1,", ": expected another name:value behind the last comma"},
                    BadShapes{"x:1,x:2", ": tensor 'x' is given twice"},
                    BadShapes{"'x:1", ": expected a closing ' behind the name, got ''x:1'"},
                    BadShapes{"'x'1", ": expected ':' behind 'x', got '1'"}));

TEST(ParseNamedFiles, ReadsSeveralFiles) {
    EXPECT_THAT(parseNamedFiles("--loadInputs", "x:/a/b.bin,'c:d':e"),
                ElementsAre(Pair("c:d", "e"), Pair("x", "/a/b.bin")));
}

TEST(CompleteRanges, TakesOneShapeForAllThree) {
    for (int given = 0; given < 3; ++given) {
        ShapeMap const shapes{{"x", {2, 3}}};
        ShapeMap const none;
        RangeMap const ranges = completeRanges(
            given == 0 ? shapes : none, given == 1 ? shapes : none, given == 2 ? shapes : none, {});
        EXPECT_EQ(toText(ranges.at("x").min), "2x3");
        EXPECT_EQ(toText(ranges.at("x").opt), "2x3");
        EXPECT_EQ(toText(ranges.at("x").max), "2x3");
    }
}

TEST(CompleteRanges, FillsTheGapBetweenTwo) {
    RangeMap const ranges = completeRanges({{"a", {1}}, {"b", {1}}}, {{"a", {2}}, {"c", {2}}},
                                           {{"b", {3}}, {"c", {3}}}, {});
    EXPECT_EQ(ranges.at("a").max, Extents{2});
    EXPECT_EQ(ranges.at("b").opt, Extents{3});
    EXPECT_EQ(ranges.at("c").min, Extents{2});
}

TEST(CompleteRanges, TakesInferenceShapesWhereNoneAreGiven) {
    RangeMap const ranges = completeRanges({}, {{"x", {4}}}, {}, {{"x", {3}}, {"y", {5}}});
    EXPECT_EQ(ranges.at("x").min, Extents{4});
    EXPECT_EQ(ranges.at("y").max, Extents{5});
}

TEST(CompleteRanges, RefusesAWrongOrder) {
    EXPECT_EQ(failureText([] { completeRanges({{"x", {2, 2}}}, {}, {{"x", {3, 1}}}, {}); }),
              "[options] profile of input 'x': expected min <= opt <= max in each dimension, got "
              "min 2x2, opt 3x1, max 3x1");
}

TEST(CompleteRanges, RefusesDifferentRanks) {
    EXPECT_THAT(failureText([] { completeRanges({{"x", {2}}}, {}, {{"x", {2, 1}}}, {}); }),
                HasSubstr("profile of input 'x'"));
}

TEST(ToDims, RefusesMoreDimensionsThanDimsHolds) {
    EXPECT_EQ(failureText([] { toDims("x", Extents(9, 1)); }),
              "[options] tensor 'x': expected at most 8 dimensions, got 9");
    EXPECT_EQ(toText(toDims("x", {1, 2})), "1x2");
}

} // namespace
} // namespace kiln::trtexec
