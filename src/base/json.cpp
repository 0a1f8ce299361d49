// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <cmath>

#include <fmt/format.h>

namespace kiln {
namespace {

/// Length of the UTF-8 sequence at the start of a text; 0 if it is invalid.
std::size_t sequenceLength(std::string_view text) noexcept {
    auto const byte = [&](std::size_t i) { return static_cast<uint8_t>(text[i]); };
    uint8_t const first = byte(0);
    std::size_t const length = first < 0x80    ? 1
                               : first < 0xc2  ? 0
                               : first < 0xe0  ? 2
                               : first < 0xf0  ? 3
                               : first <= 0xf4 ? 4
                                               : 0;
    if (length == 0 || length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) {
            return 0;
        }
    }
    bool const overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    bool const surrogate = first == 0xed && byte(1) >= 0xa0;
    bool const beyond = first == 0xf4 && byte(1) >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

void appendEscaped(std::string& out, char character) {
    switch (character) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: out += fmt::format("\\u{:04x}", static_cast<unsigned>(character)); break;
    }
}

void appendText(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        std::size_t const length = sequenceLength(text);
        char const first = text.front();
        if (length == 1 && (static_cast<uint8_t>(first) < 0x20 || first == '"' || first == '\\')) {
            appendEscaped(out, first);
        } else if (length == 0) {
            out += "\xef\xbf\xbd"; // the replacement character
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
}

void appendReal(std::string& out, double value) {
    if (!std::isfinite(value)) {
        out += "null";
        return;
    }
    std::string const text = fmt::format("{}", value);
    out += text;
    if (text.find_first_of(".e") == std::string::npos) {
        out += ".0"; // so that readers parse a real number
    }
}

void appendBreak(std::string& out, int indent, int depth) {
    if (indent >= 0) {
        out += '\n';
        out.append(static_cast<std::size_t>(indent * depth), ' ');
    }
}

/// Appends the elements of an array or an object between brackets.
template <typename List, typename AppendOne>
void appendList(std::string& out, List const& list, std::string_view brackets, int indent,
                int depth, AppendOne&& appendOne) {
    out += brackets[0];
    bool first = true;
    for (auto const& one : list) {
        out += first ? "" : ",";
        first = false;
        appendBreak(out, indent, depth + 1);
        appendOne(one);
    }
    if (!first) {
        appendBreak(out, indent, depth);
    }
    out += brackets[1];
}

} // namespace

Json& Json::operator[](std::string_view key) {
    if (std::holds_alternative<std::monostate>(value_)) {
        value_ = Object();
    }
    auto& object = std::get<Object>(value_);
    for (auto& [known, value] : object) {
        if (known == key) {
            return value;
        }
    }
    return object.emplace_back(key, Json()).second;
}

Json const& Json::operator[](std::string_view key) const {
    static Json const none;
    for (auto const& [known, value] : entries()) {
        if (known == key) {
            return value;
        }
    }
    return none;
}

void Json::push_back(Json value) {
    if (std::holds_alternative<std::monostate>(value_)) {
        value_ = Array();
    }
    std::get<Array>(value_).push_back(std::move(value));
}

Json::Array const& Json::elements() const noexcept {
    static Array const none;
    auto const* const array = std::get_if<Array>(&value_);
    return array == nullptr ? none : *array;
}

Json::Object const& Json::entries() const noexcept {
    static Object const none;
    auto const* const object = std::get_if<Object>(&value_);
    return object == nullptr ? none : *object;
}

void Json::append(std::string& out, int indent, int depth) const {
    if (auto const* const flag = std::get_if<bool>(&value_)) {
        out += *flag ? "true" : "false";
    } else if (auto const* const whole = std::get_if<int64_t>(&value_)) {
        out += std::to_string(*whole);
    } else if (auto const* const natural = std::get_if<uint64_t>(&value_)) {
        out += std::to_string(*natural);
    } else if (auto const* const real = std::get_if<double>(&value_)) {
        appendReal(out, *real);
    } else if (auto const* const own = std::get_if<std::string>(&value_)) {
        appendText(out, *own);
    } else if (auto const* const array = std::get_if<Array>(&value_)) {
        appendList(out, *array, "[]", indent, depth,
                   [&](Json const& one) { one.append(out, indent, depth + 1); });
    } else if (auto const* const object = std::get_if<Object>(&value_)) {
        appendList(out, *object, "{}", indent, depth, [&](auto const& entry) {
            appendText(out, entry.first);
            out += indent < 0 ? ":" : ": ";
            entry.second.append(out, indent, depth + 1);
        });
    } else {
        out += "null";
    }
}

std::string Json::dump(int indent) const {
    std::string out;
    append(out, indent, 0);
    return out;
}

} // namespace kiln
