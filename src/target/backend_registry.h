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

#include "target/backend.h"
#include "target/target.h"

namespace kiln::target {

/// The targets of this build. Backends are opened at first use. Each attempt to open one that
/// cannot work here (no driver, for example) throws the reason.
class BackendRegistry {
public:
    static BackendRegistry& instance();

    /// Throws, with the reason, for architectures that the target does not have.
    using Factory = std::function<std::unique_ptr<Backend>(Target const&)>;
    /// The number of the device that is current on the calling thread; -1 if there is none. Opens
    /// nothing.
    using CurrentDevice = int32_t (*)() noexcept;
    /// `current` null: the target has one device.
    void add(std::string_view name, Factory factory, CurrentDevice current = nullptr);

    /// The backend for a target string: "cpu", "cuda:sm_90". The same string returns the same
    /// object. Throws kInvalidArgument with the known names if the target is unknown.
    Backend& open(std::string_view target);
    std::vector<std::string> names() const;
    /// See CurrentDevice; -1 for unknown targets.
    int32_t currentDevice(std::string_view name) const;

private:
    struct Entry {
        Factory factory;
        CurrentDevice current = nullptr;
    };

    mutable std::mutex mutex_;
    std::map<std::string, Entry, std::less<>> entries_;                 ///< by name
    std::map<std::string, std::unique_ptr<Backend>, std::less<>> open_; ///< by Target::text()
};

/// The target given to setDefaultTarget(), else KILN_TARGET, else "cuda" if it opens, else "cpu".
std::string defaultTarget();
/// An empty string restores the automatic choice. Throws if the target does not open.
void setDefaultTarget(std::string_view target);

} // namespace kiln::target
