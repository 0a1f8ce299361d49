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

//! Returns one compiled kernel, which the engine runs without the plugin. Kiln's extension
//! kiln::IAotBuild (kiln/aot.h) allows several.
//!
//! The arguments of a GPU kernel are, in this order: the addresses of the inputs, the extra
//! arguments, the addresses of the outputs. For CPU kernels see kiln/host_kernel.h.
class IPluginV3QuickAOTBuild : public IPluginV3QuickBuild {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3QUICKAOT_BUILD", 1, 0};
    }

    //! Sets the launch parameters for the configured candidate and tactic.
    //!
    //! \param inputs the shapes of the nbInputs inputs, as expressions.
    //! \param inOut types, formats and ranges of the inputs, then the outputs.
    //! \param launchParams grid, block and shared memory, to be filled in.
    //! \param extraArgs the scalars between inputs and outputs, to be filled in.
    //! \param exprBuilder creates expressions; valid during this call only.
    virtual int32_t getLaunchParams(DimsExprs const* inputs, DynamicPluginTensorDesc const* inOut,
                                    int32_t nbInputs, int32_t nbOutputs,
                                    IKernelLaunchParams* launchParams, ISymExprs* extraArgs,
                                    IExprBuilder& exprBuilder) noexcept = 0;

    //! Returns the compiled kernel for the configured candidate and tactic.
    //!
    //! \param kernelName receives the entry point, null-terminated.
    //! \param compiledKernel, compiledKernelSize receive the code (PTX, a cubin, or an ELF object
    //!     for the CPU) and its length in bytes. The plugin owns name and code, which must stay
    //!     valid until the next call.
    virtual int32_t getKernel(PluginTensorDesc const* in, int32_t nbInputs,
                              PluginTensorDesc const* out, int32_t nbOutputs,
                              char const** kernelName, char** compiledKernel,
                              int32_t* compiledKernelSize) noexcept = 0;

    //! Sets the tactic for the code; 0 if there are none.
    virtual int32_t setTactic(int32_t) noexcept { return 0; }
};

} // namespace v_1_0

using IPluginV3QuickAOTBuild = v_1_0::IPluginV3QuickAOTBuild;

} // namespace nvinfer1

#pragma GCC visibility pop
