// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Memory for the weights that a network points to, and files that it points into. They live as long
// as the parser.
#pragma once

#include "onnx/file_mapping.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace kiln::onnx {

// What stays in mapped files until the network is built, in bytes. Tests take less.
struct MappingLimits {
    // Of a model file. The weights of smaller ones are copied, so that the file may change.
    size_t file = size_t{4} << 20;
    // Of a tensor. Smaller ones are copied, since they may not be aligned and are read often.
    size_t tensor = size_t{64} << 10;
};

class WeightStore {
public:
    explicit WeightStore(MappingLimits const& limits = {}) : limits_(limits) {}

    // Memory of `size` bytes, aligned for any element type, not initialized; never null.
    std::byte* allocate(size_t size) {
        blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size > 0 ? size : 1));
        return blocks_.back().get();
    }

    // Elements of the model that were converted or copied before, by their place in its bytes; null
    // the first time. Functions and loops import the same constants many times.
    void const*& copyOf(void const* source, int32_t type) { return copies_[{source, type}]; }
    void forgetSources() { copies_.clear(); }

    // Keeps a mapped file.
    void keep(std::shared_ptr<FileMapping const> file) { files_.push_back(std::move(file)); }
    std::vector<std::shared_ptr<FileMapping const>> const& files() const { return files_; }
    // Whether a model file of so many bytes is kept.
    bool keepsFile(size_t size) const { return size >= limits_.file; }
    // Whether bytes lie in a file that is kept, and need no copy.
    bool holds(void const* begin, size_t size) const {
        auto const* const first = static_cast<std::byte const*>(begin);
        std::less_equal<> const notAbove;
        return size >= limits_.tensor &&
               std::any_of(files_.begin(), files_.end(), [&](auto const& file) {
                   auto const bytes = file->bytes();
                   return notAbove(bytes.data(), first) &&
                          notAbove(first + size, bytes.data() + bytes.size());
               });
    }
    // The elements that were converted are not read again, and others when the network is built.
    void releasePages() const noexcept {
        for (auto const& file : files_) {
            file->releasePages();
        }
    }

private:
    MappingLimits limits_;
    std::vector<std::shared_ptr<FileMapping const>> files_;
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::map<std::pair<void const*, int32_t>, void const*> copies_;
};

} // namespace kiln::onnx
