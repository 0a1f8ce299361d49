// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// An IParserError that owns its texts.
#pragma once

#include "onnx/import_error.h"

#include <string>
#include <vector>

namespace kiln::onnx {

class ParserError final : public nvonnxparser::IParserError {
public:
    ParserError(ImportError const& error, std::string description);
    // Public, unlike the interface's destructor: the parser stores errors by value.
    ~ParserError() noexcept override = default;
    ParserError(ParserError&&) = default;
    ParserError& operator=(ParserError&&) = default;
    ParserError(ParserError const&) = delete;
    ParserError& operator=(ParserError const&) = delete;

    ErrorCode code() const override { return code_; }
    char const* desc() const override { return description_.c_str(); }
    char const* file() const override { return file_.c_str(); }
    int line() const override { return line_; }
    char const* func() const override { return function_.c_str(); }
    int node() const override { return nodeIndex_; }
    char const* nodeName() const override { return nodeName_.c_str(); }
    char const* nodeOperator() const override { return nodeOperator_.c_str(); }
    char const* const* localFunctionStack() const override {
        return functionNames_.empty() ? nullptr : functionNames_.data();
    }
    int32_t localFunctionStackSize() const override {
        return static_cast<int32_t>(functionNames_.size());
    }

private:
    ErrorCode code_;
    std::string description_;
    std::string file_;
    int line_;
    std::string function_;
    int nodeIndex_;
    std::string nodeName_;
    std::string nodeOperator_;
    std::vector<std::string> functions_;
    std::vector<char const*> functionNames_; // pointers into functions_, whose elements stay
};

// The error for exhausted memory. It needs no allocation.
class ExhaustedError final : public nvonnxparser::IParserError {
public:
    static constexpr char const* kText =
        "[onnx] host memory ran out. Use a smaller model, or free memory. (onnx-5)";

    ~ExhaustedError() noexcept override = default;

    ErrorCode code() const override { return ErrorCode::kMEM_ALLOC_FAILED; }
    char const* desc() const override { return kText; }
    char const* file() const override { return ""; }
    int line() const override { return 0; }
    char const* func() const override { return ""; }
    int node() const override { return -1; }
    char const* nodeName() const override { return ""; }
    char const* nodeOperator() const override { return ""; }
    char const* const* localFunctionStack() const override { return nullptr; }
    int32_t localFunctionStackSize() const override { return 0; }
};

} // namespace kiln::onnx
