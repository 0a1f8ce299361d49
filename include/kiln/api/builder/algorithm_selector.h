// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IAlgorithmSelector and the descriptions of candidates that it receives.
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/optimization_profile.h"
#include "kiln/api/versioned_interface.h"

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! One operand of a candidate.
class IAlgorithmIOInfo : public INoCopy {
public:
    //! The element type.
    virtual DataType getDataType() const noexcept = 0;

    //! The stride of each dimension, in elements.
    virtual Dims getStrides() const noexcept = 0;

    //! The vectorized dimension; -1 if there is none.
    virtual int64_t getVectorizedDim() const noexcept = 0;

    //! Elements per vector; 1 if the format is not vectorized.
    virtual int64_t getComponentsPerElement() const noexcept = 0;

protected:
    ~IAlgorithmIOInfo() noexcept override = default;
};

//! Identifies a candidate.
class IAlgorithmVariant : public INoCopy {
public:
    //! Index of the implementation.
    virtual int64_t getImplementation() const noexcept = 0;

    //! Index of the tactic.
    virtual int64_t getTactic() const noexcept = 0;

protected:
    ~IAlgorithmVariant() noexcept override = default;
};

//! The layer that candidates are selected for.
class IAlgorithmContext : public INoCopy {
public:
    //! Name of the layer.
    virtual char const* getName() const noexcept = 0;

    //! The shape of an operand: inputs first, outputs after them.
    virtual Dims getDimensions(int32_t index, OptProfileSelector select) const noexcept = 0;

    //! Number of inputs.
    virtual int32_t getNbInputs() const noexcept = 0;

    //! Number of outputs.
    virtual int32_t getNbOutputs() const noexcept = 0;

protected:
    ~IAlgorithmContext() noexcept override = default;
};

//! A candidate for a layer.
class IAlgorithm : public INoCopy {
public:
    //! The identity of the candidate.
    virtual IAlgorithmVariant const& getAlgorithmVariant() const noexcept = 0;

    //! The measured time in milliseconds.
    virtual float getTimingMSec() const noexcept = 0;

    //! Bytes of scratch memory.
    virtual std::size_t getWorkspaceSize() const noexcept = 0;

    //! An operand: inputs first, outputs after them. Null if out of range.
    virtual IAlgorithmIOInfo const* getAlgorithmIOInfoByIndex(int32_t index) const noexcept = 0;

protected:
    ~IAlgorithm() noexcept override = default;
};

namespace v_1_0 {

//! Selects candidates for each layer. Users derive from it.
//!
//! An algorithm is a kernel for a step whose types and formats are settled. The tactic is always 0.
//! An editable timing cache (BuilderFlag::kEDITABLE_TIMING_CACHE) fixes choices without code.
class IAlgorithmSelector : public IVersionedInterface {
public:
    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IAlgorithmSelector", 1, 0};
    }

    //! Selects the candidates that the builder may use for a layer.
    //! \param selection array for nbChoices indices, to be filled in.
    //! \return the number of indices written.
    virtual int32_t selectAlgorithms(IAlgorithmContext const& context,
                                     IAlgorithm const* const* choices, int32_t nbChoices,
                                     int32_t* selection) noexcept = 0;

    //! Reports the builder's choices: candidate i for the layer of context i.
    virtual void reportAlgorithms(IAlgorithmContext const* const* algoContexts,
                                  IAlgorithm const* const* algoChoices,
                                  int32_t nbAlgorithms) noexcept = 0;

    virtual ~IAlgorithmSelector() noexcept = default;
};

} // namespace v_1_0

using IAlgorithmSelector = v_1_0::IAlgorithmSelector;

} // namespace nvinfer1

#pragma GCC visibility pop
