// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/parser_error.h"

#include <string_view>
#include <utility>

namespace kiln::onnx {

// The compiler's path names the machine that built the library; the part below src/ is enough.
static std::string belowSources(std::string_view path) {
    size_t const found = path.rfind("onnx/");
    return std::string(found == std::string_view::npos ? path : path.substr(found));
}

ParserError::ParserError(ImportError const& error, std::string description)
    : code_(error.code), description_(std::move(description)),
      file_(belowSources(error.where.file_name())), line_(static_cast<int>(error.where.line())),
      function_(error.where.function_name()), nodeIndex_(error.nodeIndex),
      nodeName_(error.nodeName), nodeOperator_(error.nodeOperator) {}

} // namespace kiln::onnx
