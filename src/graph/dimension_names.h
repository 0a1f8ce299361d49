// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace kiln::graph {

struct Tensor;

/// Dimension names of network inputs. Equal names mean equal extents. Among the inputs whose extent
/// of that name is dynamic (-1), the first one decides the extent for all.
class DimensionNames {
public:
    struct Extent {
        Tensor* input;
        int32_t axis;
    };

    void add(Tensor& input);
    void remove(Tensor const& input);
    /// The extent that decides a name; null if no input has a dynamic extent of that name.
    Extent const* decider(std::string const& name) const;
    /// The other inputs with a name that `input` decides. Their extents follow from it.
    std::vector<Tensor*> followers(Tensor const& input) const;

private:
    /// By name, then by input number, so that the first entry is the deciding one.
    std::unordered_map<std::string, std::map<int32_t, Extent>> extents_;
};

} // namespace kiln::graph
