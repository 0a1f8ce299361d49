// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <NvOnnxParser.h>

namespace kiln::python {

/// trt.ParserError: a copy, because the parser's next call frees the parser's own.
struct ErrorObject {
    nvonnxparser::ErrorCode code;
    std::string desc, file, func, nodeName, nodeOperator;
    int line, node;
    std::vector<std::string> stack;

    explicit ErrorObject(nvonnxparser::IParserError const& error)
        : code(error.code()), desc(error.desc()), file(error.file()), func(error.func()),
          nodeName(error.nodeName()), nodeOperator(error.nodeOperator()), line(error.line()),
          node(error.node()) {
        char const* const* const names = error.localFunctionStack();
        if (names != nullptr) {
            stack.assign(names, names + error.localFunctionStackSize());
        }
    }
};

} // namespace kiln::python
