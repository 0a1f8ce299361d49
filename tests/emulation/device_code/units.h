// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What Kiln's kernels write in PTX on a GPU, and here call: shared memory whose size the launch
// gives, asynchronous copies to it, and the wait for the kernel in front.
#pragma once

#define KILN_EMULATED_SHARED(name) unsigned char* const name = kiln_emulated_state.dynamicShared

inline void kilnBeginCopy(void* to, void const* from, bool exists) {
    auto const at = reinterpret_cast<__UINTPTR_TYPE__>(to);
    auto const source = exists ? reinterpret_cast<__UINTPTR_TYPE__>(from) : 0;
    if (((at | source) & 15U) != 0) {
        __builtin_trap();
    }
    kiln_emulated_state.beginCopy(kilnThread(), to, exists ? from : nullptr);
}
inline void kilnEndGroup() {
    kiln_emulated_state.endGroup(kilnThread());
}
inline void kilnWaitForGroups(unsigned left) {
    kiln_emulated_state.waitForGroups(kilnThread(), left);
}
inline void kilnWaitForCopies() {
    kiln_emulated_state.waitForCopies(kilnThread());
}
inline void kilnWaitForInputs() {
    kiln_emulated_state.waitForInputs();
}
