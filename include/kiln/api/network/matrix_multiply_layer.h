// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

namespace nvinfer1 {

enum class MatrixOperation : int32_t {
    kNONE = 0,
    kTRANSPOSE = 1,
    kVECTOR = 2,
};

template <>
constexpr int32_t EnumMax<MatrixOperation>() noexcept {
    return 3;
}

class IMatrixMultiplyLayer : public ILayer {
public:
    ~IMatrixMultiplyLayer() noexcept override = default;

    virtual void setOperation(int32_t index, MatrixOperation op) noexcept = 0;
    virtual MatrixOperation getOperation(int32_t index) const noexcept = 0;
};

} // namespace nvinfer1
