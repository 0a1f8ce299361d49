// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"

#include <protozero/exception.hpp>

#include <limits>

namespace kiln::onnx {

using protozero::pbf_wire_type;

namespace {

// Errors, layers and logs repeat names many times.
constexpr size_t kLongestName = size_t{1} << 20;

char const* wireTypeName(pbf_wire_type type) {
    switch (type) {
    case pbf_wire_type::varint: return "varint";
    case pbf_wire_type::fixed64: return "64-bit";
    case pbf_wire_type::length_delimited: return "length-delimited";
    case pbf_wire_type::fixed32: return "32-bit";
    default: return "unknown";
    }
}

} // namespace

FieldReader::FieldReader(std::string_view bytes, char const* messageName)
    : reader_(bytes.data(), bytes.size()), messageName_(messageName) {}

void FieldReader::fail(std::string const& what, char const* fieldName) const {
    throw FormatError(std::string(messageName_) + ", field '" + fieldName + "': " + what);
}

void FieldReader::expect(pbf_wire_type type, char const* fieldName) const {
    if (reader_.wire_type() != type) {
        fail(std::string("expected wire type ") + wireTypeName(type) + ", got " +
                 wireTypeName(reader_.wire_type()),
             fieldName);
    }
}

// Adds message and field to the exceptions of protozero.
template <typename F>
auto FieldReader::guarded(char const* fieldName, F&& read) {
    try {
        return read();
    } catch (protozero::exception const& error) {
        fail(std::string("damaged or cut off (") + error.what() + ")", fieldName);
    }
}

bool FieldReader::next() {
    return guarded("(tag)", [this] { return reader_.next(); });
}

void FieldReader::skip() {
    guarded("(unknown)", [this] { reader_.skip(); });
}

int64_t FieldReader::int64(char const* fieldName) {
    expect(pbf_wire_type::varint, fieldName);
    return guarded(fieldName, [this] { return reader_.get_int64(); });
}

int32_t FieldReader::int32(char const* fieldName) {
    int64_t const value = int64(fieldName);
    using Limits = std::numeric_limits<int32_t>;
    if (value < Limits::min() || value > Limits::max()) {
        fail("expected a 32-bit value, got " + std::to_string(value), fieldName);
    }
    return static_cast<int32_t>(value);
}

float FieldReader::float32(char const* fieldName) {
    expect(pbf_wire_type::fixed32, fieldName);
    return guarded(fieldName, [this] { return reader_.get_float(); });
}

std::string_view FieldReader::bytes(char const* fieldName) {
    expect(pbf_wire_type::length_delimited, fieldName);
    auto const view = guarded(fieldName, [this] { return reader_.get_view(); });
    return {view.data(), view.size()};
}

std::string FieldReader::string(char const* fieldName) {
    return std::string(bytes(fieldName));
}

std::string FieldReader::name(char const* fieldName) {
    std::string_view const text = bytes(fieldName);
    if (text.size() > kLongestName) {
        fail("expected a name of " + std::to_string(kLongestName) + " bytes at most, got " +
                 std::to_string(text.size()),
             fieldName);
    }
    return std::string(text);
}

template <typename T, typename Single, typename Packed>
void FieldReader::appendEach(char const* fieldName, pbf_wire_type single, std::vector<T>& values,
                             Single&& readSingle, Packed&& readPacked) {
    if (reader_.wire_type() == pbf_wire_type::length_delimited) {
        guarded(fieldName, [&] {
            // Elements are appended one by one, so that a hostile length allocates nothing.
            for (auto const value : readPacked()) {
                values.push_back(static_cast<T>(value));
            }
        });
        return;
    }
    expect(single, fieldName);
    guarded(fieldName, [&] { values.push_back(static_cast<T>(readSingle())); });
}

void FieldReader::append(char const* fieldName, std::vector<int64_t>& values) {
    appendEach(
        fieldName, pbf_wire_type::varint, values, [this] { return reader_.get_int64(); },
        [this] { return reader_.get_packed_int64(); });
}

void FieldReader::append(char const* fieldName, std::vector<int32_t>& values) {
    appendEach(
        fieldName, pbf_wire_type::varint, values, [this] { return reader_.get_int32(); },
        [this] { return reader_.get_packed_int32(); });
}

void FieldReader::append(char const* fieldName, std::vector<uint64_t>& values) {
    appendEach(
        fieldName, pbf_wire_type::varint, values, [this] { return reader_.get_uint64(); },
        [this] { return reader_.get_packed_uint64(); });
}

void FieldReader::append(char const* fieldName, std::vector<float>& values) {
    appendEach(
        fieldName, pbf_wire_type::fixed32, values, [this] { return reader_.get_float(); },
        [this] { return reader_.get_packed_float(); });
}

void FieldReader::append(char const* fieldName, std::vector<double>& values) {
    appendEach(
        fieldName, pbf_wire_type::fixed64, values, [this] { return reader_.get_double(); },
        [this] { return reader_.get_packed_double(); });
}

} // namespace kiln::onnx
