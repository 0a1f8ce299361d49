// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/device_choice.h"

#include "target/backend_registry.h"

namespace kiln::target {

DeviceChoice::DeviceChoice() {
    BackendRegistry const& registry = BackendRegistry::instance();
    for (std::string const& name : registry.names()) {
        if (int32_t const number = registry.currentDevice(name); number >= 0) {
            made_.emplace(name, number);
        }
    }
}

Device* DeviceChoice::of(Backend& backend) const {
    int32_t const current = BackendRegistry::instance().currentDevice(backend.name());
    auto const made = made_.find(backend.name());
    return backend.device(current >= 0          ? current
                          : made != made_.end() ? made->second
                                                : Backend::kCurrent);
}

} // namespace kiln::target
