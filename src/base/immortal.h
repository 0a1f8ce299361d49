// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace kiln {

/// A static object that is never destroyed, for what other objects use until the process ends. It
/// lies in static memory: unlike `static auto* const x = new T`, its first use allocates nothing
/// unless T does.
template <typename T>
class Immortal {
public:
    template <typename... Args>
    constexpr explicit Immortal(Args&&... args) : value_(std::forward<Args>(args)...) {}
    constexpr ~Immortal() {} // value_ is left as it is
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
