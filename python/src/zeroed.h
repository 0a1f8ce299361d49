// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

namespace kiln::python {

/// Memory of zeros for classes that users derive from. When a user's __init__ sets an attribute
/// before it called the base's __init__, pybind11 allocates the object without constructing it; all
/// zero, the attribute members are valid and empty. Neither is inlined: GCC 12 would look through
/// one of the two only and take them for a mismatched pair.
struct Zeroed {
    [[gnu::noinline]] static void* operator new(std::size_t size) {
        return std::memset(::operator new(size), 0, size);
    }
    [[gnu::noinline]] static void operator delete(void* memory) noexcept {
        ::operator delete(memory);
    }
};

} // namespace kiln::python
