// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kiln {

/// A JSON value to be written. Objects keep the order of their keys. Unlike in larger libraries,
/// the destructor allocates nothing, so that it works when memory is exhausted.
class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;

    Json() = default;
    Json(std::string text) : value_(std::move(text)) {}
    Json(std::string_view text) : value_(std::string(text)) {}
    Json(char const* text) : value_(std::string(text)) {}
    Json(bool value) : value_(value) {}
    template <std::floating_point T>
    Json(T value) : value_(static_cast<double>(value)) {}
    template <std::signed_integral T>
    Json(T value) : value_(static_cast<int64_t>(value)) {}
    template <std::unsigned_integral T>
        requires(!std::same_as<T, bool>)
    Json(T value) : value_(static_cast<uint64_t>(value)) {}
    template <typename T>
    Json(std::vector<T> const& values) : value_(Array(values.begin(), values.end())) {}

    static Json array() { return Json(Array{}); }
    /// object("name", value, "other name", other value, ...). Not an initializer list: if an
    /// element throws, GCC 12 destroys elements that were never constructed.
    template <typename... Entries>
    static Json object(Entries&&... entries) {
        Json result{Object{}};
        result.set(std::forward<Entries>(entries)...);
        return result;
    }

    /// Value of a key in an object; adds a missing key. A null value becomes an object first.
    Json& operator[](std::string_view key);
    /// Null for a missing key.
    Json const& operator[](std::string_view key) const;
    /// Appends to an array. A null value becomes an array first.
    void push_back(Json value);
    Json& back() { return std::get<Array>(value_).back(); }

    bool isText() const noexcept { return std::holds_alternative<std::string>(value_); }
    std::string const& text() const { return std::get<std::string>(value_); }
    /// Empty unless the value is an array; for objects see entries().
    Array const& elements() const noexcept;
    Object const& entries() const noexcept;

    /// The value as JSON text, on one line if `indent` is below 0. Invalid UTF-8 becomes
    /// replacement characters; NaN and infinity become null.
    std::string dump(int indent = -1) const;

private:
    explicit Json(Array array) : value_(std::move(array)) {}
    explicit Json(Object object) : value_(std::move(object)) {}
    void set() noexcept {}
    template <typename Value, typename... More>
    void set(char const* key, Value&& value, More&&... more) {
        (*this)[key] = Json(std::forward<Value>(value));
        set(std::forward<More>(more)...);
    }
    void append(std::string& out, int indent, int depth) const;

    std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Array, Object>
        value_;
};

} // namespace kiln
