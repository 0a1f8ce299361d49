// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/bytes.h"
#include "targets/cuda/cudnn/convolution_graph.h"

namespace kiln::targets::cuda {

/// KernelRecord::code of a convolution by cuDNN: uint64 workspace; uint8 bit 0: the kernel weights
/// are packed, bit 1: operands may be rounded to TF32; uint64 version of the library at build time
/// (0: the build had none); uint8 whether an engine follows; its number as int64, its position as
/// int32, and its settings as uint32 count, then int32 and int64 each; uint64 what the prepared
/// plan is for, then that plan and the code of the helper kernel (bias_fill or, with channels last,
/// pad_channels), each behind its length.
struct ConvolutionCode {
    /// As workspace: what workspaceFor() says, since the shapes vary or no engine was tried.
    static constexpr uint64_t kByShape = UINT64_MAX;

    uint64_t workspace = 0; ///< bytes that an engine may use
    bool packs = false;     ///< the kernel weights are in the plan with their channels last
    bool tf32 = false;
    uint64_t version = 0;
    std::optional<EngineChoice> engine; ///< of the fastest ones at the optimum shapes
    uint64_t preparedFor = 0;           ///< ConvolutionPlan::placeOf() of the prepared plan
    Bytes prepared;                     ///< ConvolutionPlan::prepared(); empty: none
    Bytes helper;

    Bytes save() const;
    /// Throws kCorruptData.
    static ConvolutionCode load(ByteView bytes);
};

} // namespace kiln::targets::cuda
