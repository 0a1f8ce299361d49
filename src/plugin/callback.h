// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "plugin/failure.h"

namespace kiln::plugin {

/// Runs one callback of a plugin. Throws kPlugin if the plugin reported an error meanwhile,
/// whatever the callback returned (some return nothing).
template <typename F>
auto callback(std::string_view layer, PluginId const& id, std::string_view phase, F&& call) {
    takeReportedText();
    if constexpr (std::is_void_v<decltype(call())>) {
        call();
        if (hasReportedText()) {
            failCallback(layer, id, phase, "raised an error");
        }
    } else {
        auto result = call();
        if (hasReportedText()) {
            failCallback(layer, id, phase, "raised an error");
        }
        return result;
    }
}

/// As callback(), for callbacks that create a plugin object. If the callback reported an error but
/// still returned an object, dispose(object) destroys it.
template <typename F, typename D>
auto makingCallback(std::string_view layer, PluginId const& id, std::string_view phase, F&& call,
                    D&& dispose) {
    takeReportedText();
    auto* const made = call();
    if (hasReportedText()) {
        std::string const text = takeReportedText();
        if (made != nullptr) {
            dispose(made);
        }
        failCallback(layer, id, phase, "raised an error\n" + text);
    }
    if (made == nullptr) {
        failCallback(layer, id, phase, "expected a plugin, returned null");
    }
    return made;
}

/// As callback(), for callbacks that return 0 for success.
template <typename F>
void checkedCallback(std::string_view layer, PluginId const& id, std::string_view phase, F&& call) {
    if (int32_t const code = callback(layer, id, phase, std::forward<F>(call)); code != 0) {
        failCallback(layer, id, phase, fmt::format("expected 0, returned {}", code));
    }
}

/// Runs Kiln's own check of what a callback returned. Errors name the callback.
template <typename F>
auto checkResult(std::string_view layer, PluginId const& id, std::string_view phase, F&& check) {
    try {
        return check();
    } catch (Error const& error) {
        failCallback(layer, id, phase, error.what());
    }
}

} // namespace kiln::plugin
