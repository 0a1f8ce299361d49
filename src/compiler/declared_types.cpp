// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/declared_types.h"

#include <fmt/format.h>

#include "base/dtype.h"
#include "plugin/plugin_layer.h"

namespace kiln::compiler {
namespace {

bool names(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

/// The layer that a message names. Null if there is none or if it is a plugin, whose messages are
/// complete.
graph::Node const* refusing(graph::Network const& network, std::string_view error) {
    for (graph::Node const* node : network.nodes()) {
        if (dynamic_cast<plugin::PluginLayer const*>(node->op.get()) == nullptr &&
            names(error, fmt::format("layer '{}' ({})", node->name, node->op->kind()))) {
            return node;
        }
    }
    return nullptr;
}

} // namespace

std::string declaredByPlugins(graph::Network const& network, std::string_view error) {
    graph::Node const* const node = refusing(network, error);
    std::string text;
    for (std::size_t i = 0; node != nullptr && i < node->inputs.size(); ++i) {
        graph::Tensor const* const input = node->inputs[i];
        if (input == nullptr || input->producer == nullptr) {
            continue;
        }
        auto const* const maker =
            dynamic_cast<plugin::PluginLayer const*>(input->producer->op.get());
        if (maker != nullptr && names(error, nameOf(input->facts.type))) {
            text += fmt::format(" Input {} ('{}') is {} because plugin {} of layer '{}' declares "
                                "that output so.",
                                i, input->name, nameOf(input->facts.type),
                                maker->plugin().id().text(), input->producer->name);
        }
    }
    return text.empty() ? text
                        : text + " Let the plugin declare another type, or add a cast layer behind "
                                 "it.";
}

} // namespace kiln::compiler
