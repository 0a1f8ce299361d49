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

/// A JSON value to be written. Objects keep the order of their keys. Unlike those of larger
/// libraries, its destructor allocates nothing: it runs where memory is exhausted.
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
    /// object("name", value, "other name", other value, ...). No list in braces, whose elements GCC
    /// 12 destroys before they are made when one of them throws.
    template <typename... Entries>
    static Json object(Entries&&... entries) {
        Json result{Object{}};
        result.set(std::forward<Entries>(entries)...);
        return result;
    }

    /// Of an object, or of nothing, which becomes one. Adds a key that is not there.
    Json& operator[](std::string_view key);
    /// Null for a key that is not there.
    Json const& operator[](std::string_view key) const;
    /// To an array, or to nothing, which becomes one.
    void push_back(Json value);
    Json& back() { return std::get<Array>(value_).back(); }

    bool isText() const noexcept { return std::holds_alternative<std::string>(value_); }
    std::string const& text() const { return std::get<std::string>(value_); }
    /// No elements for what is no array; for objects see entries().
    Array const& elements() const noexcept;
    Object const& entries() const noexcept;

    /// The text. `indent` below 0: on one line. Texts that are not UTF-8 are shown with replacement
    /// characters; numbers that JSON lacks as null.
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
