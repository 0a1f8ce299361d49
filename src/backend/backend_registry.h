// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace kiln::backend {

/// The targets of this build. Backends are opened at first use: one that cannot work here (no
/// driver, say) throws its reason each time it is asked for.
class BackendRegistry {
public:
    static BackendRegistry& instance();

    using Factory = std::function<std::unique_ptr<Backend>()>;
    void add(std::string_view name, Factory factory);

    /// Throws kInvalidArgument with the known names for an unknown target.
    Backend& open(std::string_view name);
    std::vector<std::string> names() const;

private:
    struct Entry {
        Factory factory;
        std::unique_ptr<Backend> backend;
    };
    mutable std::mutex mutex_;
    std::map<std::string, Entry, std::less<>> entries_;
};

/// KILN_TARGET, or what setDefaultTarget() said, else "cuda" where it opens, else "cpu".
std::string defaultTarget();
/// An empty name brings the default back. Throws kInvalidArgument for an unknown target.
void setDefaultTarget(std::string_view name);

} // namespace kiln::backend
