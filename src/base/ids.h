// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace kiln {

/// The number behind an id, for vectors of other code and for messages. An id is an enum class over
/// int32_t whose member kNone is -1.
template <typename Id>
constexpr std::size_t indexOf(Id id) noexcept {
    return static_cast<std::size_t>(id);
}

/// An id whose numbers may stand in the source, as in tests: those convert by themselves, computed
/// ones only where it says so. `Tag` makes the type. -1 is none.
template <typename Tag>
class NumberId {
public:
    constexpr NumberId() = default;
    consteval NumberId(int32_t number) : number_(number) {} // NOLINT(google-explicit-constructor)
    explicit constexpr NumberId(std::size_t index) : number_(static_cast<int32_t>(index)) {}
    /// A number that may be out of range, from a file.
    static constexpr NumberId of(int32_t number) noexcept {
        NumberId id;
        id.number_ = number;
        return id;
    }
    constexpr int32_t number() const noexcept { return number_; }
    constexpr bool isNone() const noexcept { return number_ < 0; }
    explicit constexpr operator std::size_t() const noexcept {
        return static_cast<std::size_t>(number_);
    }
    friend constexpr auto operator<=>(NumberId const&, NumberId const&) = default;

private:
    int32_t number_ = -1;
};

/// The ids of a table, in order.
template <typename Id>
class IdRange {
public:
    class Iterator {
    public:
        explicit Iterator(std::size_t at) noexcept : at_(at) {}
        Id operator*() const noexcept { return static_cast<Id>(at_); }
        Iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        bool operator==(Iterator const&) const = default;

    private:
        std::size_t at_;
    };

    explicit IdRange(std::size_t count) noexcept : count_(count) {}
    Iterator begin() const noexcept { return Iterator(0); }
    Iterator end() const noexcept { return Iterator(count_); }

private:
    std::size_t count_;
};

/// A vector that only ids of one kind can index, so that the number of a tensor cannot select a
/// step. Checked in builds with assertions.
template <typename Id, typename T>
class Table {
public:
    Table() = default;
    explicit Table(std::size_t size, T const& value = T()) : entries_(size, value) {}
    Table(std::initializer_list<T> entries) : entries_(entries) {}

    Id add(T entry) {
        entries_.push_back(std::move(entry));
        return static_cast<Id>(entries_.size() - 1);
    }
    typename std::vector<T>::reference operator[](Id id) {
        assert(has(id));
        return entries_[indexOf(id)];
    }
    typename std::vector<T>::const_reference operator[](Id id) const {
        assert(has(id));
        return entries_[indexOf(id)];
    }
    void push_back(T entry) { entries_.push_back(std::move(entry)); } ///< for generic code
    bool has(Id id) const noexcept { return indexOf(id) < entries_.size(); }
    std::size_t size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }
    T& back() noexcept { return entries_.back(); }
    IdRange<Id> ids() const noexcept { return IdRange<Id>(size()); }
    void reserve(std::size_t size) { entries_.reserve(size); }
    void resize(std::size_t size) { entries_.resize(size); }
    void resize(std::size_t size, T const& value) { entries_.resize(size, value); }

    bool operator==(Table const&) const = default;

    auto begin() noexcept { return entries_.begin(); }
    auto end() noexcept { return entries_.end(); }
    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }

private:
    std::vector<T> entries_;
};

} // namespace kiln

template <typename Tag>
struct std::hash<kiln::NumberId<Tag>> {
    std::size_t operator()(kiln::NumberId<Tag> id) const noexcept {
        return static_cast<std::size_t>(id);
    }
};

template <typename Tag>
struct fmt::formatter<kiln::NumberId<Tag>> {
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    auto format(kiln::NumberId<Tag> id, fmt::format_context& context) const {
        return fmt::format_to(context.out(), "{}", id.number());
    }
};
