// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Maps ONNX operators to the functions that import them. Each file of importers/ defines
// registerImporter_<stem>(ImporterRegistry&); the build generates the list of calls.
#pragma once

#include "onnx/node_context.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::onnx {

// Adds layers for a node and sets the node's outputs; throws ImportError.
using Importer = void (*)(NodeContext& context);

class ImporterRegistry {
public:
    // opType: the operator's name in the standard ONNX domain.
    void add(std::string opType, Importer importer);

    // The same for an operator of another domain, such as com.microsoft.
    void add(std::string const& domain, std::string const& opType, Importer importer);

    // Null for an operator without an importer.
    Importer find(std::string_view opType) const;
    Importer find(NodeProto const& node) const;

    // The standard operators that have an importer, sorted.
    std::vector<std::string> names() const;

    // All importers of this library.
    static ImporterRegistry const& all();

private:
    std::map<std::string, Importer, std::less<>> importers_;
};

} // namespace kiln::onnx
