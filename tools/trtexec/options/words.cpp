// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/words.h"

#include <array>

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::ExecutionContextAllocationStrategy;
using nvinfer1::PreviewFeature;
using nvinfer1::ProfilingVerbosity;
using nvinfer1::TempfileControlFlag;
using nvinfer1::TensorFormat;

constexpr std::array kTypes{
    Word{"fp32", DataType::kFLOAT},  Word{"fp16", DataType::kHALF},   Word{"bf16", DataType::kBF16},
    Word{"int32", DataType::kINT32}, Word{"int64", DataType::kINT64}, Word{"int8", DataType::kINT8},
    Word{"uint8", DataType::kUINT8}, Word{"bool", DataType::kBOOL},
};

constexpr std::array kFormats{
    Word{"chw", TensorFormat::kLINEAR},        Word{"chw2", TensorFormat::kCHW2},
    Word{"hwc8", TensorFormat::kHWC8},         Word{"chw4", TensorFormat::kCHW4},
    Word{"chw16", TensorFormat::kCHW16},       Word{"chw32", TensorFormat::kCHW32},
    Word{"dhwc8", TensorFormat::kDHWC8},       Word{"cdhw32", TensorFormat::kCDHW32},
    Word{"hwc", TensorFormat::kHWC},           Word{"hwc16", TensorFormat::kHWC16},
    Word{"dhwc", TensorFormat::kDHWC},         Word{"dla_linear", TensorFormat::kDLA_LINEAR},
    Word{"dla_hwc4", TensorFormat::kDLA_HWC4},
};

constexpr std::array kVerbosities{
    Word{"layer_names_only", ProfilingVerbosity::kLAYER_NAMES_ONLY},
    Word{"detailed", ProfilingVerbosity::kDETAILED},
    Word{"none", ProfilingVerbosity::kNONE},
};

constexpr std::array kNvtxModes{
    Word{"default", ProfilingVerbosity::kLAYER_NAMES_ONLY},
    Word{"verbose", ProfilingVerbosity::kDETAILED},
    Word{"none", ProfilingVerbosity::kNONE},
};

constexpr std::array kCompatibilities{
    Word{"none", nvinfer1::HardwareCompatibilityLevel::kNONE},
    Word{"ampere+", nvinfer1::HardwareCompatibilityLevel::kAMPERE_PLUS},
    Word{"sameComputeCapability", nvinfer1::HardwareCompatibilityLevel::kSAME_COMPUTE_CAPABILITY},
};

constexpr std::array kFeatures{
    Word{"profileSharing0806", PreviewFeature::kPROFILE_SHARING_0806},
    Word{"aliasedPluginIO1003", PreviewFeature::kALIASED_PLUGIN_IO_10_03},
    Word{"runtimeActivationResize1010", PreviewFeature::kRUNTIME_ACTIVATION_RESIZE_10_10},
    Word{"multiDeviceRuntime1016", PreviewFeature::kMULTIDEVICE_RUNTIME_10_16},
};

constexpr std::array kTempfiles{
    Word{"in_memory", TempfileControlFlag::kALLOW_IN_MEMORY_FILES},
    Word{"temporary", TempfileControlFlag::kALLOW_TEMPORARY_FILES},
};

constexpr std::array kPermissions{Word{"allow", true}, Word{"deny", false}};

constexpr std::array kStrategies{
    Word{"static", ExecutionContextAllocationStrategy::kSTATIC},
    Word{"profile", ExecutionContextAllocationStrategy::kON_PROFILE_CHANGE},
    Word{"runtime", ExecutionContextAllocationStrategy::kUSER_MANAGED},
};

constexpr std::array kDebugFormats{Word{"summary", 0}, Word{"numpy", 0}, Word{"string", 0},
                                   Word{"raw", 0}};

struct Pair {
    std::string first;
    std::string second;
};

Pair pairIn(std::string_view option, std::string const& word, char const* form) {
    size_t const colon = word.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == word.size()) {
        fail("[options] {}: expected {}, got '{}'", option, form, word);
    }
    return {word.substr(0, colon), word.substr(colon + 1)};
}

} // namespace

std::vector<std::string> splitAt(std::string_view option, std::string_view text, char separator) {
    std::vector<std::string> words;
    while (true) {
        size_t const end = text.find(separator);
        std::string_view const word = text.substr(0, end);
        if (word.empty()) {
            fail("[options] {}: expected words with '{}' between them, got nothing in one place",
                 option, separator);
        }
        words.emplace_back(word);
        if (end == std::string_view::npos) {
            return words;
        }
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string> parseNames(std::string_view option, std::string_view text) {
    return splitAt(option, text, ',');
}

std::vector<IOFormat> parseIOFormats(std::string_view option, std::string_view text) {
    std::vector<IOFormat> formats;
    for (std::string const& word : parseNames(option, text)) {
        Pair const pair = pairIn(option, word, "TYPE:FORMAT such as fp32:chw");
        IOFormat format{wordIn(option, pair.first, kTypes), 0};
        for (std::string const& name : splitAt(option, pair.second, '+')) {
            format.formats |= 1U << static_cast<uint32_t>(wordIn(option, name, kFormats));
        }
        formats.push_back(format);
    }
    return formats;
}

ProfilingVerbosity parseVerbosity(std::string_view option, std::string_view text) {
    return wordIn(option, text, kVerbosities);
}

ProfilingVerbosity parseNvtxMode(std::string_view option, std::string_view text) {
    return wordIn(option, text, kNvtxModes);
}

nvinfer1::HardwareCompatibilityLevel parseCompatibility(std::string_view option,
                                                        std::string_view text) {
    return wordIn(option, text, kCompatibilities);
}

std::map<PreviewFeature, bool> parsePreviewFeatures(std::string_view option,
                                                    std::string_view text) {
    std::map<PreviewFeature, bool> features;
    for (std::string const& word : parseNames(option, text)) {
        bool const on = word.front() == '+';
        if (!on && word.front() != '-') {
            fail("[options] {}: expected + or - before each feature, got '{}'", option, word);
        }
        features[wordIn(option, word.substr(1), kFeatures)] = on;
    }
    return features;
}

nvinfer1::TempfileControlFlags parseTempfileControls(std::string_view option,
                                                     std::string_view text) {
    nvinfer1::TempfileControlFlags flags = 3; // both allowed
    for (std::string const& word : parseNames(option, text)) {
        Pair const pair = pairIn(option, word, "in_memory:allow, temporary:deny and so on");
        uint32_t const bit = 1U << static_cast<uint32_t>(wordIn(option, pair.first, kTempfiles));
        flags = wordIn(option, pair.second, kPermissions) ? flags | bit : flags & ~bit;
    }
    return flags;
}

ExecutionContextAllocationStrategy parseAllocation(std::string_view option, std::string_view text) {
    return wordIn(option, text, kStrategies);
}

std::vector<std::string> parseDebugFormats(std::string_view option, std::string_view text) {
    std::vector<std::string> formats = parseNames(option, text);
    for (std::string const& format : formats) {
        wordIn(option, format, kDebugFormats);
    }
    return formats;
}

} // namespace kiln::trtexec
