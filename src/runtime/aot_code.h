// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plugin/code/code_record.h"
#include "plugin/plugin_record.h"
#include "target/device.h"

namespace kiln::runtime {

/// The loaded ahead-of-time code of one layer: the variant and the images that fit the machine
/// best. Shared by the contexts of an engine; several kernels may come from one loaded image.
class AotCode {
public:
    /// `where` names the layer and the plugin in messages. `variants` must outlive the object.
    /// Throws kUnsupported if no variant runs here; the message lists what the plan has and what is
    /// needed.
    AotCode(std::string where, std::vector<plugin::AotVariant> const& variants,
            target::Device const& device, std::span<target::OperandType const> inputs,
            std::span<target::OperandType const> outputs, HandOver const& ways);

    /// Creates the step for one context.
    std::unique_ptr<target::KernelInstance> instantiate() const;

private:
    std::string where_;
    std::vector<plugin::AotKernel> const* kernels_ = nullptr;
    std::vector<std::unique_ptr<target::UserKernel>> loaded_; ///< by kernel
};

/// The launch parameters of a kernel for these values of the plan's (or network's) expressions.
/// Throws kInvalidArgument if an extra argument does not fit its type.
target::UserLaunch launchAt(plugin::AotKernel const& kernel, std::span<int64_t const> values);

/// "[plugin] layer 'x', plugin P (version 1)", for AotCode.
std::string aotName(plugin::PluginRecord const& record);

} // namespace kiln::runtime
