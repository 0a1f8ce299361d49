// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/network/permutation.h"

namespace nvinfer1 {

class IShuffleLayer : public ILayer {
public:
    ~IShuffleLayer() noexcept override = default;

    virtual void setFirstTranspose(Permutation permutation) noexcept = 0;
    virtual Permutation getFirstTranspose() const noexcept = 0;
    virtual void setReshapeDimensions(const Dims& dimensions) noexcept = 0;
    virtual Dims getReshapeDimensions() const noexcept = 0;
    virtual void setSecondTranspose(Permutation permutation) noexcept = 0;
    virtual Permutation getSecondTranspose() const noexcept = 0;
    virtual void setZeroIsPlaceholder(bool zeroIsPlaceholder) noexcept = 0;
    virtual bool getZeroIsPlaceholder() const noexcept = 0;
};

} // namespace nvinfer1
