// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// An IParserError that owns its texts.
#pragma once

#include "onnx/import_error.h"

#include <string>

namespace kiln::onnx {

class ParserError final : public nvonnxparser::IParserError {
public:
    ParserError(const ImportError& error, std::string description);
    // Public where the interface's is not: the parser holds errors by value.
    ~ParserError() noexcept override = default;
    ParserError(ParserError&&) = default;
    ParserError(const ParserError&) = default;
    ParserError& operator=(ParserError&&) = default;
    ParserError& operator=(const ParserError&) = default;

    ErrorCode code() const override { return code_; }
    const char* desc() const override { return description_.c_str(); }
    const char* file() const override { return file_.c_str(); }
    int line() const override { return line_; }
    const char* func() const override { return function_.c_str(); }
    int node() const override { return nodeIndex_; }
    const char* nodeName() const override { return nodeName_.c_str(); }
    const char* nodeOperator() const override { return nodeOperator_.c_str(); }
    // Model-local functions are refused as a whole, so no error lies within one.
    const char* const* localFunctionStack() const override { return nullptr; }
    int32_t localFunctionStackSize() const override { return 0; }

private:
    ErrorCode code_;
    std::string description_;
    std::string file_;
    int line_;
    std::string function_;
    int nodeIndex_;
    std::string nodeName_;
    std::string nodeOperator_;
};

} // namespace kiln::onnx
