// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "plugin/plugin_op.h"

namespace kiln::plugin {

class ResourceContext;

/// The resource context of one attached plugin. The object is never freed, because plugins may keep
/// its address. After the lease, its getters return null; much later, another context may use it
/// with a new lease.
class ResourceLease {
public:
    ResourceLease() = default;
    explicit ResourceLease(ContextServices const& services);
    ~ResourceLease();
    ResourceLease(ResourceLease&& other) noexcept : context_(std::exchange(other.context_, {})) {}
    ResourceLease& operator=(ResourceLease&& other) noexcept {
        std::swap(context_, other.context_);
        return *this;
    }

    nvinfer1::IPluginResourceContext* get() const noexcept;

private:
    ResourceContext* context_ = nullptr;
};

} // namespace kiln::plugin
