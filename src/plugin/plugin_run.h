// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <kiln/kiln.h>

namespace kiln::plugin {

/// Surrounds one call of a plugin's enqueue(). Scopes nest.
class PluginRunScope {
public:
    /// `about` outlives the scope.
    explicit PluginRunScope(PluginRun const& about) noexcept
        : about_(about), slot_(slot()), outer_(std::exchange(slot_, this)) {}
    ~PluginRunScope() { slot_ = outer_; }
    PluginRunScope(PluginRunScope const&) = delete;
    PluginRunScope& operator=(PluginRunScope const&) = delete;

    /// That of the plugin that runs on this thread; null: none does.
    static PluginRunScope* current() noexcept { return slot(); }

    PluginRun const& about() const noexcept { return about_; }
    /// Whether the plugin left an error's text that nobody took.
    bool reported() const noexcept { return reported_; }
    void setReported(bool reported) noexcept { reported_ = reported; }

private:
    /// Never in line: to find what is a thread's own takes a call each time, and a scope needs it
    /// at both ends.
    static PluginRunScope*& slot() noexcept;

    PluginRun const& about_;
    PluginRunScope*& slot_;
    PluginRunScope* outer_;
    bool reported_ = false;
};

} // namespace kiln::plugin
