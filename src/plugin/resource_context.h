// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "plugin/plugin_op.h"

namespace kiln::plugin {

class ResourceContext;

/// What an execution context shows to one attached plugin. The object is never freed, since plugins
/// may keep its address: once the lease has ended, it answers null, and much later, with a new
/// lease, for another context.
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
