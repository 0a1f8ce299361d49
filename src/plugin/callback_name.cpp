// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/callback_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kiln::plugin {
namespace {

/// Callbacks whose names in Python are not those of C++ in other letters. getCode is called for
/// decorated functions only, whose author gives the code as aot_impl.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOthers{{
    {"getCode", "aot_impl"},
    {"getFormatCombinationLimit", "format_combination_limit"},
    {"getMetadataString", "metadata_string"},
    {"getNbOutputs", "num_outputs"},
    {"getNbSupportedFormatCombinations", "get_supported_format_combinations"},
    {"getNbTactics", "get_valid_tactics"},
    {"getOutputDataType", "get_output_datatype"},
    {"getTimingCacheID", "timing_cache_id"},
}};

std::string pythonName(std::string_view name) {
    auto const* const other = std::find_if(kOthers.begin(), kOthers.end(),
                                           [&](auto const& pair) { return pair.first == name; });
    if (other != kOthers.end()) {
        return std::string(other->second);
    }
    std::string snake;
    for (char const letter : name) {
        bool const upper = letter >= 'A' && letter <= 'Z';
        snake += upper ? "_" : "";
        snake += upper ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return snake;
}

} // namespace

std::string nameOfCallback(PluginId const& id, std::string_view callback) {
    bool const isName = !callback.empty() && callback.front() >= 'a' && callback.front() <= 'z';
    if (!id.inPython || !isName) {
        return std::string(callback);
    }
    std::size_t const end = std::min(callback.find_first_of("(, "), callback.size());
    return pythonName(callback.substr(0, end)) + std::string(callback.substr(end));
}

} // namespace kiln::plugin
