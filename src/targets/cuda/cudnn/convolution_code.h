// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/bytes.h"
#include "targets/cuda/cudnn/convolution_graph.h"

namespace kiln::targets::cuda {

/// KernelRecord::code of a convolution by cuDNN: uint8 whether there is a workspace; uint64 version
/// of the library at build time (0: the build had none); uint8 whether an engine follows; its
/// number as int64, its position as int32, and its settings as uint32 count, then int32 and int64
/// each; then the code of the helper kernel (bias_fill or, with channels last, pad_channels).
struct ConvolutionCode {
    bool hasWorkspace = false;
    uint64_t version = 0;
    std::optional<EngineChoice> engine; ///< the fastest one at the optimum shapes
    Bytes helper;

    Bytes save() const;
    /// Throws kCorruptData.
    static ConvolutionCode load(ByteView bytes);
};

} // namespace kiln::targets::cuda
