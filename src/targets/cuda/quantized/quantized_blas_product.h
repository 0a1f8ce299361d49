// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/cuda/blaslt/matmul_plan.h"
#include "targets/cuda/quantized/quantized_arguments.h"

namespace kiln::targets::cuda {

/// A quantized region as cuBLASLt computes it.
class QuantizedBlas {
public:
    /// `constant` tells which inputs of the region are constants.
    QuantizedBlas(QuantizedRegion const& region, std::span<target::OperandType const> inputs,
                  target::OperandType const& output, std::vector<bool> const& constant);

    /// Whether the library's call gives the result, so that nothing follows.
    bool isDirect() const noexcept { return direct_; }
    MatmulTypes const& types() const noexcept { return types_; }
    MatmulEpilogue const& epilogue() const noexcept { return epilogue_; }

    /// Why the library does not take these shapes; empty if it does.
    std::string problem(QuantizedArguments const& arguments) const;
    MatrixProduct product(QuantizedArguments const& arguments) const;
    /// Bytes of the sums in the workspace, a multiple of 256; 0 if the call is direct.
    std::size_t sumBytes(QuantizedArguments const& arguments) const;

private:
    MatmulTypes types_;
    MatmulEpilogue epilogue_;
    bool direct_ = false;
};

} // namespace kiln::targets::cuda
