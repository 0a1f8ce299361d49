// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/op_registry.h"

namespace kiln::graph {

/// Generated from the names of the files in graph/ops/.
void registerAllOps(OpRegistry& registry);

OpRegistry const& OpRegistry::instance() {
    static OpRegistry const registry = [] {
        OpRegistry filled;
        registerAllOps(filled);
        return filled;
    }();
    return registry;
}

void OpRegistry::add(std::string_view kind, OpLoader loader) {
    loaders_.emplace(kind, loader);
}

std::unique_ptr<Op> OpRegistry::load(std::string_view kind, ByteView parameters) const {
    auto const found = loaders_.find(kind);
    if (found == loaders_.end()) {
        fail(ErrorKind::kCorruptData,
             "[plan] operation '{}' is unknown to this version. Build the plan again.", kind);
    }
    ByteReader reader(parameters, kind);
    std::unique_ptr<Op> op = found->second(reader);
    reader.finish();
    return op;
}

} // namespace kiln::graph
