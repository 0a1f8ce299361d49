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

/// Dimension names of network inputs. Equal names stand for equal extents: of the inputs that leave
/// a name open (-1), the first one decides for the others.
class DimensionNames {
public:
    struct Extent {
        Tensor* input;
        int32_t axis;
    };

    void add(Tensor& input);
    void remove(Tensor const& input);
    /// The extent that decides for a name; null if no input leaves it open.
    Extent const* decider(std::string const& name) const;
    /// The inputs whose extents follow from this one: those that share a name it decides for.
    std::vector<Tensor*> followers(Tensor const& input) const;

private:
    /// By name, then by the input's number, so that the first entry is the first input.
    std::unordered_map<std::string, std::map<int32_t, Extent>> extents_;
};

} // namespace kiln::graph
