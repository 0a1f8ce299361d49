// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// How an ahead-of-time compiled kernel is launched.
#pragma once

#include "kiln/api/quick/sym_expr.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Grid, block and shared memory of a launch. Implemented by Kiln and filled by a plugin in
//! IPluginV3QuickAOTBuild::getLaunchParams(). What is not set is 1, and 0 bytes of shared memory.
//!
//! Each setter reads the expression at once and does not keep the object. It returns false, and
//! changes nothing, for nullptr and for an expression that is not of this callback. A getter
//! returns nullptr where nothing was set; what it returns is owned by the parameters.
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
