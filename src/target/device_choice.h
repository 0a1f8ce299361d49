// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "target/backend.h"

namespace kiln::target {

/// Chooses the device of an engine, of each target: the one that is current on the calling thread;
/// else the one that was current on the thread that made this object; else the first. So a builder
/// or runtime of one thread serves threads that never chose a device. Making one opens no driver.
class DeviceChoice {
public:
    DeviceChoice();

    /// Null if the backend has no such device: see Backend::device().
    Device* of(Backend& backend) const;

private:
    std::map<std::string, int32_t, std::less<>> made_; ///< by target; without those that had none
};

} // namespace kiln::target
