// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <NvInferRuntime.h>

#include "base/dims.h"
#include "base/log.h"
#include "plan/document.h"

namespace kiln::compiler {

/// Extents that one input may have.
struct InputRange {
    Dims min{-1, {}};
    Dims opt{-1, {}};
    Dims max{-1, {}};
};

/// One optimization profile, by input name.
using Profile = std::map<std::string, InputRange>;

struct Options {
    std::string target;     ///< "cpu", "cuda"
    bool allowHalf = false; ///< BuilderFlag::kFP16
    int32_t timingRuns = 0; ///< most runs of one timing; 0: as many as take a few ms
    std::vector<Profile> profiles;
    std::vector<plan::LibraryRecord>
        libraries;                        ///< to travel in the plan; the caller keeps the bytes
    uint64_t workspaceLimit = UINT64_MAX; ///< MemoryPoolType::kWORKSPACE, bytes per layer
    nvinfer1::IGpuAllocator* allocator = nullptr;
    nvinfer1::IErrorRecorder* recorder = nullptr;
    Log log;
};

} // namespace kiln::compiler
