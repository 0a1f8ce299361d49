// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Code that a plugin compiles when the engine is built, beyond what IPluginV3QuickAOTBuild allows:
// several kernels, several images of each, floating-point arguments.
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

//! Where a plugin puts its code. Implemented by Kiln. Everything is copied at once. The calls that
//! describe a kernel apply to the one that beginKernel() began last; each returns false, and tells
//! the plugin's failure, when it makes no sense there.
class IAotCode {
public:
    //! Begins a kernel. Kernels are launched one after another, in the order of these calls, and
    //! each gets the same tensors.
    //!
    //! \param entry the entry point, zero-terminated.
    virtual bool beginKernel(char const* entry) noexcept = 0;

    //! Adds code: PTX text, a cubin, or an ELF object for the CPU; which is found out from the
    //! bytes. A kernel has one image, or a cubin and the PTX that it was made of.
    //!
    //! \param bytes size bytes, copied.
    virtual bool addImage(void const* bytes, size_t size) noexcept = 0;

    //! Sets grid, block (three expressions each) and the bytes of dynamic shared memory. Default:
    //! 1 and 0.
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

//! IPluginV3QuickAOTBuild with all of IAotCode. Kiln tells it by the kind of its interface info and
//! then calls getCode() instead of getKernel() and getLaunchParams().
class IAotBuild : public nvinfer1::IPluginV3QuickAOTBuild {
public:
    nvinfer1::InterfaceInfo getInterfaceInfo() const noexcept override {
        return nvinfer1::InterfaceInfo{"KILN_AOT_BUILD", 1, 0};
    }

    //! Gives the code for the configured candidate and the tactic that was set, for one target and
    //! architecture. Called once for each architecture that the engine is built for.
    //!
    //! \param inputs, inOut, nbInputs, nbOutputs, exprBuilder as in getLaunchParams().
    //! \param target "cpu" or "cuda".
    //! \param architecture "x86-64", "sm_90", ...
    //! \param code gets the kernels.
    //!
    //! \return 0 for success.
    virtual int32_t getCode(nvinfer1::DimsExprs const* inputs,
                            nvinfer1::DynamicPluginTensorDesc const* inOut, int32_t nbInputs,
                            int32_t nbOutputs, char const* target, char const* architecture,
                            IAotCode& code, nvinfer1::IExprBuilder& exprBuilder) noexcept = 0;
};

} // namespace kiln

#pragma GCC visibility pop
