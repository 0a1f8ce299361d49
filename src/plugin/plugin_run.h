// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <kiln/kiln.h>

namespace kiln::plugin {

/// Surrounds one call of a plugin's enqueue(). Scopes nest.
class PluginRunScope {
public:
    /// `about` must outlive the scope.
    explicit PluginRunScope(PluginRun const& about) noexcept
        : about_(about), slot_(slot()), outer_(std::exchange(slot_, this)) {}
    ~PluginRunScope() { slot_ = outer_; }
    PluginRunScope(PluginRunScope const&) = delete;
    PluginRunScope& operator=(PluginRunScope const&) = delete;

    /// The innermost scope of this thread; null if no plugin runs.
    static PluginRunScope* current() noexcept { return slot(); }

    PluginRun const& about() const noexcept { return about_; }
    /// Whether the plugin reported an error that takeReportedText() has not cleared.
    bool reported() const noexcept { return reported_; }
    void setReported(bool reported) noexcept { reported_ = reported; }

private:
    /// Not inline: a thread-local lookup is a function call. A scope needs the slot in its
    /// constructor and destructor, so it looks it up once.
    static PluginRunScope*& slot() noexcept;

    PluginRun const& about_;
    PluginRunScope*& slot_;
    PluginRunScope* outer_;
    bool reported_ = false;
};

} // namespace kiln::plugin
