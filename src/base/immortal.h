// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace kiln {

/// A static object that is never destroyed, because other objects use it until the process ends. It
/// has static storage: unlike `static auto* const x = new T`, its first use allocates nothing
/// unless T does.
template <typename T>
class Immortal {
public:
    template <typename... Args>
    constexpr explicit Immortal(Args&&... args) : value_(std::forward<Args>(args)...) {}
    constexpr ~Immortal() {} // does not destroy value_
    Immortal(Immortal const&) = delete;
    Immortal& operator=(Immortal const&) = delete;

    T& operator*() noexcept { return value_; }
    T* operator->() noexcept { return &value_; }

private:
    union {
        T value_;
    };
};

} // namespace kiln
