// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kiln {

/// The number behind an id, for vectors of other code and for messages. An id is an enum class over
/// int32_t whose member kNone is -1.
template <typename Id>
constexpr std::size_t indexOf(Id id) noexcept {
    return static_cast<std::size_t>(id);
}

/// A vector that only ids of one kind can index, so that the number of a tensor cannot select a
/// step. Checked in builds with assertions.
template <typename Id, typename T>
class Table {
public:
    Table() = default;
    explicit Table(std::size_t size, T const& value = T()) : entries_(size, value) {}

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
    bool has(Id id) const noexcept { return indexOf(id) < entries_.size(); }
    std::size_t size() const noexcept { return entries_.size(); }
    void resize(std::size_t size) { entries_.resize(size); }
    void resize(std::size_t size, T const& value) { entries_.resize(size, value); }

    auto begin() noexcept { return entries_.begin(); }
    auto end() noexcept { return entries_.end(); }
    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }

private:
    std::vector<T> entries_;
};

} // namespace kiln
