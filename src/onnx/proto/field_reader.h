// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Reads the fields of one protobuf message with checks. Every error names message and field. A
// field of the wrong wire type is an error: such a file is damaged.
#pragma once

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::onnx {

// The bytes do not follow the format. The text names message and field.
class FormatError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class FieldReader {
public:
    // messageName must be a literal: the reader keeps the pointer.
    FieldReader(std::string_view bytes, char const* messageName);

    // Steps to the next field; false at the end of the message.
    bool next();

    // Number of the current field.
    uint32_t tag() const { return static_cast<uint32_t>(reader_.tag()); }

    void skip();

    // The value of the current field; each checks the wire type. Read or skip a field once.
    int64_t int64(char const* fieldName);
    int32_t int32(char const* fieldName);
    float float32(char const* fieldName);
    std::string_view bytes(char const* fieldName);
    std::string string(char const* fieldName);
    std::string name(char const* fieldName); // FormatError if it is longer than any name

    // Append the current field, packed or a single element, to a repeated one.
    void append(char const* fieldName, std::vector<int64_t>& values);
    void append(char const* fieldName, std::vector<int32_t>& values);
    void append(char const* fieldName, std::vector<uint64_t>& values);
    void append(char const* fieldName, std::vector<float>& values);
    void append(char const* fieldName, std::vector<double>& values);

private:
    [[noreturn]] void fail(std::string const& what, char const* fieldName) const;
    void expect(protozero::pbf_wire_type type, char const* fieldName) const;
    template <typename F>
    auto guarded(char const* fieldName, F&& read);
    template <typename T, typename Single, typename Packed>
    void appendEach(char const* fieldName, protozero::pbf_wire_type single, std::vector<T>& values,
                    Single&& readSingle, Packed&& readPacked);

    protozero::pbf_reader reader_;
    char const* messageName_;
};

} // namespace kiln::onnx
