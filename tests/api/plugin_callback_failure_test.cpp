// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every callback of both styles fails, by its return value or by an error text that it reports. The
// API call behind it fails, the log and the error recorder name layer, plugin and callback, and
// every plugin object is still destroyed.
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using testing::HasSubstr;

struct Case {
    Style style;
    char const* callback;
    int failFrom; ///< number of calls that succeed first
    char const* stage;
    char const* problem;
};

/// Without this, GoogleTest prints the bytes of the struct, padding included.
void PrintTo(Case const& test, std::ostream* to) {
    *to << nameOf(test.style) << ' ' << test.callback;
}

std::string titleOf(Case const& test) {
    std::string title = std::string(nameOf(test.style)) + "_" + test.callback;
    return test.failFrom == 0 ? title : title + "_" + std::to_string(test.failFrom);
}

void expectFailure(Case const& test, Outcome const& outcome, std::string const& problem) {
    EXPECT_EQ(outcome.stage, test.stage) << outcome.errors;
    EXPECT_THAT(outcome.errors,
                HasSubstr(test.stage == std::string("add") ? "layer '(Unnamed Layer* 0)"
                                                           : "layer 'custom'"));
    // Before its core part is known, a plugin has no name.
    bool const isCore = test.callback == std::string_view("getCapabilityInterface");
    EXPECT_THAT(outcome.errors, HasSubstr(isCore ? "capability interface CORE: " : "plugin "));
    EXPECT_THAT(outcome.errors, HasSubstr(isCore ? "[plugin]" : test.callback));
    EXPECT_THAT(outcome.errors, HasSubstr(problem));
    ASSERT_EQ(outcome.recorded.size(), 1U);
    EXPECT_EQ(outcome.recorded[0].first, nvinfer1::ErrorCode::kUNSPECIFIED_ERROR);
    EXPECT_EQ(outcome.recorded[0].second + "\n", outcome.errors);
}

class CallbackReturns : public testing::TestWithParam<Case> {};

TEST_P(CallbackReturns, AFailureIsReported) {
    Case const& test = GetParam();
    Script script;
    script.failAt = test.callback;
    script.failFrom = test.failFrom;
    expectFailure(test, UserStory(script, test.style).play(), test.problem);
}

TEST_P(CallbackReturns, WithTheAuthorsText) {
    Case const& test = GetParam();
    Script script;
    script.failAt = test.callback;
    script.reportAt = test.callback;
    script.failFrom = test.failFrom;
    expectFailure(test, UserStory(script, test.style).play(), "\nRuntimeError: the author's words");
}

constexpr char const* kNull = "expected a plugin, returned null";
constexpr char const* kSeven = "expected 0, returned 7";

INSTANTIATE_TEST_SUITE_P(
    All, CallbackReturns,
    testing::Values(
        Case{Style::kV2, "clone", 0, "add", kNull}, Case{Style::kV2, "clone", 1, "build", kNull},
        Case{Style::kV2, "clone", 4, "open", kNull}, Case{Style::kV2, "clone", 5, "context", kNull},
        Case{Style::kV2, "getOutputDataType", 0, "build", "unknown element type 77"},
        Case{Style::kV2, "getOutputDimensions", 0, "build",
             "expected an output of 0 to 8 dimensions, got -1"},
        Case{Style::kV2, "initialize", 0, "build", kSeven},
        Case{Style::kV2, "initialize", 1, "open", kSeven},
        Case{Style::kV2, "getSerializationSize", 0, "build", "expected at most 4294967296 bytes"},
        Case{Style::kV2, "deserializePlugin", 0, "open", kNull},
        Case{Style::kV2, "enqueue", 0, "run", kSeven},
        Case{Style::kV3, "getCapabilityInterface", 0, "add",
             "capability interface CORE: expected an interface, returned null"},
        Case{Style::kV3, "clone", 0, "add", kNull}, Case{Style::kV3, "clone", 1, "build", kNull},
        Case{Style::kV3, "getOutputDataTypes", 0, "build", kSeven},
        Case{Style::kV3, "getOutputShapes", 0, "build", kSeven},
        Case{Style::kV3, "configurePlugin", 0, "build", kSeven},
        Case{Style::kV3, "getFieldsToSerialize", 0, "build",
             "expected a field collection, returned null"},
        Case{Style::kV3, "createPlugin", 0, "open", kNull},
        Case{Style::kV3, "attachToContext", 0, "context", kNull},
        Case{Style::kV3, "setTactic", 0, "context", kSeven},
        Case{Style::kV3, "onShapeChange", 0, "run", kSeven},
        Case{Style::kV3, "enqueue", 0, "run", kSeven}),
    [](auto const& info) { return titleOf(info.param); });

class CallbackReports : public testing::TestWithParam<Case> {};

// The return value means success, or there is none: the reported text alone is the failure.
TEST_P(CallbackReports, ATextIsAFailure) {
    Case const& test = GetParam();
    Script script;
    script.reportAt = test.callback;
    script.failFrom = test.failFrom;
    expectFailure(test, UserStory(script, test.style).play(), test.problem);
}

constexpr char const* kRaised = "\nRuntimeError: the author's words";

INSTANTIATE_TEST_SUITE_P(
    All, CallbackReports,
    testing::Values(Case{Style::kV2, "clone", 0, "add", kRaised},
                    Case{Style::kV2, "getOutputDataType", 0, "build", kRaised},
                    Case{Style::kV2, "getOutputDimensions", 0, "build", kRaised},
                    Case{Style::kV2, "supportsFormatCombination", 0, "build", kRaised},
                    Case{Style::kV2, "configurePlugin", 0, "build", kRaised},
                    Case{Style::kV2, "configurePlugin", 1, "open", kRaised},
                    Case{Style::kV2, "configurePlugin", 2, "run", kRaised},
                    Case{Style::kV2, "getWorkspaceSize", 0, "build", kRaised},
                    Case{Style::kV2, "getSerializationSize", 0, "build", kRaised},
                    Case{Style::kV2, "serialize", 0, "build", kRaised},
                    Case{Style::kV2, "attachToContext", 0, "context", kRaised},
                    Case{Style::kV2, "enqueue", 0, "run", kRaised},
                    Case{Style::kV3, "clone", 0, "add", kRaised},
                    Case{Style::kV3, "getOutputShapes", 0, "build", kRaised},
                    Case{Style::kV3, "supportsFormatCombination", 0, "build", kRaised},
                    Case{Style::kV3, "getWorkspaceSize", 0, "build", kRaised},
                    Case{Style::kV3, "createPlugin", 0, "open", kRaised},
                    Case{Style::kV3, "attachToContext", 0, "context", kRaised},
                    Case{Style::kV3, "enqueue", 0, "run", kRaised}),
    [](auto const& info) { return titleOf(info.param); });

// A text that a callback without a result reports must not fail the next callback.
TEST(CallbackReports, ATextFromDestroyFailsNoCall) {
    for (char const* callback : {"destroy", "terminate", "detachFromContext"}) {
        Script script;
        script.reportAt = callback;
        Outcome const outcome = UserStory(script, Style::kV2).play();
        EXPECT_EQ(outcome.stage, "done") << callback << ": " << outcome.errors;
    }
}

TEST(CallbackFailure, NothingFailsWithoutCause) {
    for (Style const style : {Style::kV2, Style::kV3}) {
        Script script;
        Outcome const outcome = UserStory(script, style).play();
        EXPECT_EQ(outcome.stage, "done") << outcome.errors;
        EXPECT_EQ(outcome.errors, "");
        EXPECT_EQ(outcome.y[3], 4.0F);
    }
}

} // namespace
} // namespace kiln::test
