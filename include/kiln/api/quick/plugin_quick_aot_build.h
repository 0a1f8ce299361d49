// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3QuickAOTBuild: a decorated plugin that is compiled when the engine is built.
#pragma once

#include "kiln/api/quick/kernel_launch_params.h"
#include "kiln/api/quick/plugin_quick_build.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Gives one compiled kernel, which the engine then runs without the plugin. Kiln's extension
//! kiln::IAotBuild (kiln/aot.h) allows several.
//!
//! A kernel for the GPU gets, in this order: the addresses of the inputs, the extra arguments, the
//! addresses of the outputs. For a kernel on the CPU see kiln/host_kernel.h.
class IPluginV3QuickAOTBuild : public IPluginV3QuickBuild {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3QUICKAOT_BUILD", 1, 0};
    }

    //! How the kernel is launched, for the configured candidate and the tactic that was set.
    //!
    //! \param inputs the shapes of the nbInputs inputs, as expressions.
    //! \param inOut types, formats and ranges of the inputs, then the outputs.
    //! \param launchParams grid, block and shared memory, to be set.
    //! \param extraArgs the scalars between inputs and outputs, to be set.
    //! \param exprBuilder makes expressions; use it during this call only.
    virtual int32_t getLaunchParams(DimsExprs const* inputs, DynamicPluginTensorDesc const* inOut,
                                    int32_t nbInputs, int32_t nbOutputs,
                                    IKernelLaunchParams* launchParams, ISymExprs* extraArgs,
                                    IExprBuilder& exprBuilder) noexcept = 0;

    //! The compiled kernel for the configured candidate and the tactic that was set.
    //!
    //! \param kernelName gets the entry point, zero-terminated.
    //! \param compiledKernel, compiledKernelSize get the code: PTX, a cubin, or an ELF object for
    //!     the CPU, and its length in bytes. Both stay owned by the plugin and valid until the next
    //!     call.
    virtual int32_t getKernel(PluginTensorDesc const* in, int32_t nbInputs,
                              PluginTensorDesc const* out, int32_t nbOutputs,
                              char const** kernelName, char** compiledKernel,
                              int32_t* compiledKernelSize) noexcept = 0;

    //! Sets the tactic that the code is wanted for; 0 where there are none.
    virtual int32_t setTactic(int32_t) noexcept { return 0; }
};

} // namespace v_1_0

using IPluginV3QuickAOTBuild = v_1_0::IPluginV3QuickAOTBuild;

} // namespace nvinfer1

#pragma GCC visibility pop
