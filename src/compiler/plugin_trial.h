// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/format_search.h"
#include "compiler/program.h"

namespace kiln::compiler {

/// The combinations within `allowed` that the plugin takes, asked operand by operand as the API
/// documents; at most the plugin's own limit, and with a bounded number of questions.
FoundCombinations combinationsOf(Program const& program, Extents const& extents, Step const& step,
                                 AllowedTypes const& allowed, Rejections& rejections);

/// The combinations that the plugin lists by itself; nothing if it is asked about each.
std::optional<std::vector<Combination>> listedCombinations(Program const& program,
                                                           Extents const& extents,
                                                           Step const& step);

/// Those of a list that lie within `allowed`, in the order of the list; `rejections` as above.
std::vector<Combination> within(std::vector<Combination> const& listed, AllowedTypes const& allowed,
                                Rejections& rejections);

/// Descriptions of the operands that a plugin is asked about, as `combination` has them.
std::vector<nvinfer1::DynamicPluginTensorDesc> describedAs(Program const& program,
                                                           Extents const& extents, Step const& step,
                                                           Combination const& combination);

/// A copy of the step's plugin, configured with a combination.
struct ConfiguredPlugin {
    std::unique_ptr<plugin::PluginOp> plugin;
    uint64_t workspaceBytes = 0;
    std::vector<int32_t> tactics; ///< empty: none
};
ConfiguredPlugin configured(Program const& program, Extents const& extents, Step const& step,
                            Combination const& combination);

/// What a plugin does best with a combination.
struct PluginTiming {
    double seconds = 0.0;
    int32_t tactic = 0;                   ///< the fastest; 0 for plugins without tactics
    std::vector<plugin::AotVariant> code; ///< of that tactic, where trials compiled it
};

/// Times one run of each tactic with that combination, through the documented life cycle:
/// configure, initialize, attach, shape change, enqueue, detach, terminate, destroy. A timing cache
/// that knows the combination answers instead, unless its tactic is not among those `offered`.
PluginTiming timePlugin(Program const& program, Extents const& extents, Step const& step,
                        Combination const& combination,
                        std::vector<int32_t> const* offered = nullptr);

} // namespace kiln::compiler
