// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The exception that importers throw. The graph importer adds the node, and the parser turns the
// error into an IParserError.
#pragma once

#include "kiln/api/onnx_parser.h"

#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace kiln::onnx {

using nvonnxparser::ErrorCode;

class ImportError : public std::runtime_error {
public:
    ImportError(ErrorCode code, std::string const& text,
                std::source_location where = std::source_location::current())
        : std::runtime_error(text), code(code), where(where) {}

    ErrorCode code;
    std::source_location where;

    // Set if a layer of the network has no shape: no later layer has one either, so that later
    // nodes cannot be checked.
    bool breaksNetwork{false};

    // The node that was being imported, in its own graph; index -1 if there was none.
    int nodeIndex{-1};
    std::string nodeName;
    std::string nodeOperator;
    std::vector<std::string> functions; // of the model, around the node, outermost first
};

[[noreturn]] inline void failImport(ErrorCode code, std::string const& text,
                                    std::source_location where = std::source_location::current()) {
    throw ImportError(code, text, where);
}

} // namespace kiln::onnx
