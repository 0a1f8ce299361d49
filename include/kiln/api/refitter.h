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

//! What createInferRefitter() calls: engine is an nvinfer1::ICudaEngine*, logger an
//! nvinfer1::ILogger*, version NV_TENSORRT_VERSION, and the result an nvinfer1::IRefitter*. nullptr
//! when the program's headers are of another major version.
extern "C" TENSORRTAPI void* createInferRefitter_INTERNAL(void* engine, void* logger,
                                                          int32_t version) noexcept;

namespace nvinfer1 {

//! Replaces weights of an engine that was built to be refitted (BuilderFlag::kREFIT), or fills in
//! those that its plan left out (kSTRIP_PLAN). Implemented by Kiln. Made by createInferRefitter(),
//! deleted by the user before the engine.
//!
//! Weights go by the name that INetworkDefinition::setWeightsName() gave them, or by layer and
//! role. First set all new ones, then refit; until then the engine is unchanged. The engine must
//! not run meanwhile.
class IRefitter : public INoCopy {
public:
    //! Sets weights of a layer.
    //!
    //! \param layerName name of a layer of the network.
    //! \param role which of the layer's weights.
    //! \param weights of the type and count of the prototype, in host memory; must stay valid until
    //!     the refit is done.
    //!
    //! \return false, with a message, when there are no such weights, type or count differ, or they
    //!     go by a name.
    virtual bool setWeights(char const* layerName, WeightsRole role, Weights weights) noexcept = 0;

    //! Puts the weights that were set into the engine.
    //!
    //! \return false, with a message, when some that depend on those are missing (getMissing()).
    //!     The engine is then unchanged.
    virtual bool refitCudaEngine() noexcept = 0;

    //! Lists the weights that must be set as well, because they are computed together with others
    //! that were.
    //!
    //! \param size how many the arrays have room for; may be 0.
    //! \param layerNames, roles get the list, as far as there is room; each may be nullptr. The
    //!     names belong to the engine. Weights with a name have role kANY.
    //!
    //! \return Their number.
    virtual int32_t getMissing(int32_t size, char const** layerNames,
                               WeightsRole* roles) noexcept = 0;

    //! Lists all weights that can be set. As getMissing().
    virtual int32_t getAll(int32_t size, char const** layerNames, WeightsRole* roles) noexcept = 0;

    //! Sets the error recorder, counted; nullptr removes it. Default: that of the engine.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! Sets weights by name, in host memory. As setWeights() otherwise.
    virtual bool setNamedWeights(char const* name, Weights weights) noexcept = 0;

    //! Lists the names of weights that must be set as well. As getMissing().
    virtual int32_t getMissingWeights(int32_t size, char const** weightsNames) noexcept = 0;

    //! Lists the names of all weights that can be set. As getMissing().
    virtual int32_t getAllWeights(int32_t size, char const** weightsNames) noexcept = 0;

    //! The logger that the refitter was made with.
    virtual ILogger* getLogger() const noexcept = 0;

    //! Sets how many threads a refit may use.
    //!
    //! \param maxThreads at least 1. Default: 1.
    //!
    //! \return false, and nothing changes, for a smaller number.
    virtual bool setMaxThreads(int32_t maxThreads) noexcept = 0;

    //! How many threads a refit may use.
    virtual int32_t getMaxThreads() const noexcept = 0;

    //! Sets weights by name, from either memory. As setWeights() otherwise.
    //!
    //! \param location which memory the values are in.
    virtual bool setNamedWeights(char const* name, Weights weights,
                                 TensorLocation location) noexcept = 0;

    //! The weights that were set under a name; none, with values nullptr, when there are none.
    virtual Weights getNamedWeights(char const* weightsName) const noexcept = 0;

    //! Which memory the weights that were set under a name are in; kHOST when there are none.
    virtual TensorLocation getWeightsLocation(char const* weightsName) const noexcept = 0;

    //! Takes back what setNamedWeights() set. \return false, with a message, when nothing was.
    virtual bool unsetNamedWeights(char const* weightsName) noexcept = 0;

    //! Sets whether new values are checked: finite ones must not become infinite in the type that
    //! the engine keeps. Default: true.
    virtual void setWeightsValidation(bool weightsValidation) noexcept = 0;

    //! Whether new values are checked.
    virtual bool getWeightsValidation() const noexcept = 0;

    //! As refitCudaEngine(), with the work put into a stream on cuda. Weights and engine must be
    //! left alone until that work is done.
    virtual bool refitCudaEngineAsync(cudaStream_t stream) noexcept = 0;

    //! The type and count that weights of a name must have, with values nullptr. Unknown name:
    //! count -1, with a message.
    virtual Weights getWeightsPrototype(char const* weightsName) const noexcept = 0;

    ~IRefitter() noexcept override = default;

    //! Sets the range of a quantized tensor. Kiln's engines have no such ranges: false, with a
    //! message.
    TRT_DEPRECATED virtual bool setDynamicRange(char const* tensorName, float min,
                                                float max) noexcept = 0;

    //! The least value of a tensor's range; NaN when it has none.
    TRT_DEPRECATED virtual float getDynamicRangeMin(char const* tensorName) const noexcept = 0;

    //! The largest value of a tensor's range; NaN when it has none.
    TRT_DEPRECATED virtual float getDynamicRangeMax(char const* tensorName) const noexcept = 0;

    //! Lists the tensors that have a range. As getMissing().
    TRT_DEPRECATED virtual int32_t getTensorsWithDynamicRange(
        int32_t size, char const** tensorNames) const noexcept = 0;
};

//! Makes a refitter.
//!
//! \param engine to change; must outlive the refitter.
//! \param logger gets the messages; must outlive the refitter.
//!
//! \return The refitter, which the caller deletes. nullptr, with a message, when the engine can not
//!     be refitted, or the library is of another major version than the headers.
inline IRefitter* createInferRefitter(ICudaEngine& engine, ILogger& logger) noexcept {
    return static_cast<IRefitter*>(
        createInferRefitter_INTERNAL(&engine, &logger, NV_TENSORRT_VERSION));
}

} // namespace nvinfer1

#pragma GCC visibility pop
