// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "graph/op.h"

namespace kiln::graph {

/// Creates an op from the bytes that Op::save wrote. Throws kCorruptData if they are invalid.
using OpLoader = std::unique_ptr<Op> (*)(ByteReader& reader);

/// All ops by kind. Each file of graph/ops/ registers its op; the list of files is generated.
class OpRegistry {
public:
    /// The process-wide registry, filled at first use.
    static OpRegistry const& instance();

    void add(std::string_view kind, OpLoader loader);

    /// Throws kCorruptData for an unknown kind.
    std::unique_ptr<Op> load(std::string_view kind, ByteView parameters) const;

private:
    std::map<std::string, OpLoader, std::less<>> loaders_;
};

} // namespace kiln::graph
