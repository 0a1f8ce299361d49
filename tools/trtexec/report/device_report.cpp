// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/device_report.h"

#include <fstream>
#include <string>

#include <kiln/kiln.h>
#include <sched.h>
#include <unistd.h>

#include "run/device.h"

namespace kiln::trtexec {
namespace {

std::string processorName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        // x86 has "model name"; most ARM kernels have only "CPU part" or "Hardware".
        if (line.rfind("model name", 0) == 0 || line.rfind("Hardware", 0) == 0) {
            size_t const colon = line.find(": ");
            return colon == std::string::npos ? line : line.substr(colon + 2);
        }
    }
    return "unknown processor";
}

int usableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof(set), &set) == 0
               ? CPU_COUNT(&set)
               : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

double memoryMiB() {
    return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

} // namespace

void reportDevice(std::string const& target, bool buildsOnly, Logger& logger) {
    logger.info("=== Device Information ===");
    if (target == "cpu") {
        logger.info("Selected Device: {}", processorName());
    } else if (!buildsOnly) {
        IDevice const& gpu = device();
        logger.info("Selected Device: {}", gpu.name());
        logger.info("Compute Capability: {}", gpu.architecture());
        logger.info("Device Global Memory: {} MiB", gpu.memoryBytes() >> 20U);
    }
    logger.info("Target: {}", target);
    logger.info("Cores: {} (threads used: {})", usableCores(), kiln::numThreads());
    logger.info("Total Host Memory: {:.0f} MiB", memoryMiB());
    logger.info("");
    logger.info("TensorRT version: {}.{}.{}", getInferLibMajorVersion(), getInferLibMinorVersion(),
                getInferLibPatchVersion());
    logger.info("Kiln version: {}", kiln::version());
}

} // namespace kiln::trtexec
