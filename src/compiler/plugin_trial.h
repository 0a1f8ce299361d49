// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/format_search.h"
#include "compiler/program.h"

namespace kiln::compiler {

/// The combinations within `allowed` that the plugin accepts, asked operand by operand as the API
/// documents. At most the plugin's own limit, found with a bounded number of questions.
FoundCombinations combinationsOf(Program const& program, Extents const& extents, Step const& step,
                                 AllowedTypes const& allowed, Rejections& rejections);

/// The combinations that the plugin lists; nullopt if it must be asked operand by operand.
std::optional<std::vector<Combination>> listedCombinations(Program const& program,
                                                           Extents const& extents,
                                                           Step const& step);

/// The listed combinations within `allowed`, in the same order. Adds the others to `rejections`.
std::vector<Combination> within(std::vector<Combination> const& listed, AllowedTypes const& allowed,
                                Rejections& rejections);

/// Descriptors of the operands that a plugin is asked about, with the types of `combination`.
std::vector<nvinfer1::DynamicPluginTensorDesc> describedAs(Program const& program,
                                                           Extents const& extents, Step const& step,
                                                           Combination const& combination);

/// A copy of the step's plugin, configured with a combination.
struct ConfiguredPlugin {
    std::unique_ptr<plugin::PluginOp> plugin;
    uint64_t workspaceBytes = 0;
    std::vector<int32_t> tactics; ///< empty: the plugin has none
};
ConfiguredPlugin configured(Program const& program, Extents const& extents, Step const& step,
                            Combination const& combination);

/// The fastest tactic of a plugin with a combination.
struct PluginTiming {
    double seconds = 0.0;
    int32_t tactic = 0;                   ///< the fastest; 0 for plugins without tactics
    std::vector<plugin::AotVariant> code; ///< of that tactic, if its trial compiled it
};

/// Times each tactic with that combination, through the documented life cycle: configure,
/// initialize, attach, shape change, enqueue, detach, terminate, destroy. A timing from the timing
/// cache is used instead, unless its tactic is not among those `offered`.
PluginTiming timePlugin(Program const& program, Extents const& extents, Step const& step,
                        Combination const& combination,
                        std::vector<int32_t> const* offered = nullptr);

} // namespace kiln::compiler
