// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Extension of IPluginV3QuickAOTBuild for ahead-of-time compiled plugins: several kernels, several
// images per kernel, floating-point arguments.
#pragma once

#include "impl/NvInferPythonPlugin.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace kiln {

//! The type of a scalar argument of a kernel.
enum class ArgumentType : int32_t {
    kINT8 = 0,
    kINT16 = 1,
    kINT32 = 2,
    kINT64 = 3,
    kFLOAT32 = 4,
    kFLOAT64 = 5,
};

//! Receives the code of a plugin. Implemented by Kiln. All arguments are copied during the call.
//! The calls that describe a kernel apply to the kernel of the last beginKernel(). An invalid call
//! returns false and makes the plugin callback fail.
class IAotCode {
public:
    //! Begins a kernel. Kernels are launched in the order of these calls, and each receives the
    //! same tensors.
    //!
    //! \param entry the entry point, null-terminated.
    virtual bool beginKernel(char const* entry) noexcept = 0;

    //! Adds code: PTX text, a cubin, or an ELF object for the CPU. Kiln detects the kind from the
    //! bytes. A kernel has one image, or a cubin and the PTX it was compiled from.
    //!
    //! \param bytes array of `size` bytes, copied.
    virtual bool addImage(void const* bytes, size_t size) noexcept = 0;

    //! Sets grid, block (three expressions each) and the bytes of dynamic shared memory. Default:
    //! all grid and block extents 1, shared memory 0.
    virtual bool setLaunch(nvinfer1::IDimensionExpr const* const grid[3],
                           nvinfer1::IDimensionExpr const* const block[3],
                           nvinfer1::IDimensionExpr const& sharedBytes) noexcept = 0;

    //! Adds an integer argument; `type` is one of the integer types.
    virtual bool addInteger(ArgumentType type, nvinfer1::IDimensionExpr const& value) noexcept = 0;

    //! Adds a floating-point argument; `type` is kFLOAT32 or kFLOAT64.
    virtual bool addReal(ArgumentType type, double value) noexcept = 0;

protected:
    virtual ~IAotCode() noexcept = default;
};

//! IPluginV3QuickAOTBuild that returns its code through IAotCode. Kiln recognizes it by the kind in
//! getInterfaceInfo() and then calls getCode() instead of getKernel() and getLaunchParams().
class IAotBuild : public nvinfer1::IPluginV3QuickAOTBuild {
public:
    nvinfer1::InterfaceInfo getInterfaceInfo() const noexcept override {
        return nvinfer1::InterfaceInfo{"KILN_AOT_BUILD", 1, 0};
    }

    //! Generates the code for the configured candidate and the tactic that was set, for one target
    //! and architecture. Called once for each architecture that the engine is built for.
    //!
    //! \param inputs, inOut, nbInputs, nbOutputs, exprBuilder as in getLaunchParams().
    //! \param target "cpu" or "cuda".
    //! \param architecture "x86-64", "sm_90", ...
    //! \param code receives the kernels.
    //!
    //! \return 0 for success.
    virtual int32_t getCode(nvinfer1::DimsExprs const* inputs,
                            nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                            int32_t nbOutputs, char const* target, char const* architecture,
                            IAotCode& code, nvinfer1::IExprBuilder& exprBuilder) noexcept = 0;
};

} // namespace kiln

#pragma GCC visibility pop
