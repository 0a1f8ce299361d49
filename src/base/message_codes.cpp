// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/message_codes.h"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <optional>

namespace kiln {
namespace {

constexpr size_t kSlots = 4096;
constexpr size_t kTagWeight = 8; ///< two areas may have messages that differ in a few letters

/// The groups of four characters of a message, so that most patterns are ruled out by one bit.
std::bitset<kSlots> slotsOf(std::string_view message) noexcept {
    std::bitset<kSlots> slots;
    for (size_t at = 0; at + 4 <= message.size(); ++at) {
        unsigned value = 0;
        for (char const letter : message.substr(at, 4)) {
            value = value * 31 + static_cast<unsigned char>(letter);
        }
        slots.set(value % kSlots);
    }
    return slots;
}

/// The pattern with the most words of its own among those that fit.
MessagePattern const* find(std::string_view message) noexcept {
    std::bitset<kSlots> const slots = slotsOf(message);
    MessagePattern const* best = nullptr;
    auto const weightOf = [&](MessagePattern const& pattern) {
        auto const holes = std::ranges::count(pattern.text, '\a');
        bool const tagged = message.starts_with('[') && message.substr(1).starts_with(pattern.area);
        return pattern.text.size() - static_cast<size_t>(holes) + (tagged ? kTagWeight : 0);
    };
    for (MessagePattern const& pattern : messagePatterns()) {
        if (slots.test(static_cast<size_t>(pattern.slot)) &&
            (best == nullptr || weightOf(pattern) > weightOf(*best)) &&
            fits(message, pattern.text)) {
            best = &pattern;
        }
    }
    return best;
}

struct Mark {
    size_t begin; ///< of " (run-17)"
    size_t end;
    std::string_view code;
};

bool isKnown(std::string_view area, int number) noexcept {
    auto const patterns = messagePatterns();
    auto const last = std::ranges::upper_bound(patterns, area, {}, &MessagePattern::area);
    return last != patterns.begin() && std::prev(last)->area == area && number > 0 &&
           number <= std::prev(last)->number;
}

/// The first code in a text, from a position on.
std::optional<Mark> markIn(std::string_view text, size_t from = 0) noexcept {
    for (size_t at = text.find(" (", from); at != text.npos; at = text.find(" (", at + 1)) {
        size_t const end = text.find(')', at);
        std::string_view const code = text.substr(at + 2, end == text.npos ? 0 : end - at - 2);
        size_t const dash = code.find('-');
        if (dash == code.npos || dash == 0) {
            continue;
        }
        int number = 0;
        auto const [stop, error] =
            std::from_chars(code.data() + dash + 1, code.data() + code.size(), number);
        if (error == std::errc() && stop == code.data() + code.size() &&
            isKnown(code.substr(0, dash), number)) {
            return Mark{at, end + 1, code};
        }
    }
    return std::nullopt;
}

} // namespace

bool fits(std::string_view message, std::string_view pattern) noexcept {
    size_t const firstLine = std::min(message.find('\n'), message.size());
    size_t at = 0;
    bool loose = false; // whether a value may stand before the next part
    while (!pattern.empty()) {
        size_t const hole = std::min(pattern.find('\a'), pattern.size());
        std::string_view const part = pattern.substr(0, hole);
        bool const isLast = hole == pattern.size();
        pattern.remove_prefix(std::min(hole + 1, pattern.size()));
        if (part.empty()) {
            loose = true;
            continue;
        }
        size_t const found = isLast && loose ? message.rfind(part) : message.find(part, at);
        bool const inPlace = loose ? found >= at : found == at;
        if (found == message.npos || !inPlace || (at == 0 && found > firstLine)) {
            return false;
        }
        at = found + part.size();
        loose = !isLast;
    }
    return loose || at == message.size();
}

std::string withCode(std::string message) {
    std::optional<Mark> const known = markIn(message);
    if (!known) {
        if (MessagePattern const* const pattern = find(message)) {
            message.append(" (").append(pattern->area).append("-");
            message.append(std::to_string(pattern->number)).append(")");
        }
        return message;
    }
    if (known->end == message.size()) {
        return message;
    }
    std::string const code(known->code);
    for (std::optional<Mark> mark = known; mark; mark = markIn(message, mark->begin)) {
        message.erase(mark->begin, mark->end - mark->begin);
    }
    return message.append(" (").append(code).append(")");
}

char const* withCode(char const* message, std::string& storage) noexcept {
    try {
        storage = withCode(std::string(message));
        return storage.c_str();
    } catch (...) {
        return message;
    }
}

std::string_view codeOf(std::string_view message) noexcept {
    for (std::optional<Mark> mark = markIn(message); mark; mark = markIn(message, mark->end)) {
        if (mark->end == message.size()) {
            return mark->code;
        }
    }
    return {};
}

} // namespace kiln
