// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops and branches in networks that are made by hand.
#pragma once

#include <memory>
#include <vector>

#include "graph/network.h"
#include "graph/ops/control.h"

namespace kiln::test {

using Tensors = std::vector<graph::Tensor*>;

/// Adds a loop around the nodes that body(current, shared) adds; it returns the next values.
/// Returns the final values.
template <typename Body>
Tensors repeat(graph::Network& network, graph::Tensor& passes, Tensors const& initial,
               Tensors const& shared, Body&& body, char const* name = "loop") {
    auto op = std::make_unique<graph::Repeat>();
    auto const carried = static_cast<std::ptrdiff_t>(initial.size());
    op->carried = static_cast<int32_t>(initial.size());
    op->shared = static_cast<int32_t>(shared.size());
    Tensors inputs{&passes};
    inputs.insert(inputs.end(), initial.begin(), initial.end());
    inputs.insert(inputs.end(), shared.begin(), shared.end());
    graph::Node& open = network.addNode(std::move(op), inputs);
    open.name = name;
    auto const first = open.outputs.begin() + 1;
    Tensors const current(first, first + carried);
    Tensors const next = body(current, Tensors(first + carried, open.outputs.end()));
    Tensors results{open.outputs[0]};
    results.insert(results.end(), current.begin(), current.end());
    results.insert(results.end(), next.begin(), next.end());
    auto end = std::make_unique<graph::EndRepeat>();
    end->carried = static_cast<int32_t>(initial.size());
    return network.addNode(std::move(end), results).outputs;
}

/// Adds a branch around the nodes that then(shared) and otherwise(shared) add; each returns the
/// results of its body.
template <typename Then, typename Other>
Tensors branch(graph::Network& network, graph::Tensor& condition, Tensors const& shared,
               Then&& then, Other&& otherwise, char const* name = "branch") {
    auto op = std::make_unique<graph::Branch>();
    op->shared = static_cast<int32_t>(shared.size());
    Tensors inputs{&condition};
    inputs.insert(inputs.end(), shared.begin(), shared.end());
    graph::Node& open = network.addNode(std::move(op), inputs);
    open.name = name;
    Tensors const first = then(Tensors(open.outputs.begin() + 1, open.outputs.end()));
    auto middle = std::make_unique<graph::Otherwise>();
    middle->shared = static_cast<int32_t>(shared.size());
    middle->results = static_cast<int32_t>(first.size());
    Tensors between = open.outputs;
    between.insert(between.end(), first.begin(), first.end());
    Tensors const seen = network.addNode(std::move(middle), between).outputs;
    auto const results = seen.begin() + 1 + static_cast<std::ptrdiff_t>(shared.size());
    Tensors const second = otherwise(Tensors(seen.begin() + 1, results));
    Tensors all{seen[0]};
    all.insert(all.end(), results, seen.end());
    all.insert(all.end(), second.begin(), second.end());
    auto end = std::make_unique<graph::EndBranch>();
    end->results = static_cast<int32_t>(first.size());
    return network.addNode(std::move(end), all).outputs;
}

} // namespace kiln::test
