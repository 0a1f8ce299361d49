// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Memory for the weights that a network points to. It lives as long as the parser.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace kiln::onnx {

class WeightStore {
public:
    // Memory of `size` bytes, aligned for any element type, not initialized; never null.
    std::byte* allocate(size_t size) {
        blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size > 0 ? size : 1));
        return blocks_.back().get();
    }

private:
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

} // namespace kiln::onnx
