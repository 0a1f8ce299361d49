// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/callback_name.h"

#include <gtest/gtest.h>

namespace kiln::plugin {
namespace {

PluginId const kCpp{"Pad", "1", "", false};
PluginId const kPython{"Pad", "1", "", true};

TEST(CallbackName, OfCppStays) {
    EXPECT_EQ(nameOfCallback(kCpp, "getOutputShapes"), "getOutputShapes");
    EXPECT_EQ(nameOfCallback(kCpp, "getNbOutputs"), "getNbOutputs");
}

TEST(CallbackName, OfPythonHasOtherLetters) {
    EXPECT_EQ(nameOfCallback(kPython, "getOutputShapes"), "get_output_shapes");
    EXPECT_EQ(nameOfCallback(kPython, "supportsFormatCombination"), "supports_format_combination");
    EXPECT_EQ(nameOfCallback(kPython, "enqueue"), "enqueue");
}

TEST(CallbackName, OfPythonMayBeAnAttribute) {
    EXPECT_EQ(nameOfCallback(kPython, "getNbOutputs"), "num_outputs");
    EXPECT_EQ(nameOfCallback(kPython, "getTimingCacheID"), "timing_cache_id");
    EXPECT_EQ(nameOfCallback(kPython, "getOutputDataType"), "get_output_datatype");
}

TEST(CallbackName, WhatFollowsStays) {
    EXPECT_EQ(nameOfCallback(kPython, "getAliasedInput(0)"), "get_aliased_input(0)");
    EXPECT_EQ(nameOfCallback(kPython, "getOutputShapes, output 1"), "get_output_shapes, output 1");
    EXPECT_EQ(nameOfCallback(kPython, "capability interface CORE"), "capability interface CORE");
    EXPECT_EQ(nameOfCallback(kPython, ""), "");
}

} // namespace
} // namespace kiln::plugin
