// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/dimension_names.h"

#include "graph/network.h"

namespace kiln::graph {

void DimensionNames::add(Tensor& input) {
    for (int32_t axis = 0; axis < input.declaredDims.nbDims; ++axis) {
        std::string const& name = input.dimensionNames[static_cast<std::size_t>(axis)];
        if (!name.empty() && input.declaredDims.d[axis] < 0) {
            extents_[name].emplace(input.inputIndex, Extent{&input, axis}); // keeps the first axis
        }
    }
}

void DimensionNames::remove(Tensor const& input) {
    for (std::string const& name : input.dimensionNames) {
        auto const found = extents_.find(name);
        if (found != extents_.end()) {
            found->second.erase(input.inputIndex);
            if (found->second.empty()) {
                extents_.erase(found);
            }
        }
    }
}

DimensionNames::Extent const* DimensionNames::decider(std::string const& name) const {
    auto const found = extents_.find(name);
    return found == extents_.end() ? nullptr : &found->second.begin()->second;
}

std::vector<Tensor*> DimensionNames::followers(Tensor const& input) const {
    std::vector<Tensor*> inputs;
    for (std::string const& name : input.dimensionNames) {
        Extent const* const first = decider(name);
        if (first == nullptr || first->input != &input) {
            continue;
        }
        for (auto const& [number, extent] : extents_.at(name)) {
            if (extent.input != &input) {
                inputs.push_back(extent.input);
            }
        }
    }
    return inputs;
}

} // namespace kiln::graph
