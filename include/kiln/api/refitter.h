// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IRefitter: replaces the weights of an engine.
#pragma once

#include "kiln/api/engine.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/logger.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/tensor_enums.h"
#include "kiln/api/version.h"
#include "kiln/api/weights.h"

#pragma GCC visibility push(default)

//! Entry point behind createInferRefitter(): engine is an nvinfer1::ICudaEngine*, logger an
//! nvinfer1::ILogger*, version NV_TENSORRT_VERSION. Returns an nvinfer1::IRefitter*, or nullptr.
extern "C" TENSORRTAPI void* createInferRefitter_INTERNAL(void* engine, void* logger,
                                                          int32_t version) noexcept;

namespace nvinfer1 {

//! Replaces weights of an engine that was built with BuilderFlag::kREFIT, kREFIT_IDENTICAL or
//! kREFIT_INDIVIDUAL, or supplies those that its plan omits (kSTRIP_PLAN).
//!
//! Weights are identified by the name from INetworkDefinition::setWeightsName(), or by layer and
//! role. Set all new weights, then refit; until then the engine is unchanged. Existing contexts
//! see the new weights. The engine must not run during a refit, and its contexts must not be
//! captured into graphs that run later. The engine must outlive the refitter.
//!
//! ```
//! auto refitter = std::unique_ptr<nvinfer1::IRefitter>(createInferRefitter(engine, logger));
//! refitter->setWeights("conv1", nvinfer1::WeightsRole::kKERNEL, newKernel);
//! if (!refitter->refitCudaEngine()) { ... }
//! ```
class IRefitter : public INoCopy {
public:
    //! Sets weights of a layer.
    //!
    //! \param layerName name of a layer of the network.
    //! \param role the role of the weights in the layer.
    //! \param weights with the type and count of the prototype, in host memory; must stay valid
    //!     until the refit has completed.
    //!
    //! \return false, with a message, when there are no such weights, or type or count differ.
    //! Weights
    //!     with a name may be set in this way, too.
    virtual bool setWeights(char const* layerName, WeightsRole role, Weights weights) noexcept = 0;

    //! Copies the weights that were set to the engine. Then none are set any more.
    //!
    //! \return false, with a message, when dependent weights are missing (getMissing()). The engine
    //!     is then unchanged.
    virtual bool refitCudaEngine() noexcept = 0;

    //! Lists the weights that must also be set before the engine can be refitted: those that a
    //! stripped plan omits and that no refit has supplied.
    //!
    //! \param size capacity of the arrays; may be 0.
    //! \param layerNames, roles receive the list, up to the capacity; each may be nullptr. The
    //!     names belong to the engine. A role without an enumerator of its own is kANY.
    //!
    //! \return The number of these weights.
    virtual int32_t getMissing(int32_t size, char const** layerNames,
                               WeightsRole* roles) noexcept = 0;

    //! Lists all weights that can be set. As getMissing().
    virtual int32_t getAll(int32_t size, char const** layerNames, WeightsRole* roles) noexcept = 0;

    //! Sets the error recorder and adds a reference to it; nullptr removes it. Default: that of the
    //! engine.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! Sets weights by name, in host memory. Otherwise like setWeights().
    virtual bool setNamedWeights(char const* name, Weights weights) noexcept = 0;

    //! Lists the names of weights that must also be set. As getMissing().
    virtual int32_t getMissingWeights(int32_t size, char const** weightsNames) noexcept = 0;

    //! Lists the names of all weights that can be set. As getMissing().
    virtual int32_t getAllWeights(int32_t size, char const** weightsNames) noexcept = 0;

    //! The logger that the refitter was created with.
    virtual ILogger* getLogger() const noexcept = 0;

    //! Sets the maximum number of threads of a refit.
    //!
    //! \param maxThreads at least 1. Default: 1.
    //!
    //! \return false, and nothing changes, for a smaller number.
    virtual bool setMaxThreads(int32_t maxThreads) noexcept = 0;

    //! The maximum number of threads of a refit.
    virtual int32_t getMaxThreads() const noexcept = 0;

    //! Sets weights by name, in host or device memory. Otherwise like setWeights().
    //!
    //! \param location the memory of the values.
    virtual bool setNamedWeights(char const* name, Weights weights,
                                 TensorLocation location) noexcept = 0;

    //! The weights that were set under a name; if there are none, values is nullptr.
    virtual Weights getNamedWeights(char const* weightsName) const noexcept = 0;

    //! The memory of the weights that were set under a name; kHOST if there are none.
    virtual TensorLocation getWeightsLocation(char const* weightsName) const noexcept = 0;

    //! Undoes setNamedWeights(). \return false, with a message, when nothing was set.
    virtual bool unsetNamedWeights(char const* weightsName) noexcept = 0;

    //! Sets whether new values are validated: a warning is logged where finite values become
    //! infinite in the engine's type. Default: true.
    virtual void setWeightsValidation(bool weightsValidation) noexcept = 0;

    //! Whether new values are validated.
    virtual bool getWeightsValidation() const noexcept = 0;

    //! As refitCudaEngine(), with the work enqueued on a stream on cuda. Do not use weights and
    //! engine until that work has completed.
    virtual bool refitCudaEngineAsync(cudaStream_t stream) noexcept = 0;

    //! The required type and count of named weights; values is nullptr. Unknown name: count -1,
    //! with a message.
    virtual Weights getWeightsPrototype(char const* weightsName) const noexcept = 0;

    ~IRefitter() noexcept override = default;

    //! Sets the range of a quantized tensor. \return false, with a message, when the engine has no
    //! range for the tensor that can change.
    TRT_DEPRECATED virtual bool setDynamicRange(char const* tensorName, float min,
                                                float max) noexcept = 0;

    //! The lower end of a tensor's range; NaN if it has none.
    TRT_DEPRECATED virtual float getDynamicRangeMin(char const* tensorName) const noexcept = 0;

    //! The upper end of a tensor's range; NaN if it has none.
    TRT_DEPRECATED virtual float getDynamicRangeMax(char const* tensorName) const noexcept = 0;

    //! Lists the tensors that have a range. As getMissing().
    TRT_DEPRECATED virtual int32_t getTensorsWithDynamicRange(
        int32_t size, char const** tensorNames) const noexcept = 0;
};

//! Creates a refitter.
//!
//! \param engine the engine to change; must outlive the refitter.
//! \param logger receives messages; must outlive the refitter.
//!
//! \return a refitter that the caller deletes; nullptr, with a message, when the engine was not
//!     built for refitting.
inline IRefitter* createInferRefitter(ICudaEngine& engine, ILogger& logger) noexcept {
    return static_cast<IRefitter*>(
        createInferRefitter_INTERNAL(&engine, &logger, NV_TENSORRT_VERSION));
}

} // namespace nvinfer1

#pragma GCC visibility pop
