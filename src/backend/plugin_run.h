// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

namespace kiln::backend {

/// What the plugin that runs on a thread may want to know of its engine.
struct PluginRun {
    int32_t device = -1;     ///< Backend::deviceNumber()
    uint64_t hostInputs = 0; ///< bit i: input i is read by value, its memory is the host's

    static constexpr int32_t kNone = -2;
};

/// `device` is kNone while no plugin runs.
inline constinit thread_local PluginRun pluginRun{PluginRun::kNone, 0};

/// Surrounds one call of a plugin. A few nanoseconds; scopes nest.
class PluginRunScope {
public:
    explicit PluginRunScope(PluginRun run) noexcept : outer_(std::exchange(pluginRun, run)) {}
    ~PluginRunScope() { pluginRun = outer_; }
    PluginRunScope(PluginRunScope const&) = delete;
    PluginRunScope& operator=(PluginRunScope const&) = delete;

private:
    PluginRun outer_;
};

} // namespace kiln::backend
