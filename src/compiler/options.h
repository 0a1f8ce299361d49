// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <NvInfer.h>

#include "base/dims.h"
#include "base/log.h"
#include "plan/document.h"
#include "target/device.h"

namespace kiln::compiler {

/// Extents that one input may have.
struct InputRange {
    Dims min{-1, {}};
    Dims opt{-1, {}};
    Dims max{-1, {}};
};

/// Values that one shape input may have, element by element.
struct ValueRange {
    std::vector<int64_t> min;
    std::vector<int64_t> opt;
    std::vector<int64_t> max;
};

/// One optimization profile, by input name.
struct Profile {
    std::map<std::string, InputRange, std::less<>> shapes; ///< lookup without an allocation
    std::map<std::string, ValueRange, std::less<>> values = {};
};

class KernelSelector;
class TimingCache;

struct Options {
    std::string target;               ///< "cpu", "cuda"
    target::Device* device = nullptr; ///< times; null: the current one, if any
    bool allowHalf = false;           ///< BuilderFlag::kFP16
    bool allowBfloat16 = false;       ///< BuilderFlag::kBF16
    bool allowInt8 = false;           ///< BuilderFlag::kINT8
    bool allowTf32 = false;           ///< BuilderFlag::kTF32
    bool obeyPrecision = false;       ///< BuilderFlag::kOBEY_PRECISION_CONSTRAINTS
    bool preferPrecision = false;     ///< BuilderFlag::kPREFER_PRECISION_CONSTRAINTS
    /// The largest magnitudes of tensors, by name, from a calibration. Ranges that the network has
    /// come first.
    std::map<std::string, float, std::less<>> magnitudes;
    bool directIo = false;          ///< BuilderFlag::kDIRECT_IO
    bool refit = false;             ///< the plan keeps what weights can change with
    bool refitMarked = false;       ///< with `refit`: only weights that are marked can change
    bool showUnfused = false;       ///< tensors that are not fused away can be shown to listeners
    bool versionCompatible = false; ///< later versions of Kiln open the plan
    bool stripPlan = false;         ///< with `refit`: the plan omits weights that can change
    bool weightStreaming = false;   ///< BuilderFlag::kWEIGHT_STREAMING
    nvinfer1::HardwareCompatibilityLevel compatibility =
        nvinfer1::HardwareCompatibilityLevel::kNONE;
    bool allowAliases = false; ///< PreviewFeature::kALIASED_PLUGIN_IO_10_03
    int32_t timingRuns = 0;    ///< maximum runs per timing; 0: the default
    std::vector<Profile> profiles;
    std::vector<plan::LibraryRecord> libraries; ///< stored in the plan; the caller owns the bytes
    std::vector<plan::SourceRecord> sources;    ///< the same
    nvinfer1::ProfilingVerbosity verbosity = nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY;
    uint64_t workspaceLimit = UINT64_MAX;         ///< MemoryPoolType::kWORKSPACE, bytes per layer
    nvinfer1::IGpuAllocator* allocator = nullptr; ///< for plugins
    nvinfer1::IGpuAllocator* memory = nullptr; ///< for everything else; null: the target allocates
    nvinfer1::IErrorRecorder* recorder = nullptr;
    nvinfer1::IProgressMonitor* progress = nullptr;
    KernelSelector* selector = nullptr; ///< null: the fastest kernels
    TimingCache* timingCache = nullptr; ///< null: no caching
    bool timingCacheOnly = false;       ///< BuilderFlag::kERROR_ON_TIMING_CACHE_MISS
    Log log;
};

} // namespace kiln::compiler
