// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <NvInfer.h>

#include "failure.h"
#include "options/options.h"

namespace kiln::trtexec {

/// A keyword of the command line and its value.
template <typename Value>
struct Word {
    char const* text;
    Value value;
};
template <typename Value>
Word(char const*, Value) -> Word<Value>;

/// Returns the value of `text` in a table of words; throws a Failure that lists the words.
template <typename Table>
auto wordIn(std::string_view option, std::string_view text, Table const& table) {
    std::string known;
    for (auto const& word : table) {
        if (text == word.text) {
            return word.value;
        }
        known += known.empty() ? "" : ", ";
        known += word.text;
    }
    fail("[options] {}: expected one of {}, got '{}'", option, known, text);
}

/// Splits "a,b": at least one word, none empty, without spaces.
std::vector<std::string> parseNames(std::string_view option, std::string_view text);
/// The same, separated by another character.
std::vector<std::string> splitAt(std::string_view option, std::string_view text, char separator);

/// "fp32:chw+hwc8,int8:chw4"
std::vector<IOFormat> parseIOFormats(std::string_view option, std::string_view text);
nvinfer1::ProfilingVerbosity parseVerbosity(std::string_view option, std::string_view text);
/// "default", "verbose", "none".
nvinfer1::ProfilingVerbosity parseNvtxMode(std::string_view option, std::string_view text);
/// "none", "ampere+", "sameComputeCapability".
nvinfer1::HardwareCompatibilityLevel parseCompatibility(std::string_view option,
                                                        std::string_view text);
/// "+aliasedPluginIO1003,-profileSharing0806"
std::map<nvinfer1::PreviewFeature, bool> parsePreviewFeatures(std::string_view option,
                                                              std::string_view text);
/// "in_memory:allow,temporary:deny"
nvinfer1::TempfileControlFlags parseTempfileControls(std::string_view option,
                                                     std::string_view text);
nvinfer1::ExecutionContextAllocationStrategy parseAllocation(std::string_view option,
                                                             std::string_view text);
/// "raw,summary"
std::vector<std::string> parseDebugFormats(std::string_view option, std::string_view text);

} // namespace kiln::trtexec
