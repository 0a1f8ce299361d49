// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/macros.h"
#include "kiln/api/network/attention_enums.h"
#include "kiln/api/network/forward.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/no_copy.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Attention: normalize(query * transposed key + mask) * value, for each head of each sequence.
//!
//! Scores are not scaled: multiply the query by 1 / sqrt(headSize) before, as usual.
//!
//! An attention is not a layer. It stands between two layers of the network: an
//! IAttentionInputLayer, whose inputs are those below, and an IAttentionOutputLayer. Created by
//! INetworkDefinition::addAttentionV2() and owned by the network; do not delete it.
//!
//! Input 0, query:  [batch, queryHeads, queries, headSize]; kFLOAT, kHALF or kBF16.
//! Input 1, key:    [batch, heads, keys, headSize]; type of the query. `heads` divides queryHeads;
//!     each key head serves queryHeads / heads query heads in a row.
//! Input 2, value:  [batch, heads, keys, valueSize]; type of the query.
//! Input 3, mask (optional): rank 4, broadcast to [batch, queryHeads, queries, keys]. kBOOL: true
//!     where a query may see a key; type of the query: added to the scores.
//! Input 4, scale of the quantized normalization (optional): see setNormalizationQuantizeScale().
//! Output 0: [batch, queryHeads, queries, valueSize], type of the query.
//!
//! With AttentionIOForm::kPACKED_NHD, query and output, or key and value, are
//! [tokens, heads, size], and lengths tell where the sequences of the batch begin.
//!
//! A query that may see no key at all gets zeros. The functions that set something return false,
//! log an error and change nothing if the argument is invalid.
class IAttention : public INoCopy {
public:
    ~IAttention() noexcept override = default;

    //! Sets how scores are normalized.
    virtual bool setNormalizationOperation(AttentionNormalizationOp op) noexcept = 0;

    //! How scores are normalized.
    virtual AttentionNormalizationOp getNormalizationOperation() const noexcept = 0;

    //! Sets input 3, the mask. A mask also applies where a causal mask is set: a query sees the
    //! keys that both allow.
    virtual bool setMask(ITensor& mask) noexcept = 0;

    //! The mask; null if there is none.
    virtual ITensor* getMask() noexcept = 0;

    //! Sets CausalMaskKind::kUPPER_LEFT or kNONE.
    TRT_DEPRECATED virtual bool setCausal(bool isCausal) noexcept = 0;

    //! True if the causal mask is not CausalMaskKind::kNONE.
    TRT_DEPRECATED virtual bool getCausal() const noexcept = 0;

    //! Sets which keys a query sees by position.
    virtual bool setCausalKind(CausalMaskKind kind) noexcept = 0;

    //! Which keys a query sees by position.
    virtual CausalMaskKind getCausalKind() const noexcept = 0;

    //! Sets whether the attention may run as several kernels if no fused kernel takes it. Default:
    //! false. Kiln has kernels for every attention; the value is kept and changes nothing.
    virtual bool setDecomposable(bool decomposable) noexcept = 0;

    //! The value of setDecomposable().
    virtual bool getDecomposable() const noexcept = 0;

    //! Replaces or adds input `index`: 0 .. 4, as listed above.
    virtual bool setInput(int32_t index, ITensor& input) noexcept = 0;

    //! Number of inputs: 3, 4 with a mask, 5 with a scale.
    virtual int32_t getNbInputs() const noexcept = 0;

    //! Input `index`; null if the index is out of range or the input is not set.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;

    //! Number of outputs: 1.
    virtual int32_t getNbOutputs() const noexcept = 0;

    //! Output `index`; null if the index is out of range.
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;

    //! Sets the name. The layers of the boundary take names from it.
    //! \param name null-terminated, copied.
    virtual bool setName(char const* name) noexcept = 0;

    //! The name; never null. Valid until the name changes or the network is destroyed.
    virtual char const* getName() const noexcept = 0;

    //! Sets input 4: the normalized scores are divided by it, rounded to the type of
    //! setNormalizationQuantizeToType(), and multiplied by it. A scalar or one element, of the type
    //! of the query.
    virtual bool setNormalizationQuantizeScale(ITensor& tensor) noexcept = 0;

    //! The scale; null if there is none.
    virtual ITensor* getNormalizationQuantizeScale() const noexcept = 0;

    //! Sets the type that normalized scores are rounded to: kFP8 or kINT8. Default: kFLOAT, which
    //! means none.
    virtual bool setNormalizationQuantizeToType(DataType type) noexcept = 0;

    //! The type that normalized scores are rounded to.
    virtual DataType getNormalizationQuantizeToType() const noexcept = 0;

    //! Sets a string that engine inspectors show with the attention.
    //! \param metadata null-terminated, copied. Default: empty.
    virtual bool setMetadata(char const* metadata) noexcept = 0;

    //! The string that setMetadata() set; never null.
    virtual char const* getMetadata() const noexcept = 0;

    //! Sets how many devices share the work: 1 to 64. Default: 1. A number above 1 cannot be
    //! changed any more.
    //!
    //! Above 1, sequences are split over the ranks of the communicator that each context has
    //! (IExecutionContext::setCommunicator()), in the order of their numbers. Query, key and value
    //! on a rank are its own part; all ranks have the same extents and run the same network. The
    //! output is that of its own queries, which see the keys of all ranks: a mask is broadcast to
    //! [batch, queryHeads, queries, nbRanks * keys]. Causal kinds are those of the whole sequences.
    //! Without a causal kind, all ranks may also have the same queries. Needs the target cuda and
    //! NCCL; packed sequences and lengths are refused when the engine is built.
    virtual bool setNbRanks(int32_t nbRanks) noexcept = 0;

    //! The number of devices.
    virtual int32_t getNbRanks() const noexcept = 0;

    //! Sets the layout of query and output. Default: kPADDED_BHND.
    virtual bool setQueryForm(AttentionIOForm form) noexcept = 0;

    //! The layout of query and output.
    virtual AttentionIOForm getQueryForm() const noexcept = 0;

    //! Sets the layout of key and value. Default: kPADDED_BHND.
    virtual bool setKeyValueForm(AttentionIOForm form) noexcept = 0;

    //! The layout of key and value.
    virtual AttentionIOForm getKeyValueForm() const noexcept = 0;

    //! Sets the lengths of the sequences of queries, or removes them.
    //! \param lengths kINT32 or kINT64; null: none. With kPACKED_NHD (required) [batch + 1]: 0,
    //! then
    //!     the number of tokens up to the end of each sequence. With kPADDED_BHND [batch]: the
    //!     number of queries of each sequence; output after them is zero.
    virtual bool setQueryLengths(ITensor* lengths) noexcept = 0;

    //! The lengths of the sequences of queries; null if there are none.
    virtual ITensor* getQueryLengths() const noexcept = 0;

    //! Sets the lengths of the sequences of keys and values, or removes them.
    //! \param lengths as in setQueryLengths(). Keys after the end of a sequence are not seen.
    virtual bool setKeyValueLengths(ITensor* lengths) noexcept = 0;

    //! The lengths of the sequences of keys and values; null if there are none.
    virtual ITensor* getKeyValueLengths() const noexcept = 0;
};

//! Base class of the two layers at the ends of an IAttention.
class IAttentionBoundaryLayer : public ILayer {
public:
    ~IAttentionBoundaryLayer() noexcept override = default;

    //! The attention that the layer belongs to; owned by the network.
    virtual IAttention* getAttention() const noexcept = 0;
};

//! The layer that passes tensors to an IAttention. Inputs: those of the attention.
class IAttentionInputLayer : public IAttentionBoundaryLayer {
public:
    ~IAttentionInputLayer() noexcept override = default;
};

//! The layer that passes the result of an IAttention to the network. Output 0: that of the
//! attention.
class IAttentionOutputLayer : public IAttentionBoundaryLayer {
public:
    ~IAttentionOutputLayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
