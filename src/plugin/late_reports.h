// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plugin/plugin_record.h"

namespace kiln::plugin {

/// Receives errors of this thread that no call can return, because the object is being destroyed:
/// errors of terminate, detachFromContext, destroy and destructors. Scopes nest.
class LateReports {
public:
    using Sink = std::function<void(char const* text)>;

    explicit LateReports(Sink sink);
    ~LateReports();
    LateReports(LateReports const&) = delete;
    LateReports& operator=(LateReports const&) = delete;

    /// Passes the text that a plugin reported on this thread, if any, to the innermost scope:
    /// "[plugin] layer 'x', plugin P (version 1), destroy: raised an error", and the text. Drops
    /// the text if there is no scope.
    static void take(std::string_view layer, PluginId const& id, std::string_view phase) noexcept;
    /// The same for objects other than plugins; `where` begins the message.
    static void take(std::string_view where) noexcept;

private:
    static void tellWithoutText() noexcept;

    Sink sink_;
    LateReports* outer_;
};

} // namespace kiln::plugin
