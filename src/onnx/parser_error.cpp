// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/parser_error.h"

#include <string_view>
#include <utility>

namespace kiln::onnx {

// The compiler's path depends on the build machine, so only the part from onnx/ on is kept.
static std::string belowSources(std::string_view path) {
    size_t const found = path.rfind("onnx/");
    return std::string(found == std::string_view::npos ? path : path.substr(found));
}

// "importPad" of "void kiln::onnx::{anonymous}::importPad(kiln::onnx::NodeContext&)".
static std::string bareName(std::string_view signature) {
    for (std::string_view const unnamed : {"(anonymous namespace)::", "{anonymous}::"}) {
        size_t const at = signature.find(unnamed);
        signature.remove_prefix(at == std::string_view::npos ? 0 : at + unnamed.size());
    }
    std::string_view const name = signature.substr(0, signature.find_first_of("([<"));
    size_t const before = name.find_last_of(" :*&");
    return std::string(before == std::string_view::npos ? name : name.substr(before + 1));
}

ParserError::ParserError(ImportError const& error, std::string description)
    : code_(error.code), description_(std::move(description)),
      file_(belowSources(error.where.file_name())), line_(static_cast<int>(error.where.line())),
      function_(bareName(error.where.function_name())), nodeIndex_(error.nodeIndex),
      nodeName_(error.nodeName), nodeOperator_(error.nodeOperator), functions_(error.functions) {
    for (std::string const& function : functions_) {
        functionNames_.push_back(function.c_str());
    }
}

} // namespace kiln::onnx
