// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "plugin/code/code_record.h"
#include "plugin/plugin_record.h"

namespace kiln::runtime {

/// The ahead-of-time code of one layer, loaded: the variant and the images that fit the machine
/// best. Shared by the contexts of an engine; several kernels may come from one loaded image.
class AotCode {
public:
    /// `where` names the layer and the plugin in messages. The record must outlive the object.
    /// Throws kUnsupported if no variant runs here, with what the plan has and what is needed.
    AotCode(std::string where, std::vector<plugin::AotVariant> const& variants,
            backend::Backend const& target, std::span<backend::OperandType const> inputs,
            std::span<backend::OperandType const> outputs, HandOver const& ways);

    /// One step of a context.
    std::unique_ptr<backend::KernelInstance> instantiate() const;

private:
    std::string where_;
    std::vector<plugin::AotKernel> const* kernels_ = nullptr;
    std::vector<std::unique_ptr<backend::UserKernel>> loaded_; ///< by kernel
};

/// How a kernel is launched where the plan's (or network's) expressions have these values. Throws
/// kInvalidArgument for an extra argument that its type cannot hold.
backend::UserLaunch launchAt(plugin::AotKernel const& kernel, std::span<int64_t const> values);

/// "[plugin] layer 'x', plugin P (version 1)", for AotCode.
std::string aotName(plugin::PluginRecord const& record);

} // namespace kiln::runtime
