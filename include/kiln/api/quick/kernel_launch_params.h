// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Launch parameters of an ahead-of-time compiled kernel.
#pragma once

#include "kiln/api/quick/sym_expr.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Grid, block and shared memory of a launch. Implemented by Kiln and filled by a plugin in
//! IPluginV3QuickAOTBuild::getLaunchParams(). Defaults: 1 for grid and block, 0 bytes of shared
//! memory.
//!
//! Setters copy the expression and do not keep the object. They return false, and change nothing,
//! for nullptr and for an expression that does not belong to this callback. Getters return nullptr
//! if nothing was set; the result is owned by this object.
class IKernelLaunchParams : public INoCopy {
public:
    virtual ISymExpr* getGridX() noexcept = 0;
    virtual bool setGridX(ISymExpr* gridX) noexcept = 0;
    virtual ISymExpr* getGridY() noexcept = 0;
    virtual bool setGridY(ISymExpr* gridY) noexcept = 0;
    virtual ISymExpr* getGridZ() noexcept = 0;
    virtual bool setGridZ(ISymExpr* gridZ) noexcept = 0;
    virtual ISymExpr* getBlockX() noexcept = 0;
    virtual bool setBlockX(ISymExpr* blockX) noexcept = 0;
    virtual ISymExpr* getBlockY() noexcept = 0;
    virtual bool setBlockY(ISymExpr* blockY) noexcept = 0;
    virtual ISymExpr* getBlockZ() noexcept = 0;
    virtual bool setBlockZ(ISymExpr* blockZ) noexcept = 0;
    //! Bytes of dynamic shared memory.
    virtual ISymExpr* getSharedMem() noexcept = 0;
    virtual bool setSharedMem(ISymExpr* sharedMem) noexcept = 0;

protected:
    ~IKernelLaunchParams() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
