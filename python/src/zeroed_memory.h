// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

namespace kiln::python {

/// Zeroed memory for classes that users derive from. If a user's __init__ sets an attribute before
/// it calls the base's __init__, pybind11 allocates the object without constructing it; in zeroed
/// memory, the attribute members are valid and empty. Neither function is inlined: GCC 12 would
/// inline only one of the two and take them for a mismatched pair.
struct Zeroed {
    [[gnu::noinline]] static void* operator new(std::size_t size) {
        return std::memset(::operator new(size), 0, size);
    }
    [[gnu::noinline]] static void operator delete(void* memory) noexcept {
        ::operator delete(memory);
    }
};

} // namespace kiln::python
