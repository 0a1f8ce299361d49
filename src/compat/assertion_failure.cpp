// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the checked C++ library calls when an index or a precondition is wrong. libstdc++ has this
// function since GCC 12; nothing else in Kiln needs more than that of GCC 11. With a copy of its
// own, each shared library runs on systems such as RHEL 9, and wheels are manylinux_2_34.
//
// It includes no header of the C++ library, which would declare the function as exported.
#include <stdio.h>

namespace std {

[[noreturn, gnu::visibility("hidden")]] void __glibcxx_assert_fail(char const* file, int line,
                                                                   char const* function,
                                                                   char const* condition) noexcept {
    fprintf(stderr, "%s:%d: %s: Assertion '%s' failed.\n", file, line, function, condition);
    __builtin_abort();
}

} // namespace std
