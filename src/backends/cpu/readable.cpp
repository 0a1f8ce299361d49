// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/readable.h"

#include <cerrno>

#include <sys/uio.h>
#include <unistd.h>

namespace kiln::backends::cpu {

bool canRead(void const* address) noexcept {
    char byte = 0;
    iovec const to{&byte, 1};
    iovec const from{const_cast<void*>(address), 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT;
}

} // namespace kiln::backends::cpu
