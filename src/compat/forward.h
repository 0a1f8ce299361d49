// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// KILN_FORWARD(result, name, (parameters), (arguments)) defines and exports the C function `name`,
// which calls the function of the same name in Kiln's library by its second name,
// kiln_forward_<name>.
#define KILN_FORWARD(result, name, parameters, arguments)                                          \
    extern "C" result kiln_forward_##name parameters noexcept;                                     \
    extern "C" __attribute__((visibility("default"))) result name parameters noexcept;             \
    extern "C" result name parameters noexcept {                                                   \
        return kiln_forward_##name arguments;                                                      \
    }
