// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <NvInferRuntime.h>

#include "plan/document.h"

namespace kiln::api {

/// The weights of an engine as users of IRefitter know them.
class RefitNames {
public:
    struct Entry {
        std::string source; ///< in the plan: "conv1/kernel"
        std::string layer;
        nvinfer1::WeightsRole role;
        std::string name; ///< that of the network, or layer and role: "conv1 KERNEL"
        DataType type;
        int64_t count;
        bool fixed; ///< new elements must be equal
    };

    explicit RefitNames(plan::Document const& document);

    /// Those that can change come first.
    std::span<Entry const> all() const noexcept { return entries_; }
    std::span<Entry const> open() const noexcept { return all().first(openCount_); }
    /// Several layers may use weights of one name.
    std::vector<Entry const*> named(std::string_view name) const;
    std::vector<Entry const*> of(std::string_view layer, nvinfer1::WeightsRole role) const;
    Entry const* withSource(std::string_view source) const noexcept;

private:
    void add(std::string const& source, std::string const& label, DataType type, uint64_t bytes,
             bool fixed);

    std::vector<Entry> entries_;
    std::size_t openCount_ = 0;
};

} // namespace kiln::api
