// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include <unistd.h>

#include "machine_memory.h"

namespace kiln::cudart {

MachineMemory machineMemory() noexcept {
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    MachineMemory memory;
    memory.total = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * page;
    memory.available = static_cast<std::size_t>(::sysconf(_SC_AVPHYS_PAGES)) * page;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen("/proc/meminfo", "r"),
                                                               &std::fclose);
    char line[128];
    while (file != nullptr && std::fgets(line, sizeof line, file.get()) != nullptr) {
        unsigned long kibibytes = 0;
        if (std::sscanf(line, "MemAvailable: %lu kB", &kibibytes) == 1) {
            memory.available = static_cast<std::size_t>(kibibytes) * 1024;
        }
    }
    return memory;
}

} // namespace kiln::cudart
