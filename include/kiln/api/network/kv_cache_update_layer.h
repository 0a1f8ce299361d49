// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/attention_enums.h"
#include "kiln/api/network/kv_cache_mode.h"
#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Writes new keys or values into a cache of past ones:
//! output[b, :, writeIndices[b] + s, :] = update[b, :, s, :]; the rest is that of the cache.
//!
//! Input 0, cache:  [batch, heads, capacity, headSize]; kFLOAT, kHALF or kBF16. An input of the
//!     network with a constant capacity.
//! Input 1, update: [batch, heads, sequence, headSize], type of the cache; with
//!     AttentionIOForm::kPACKED_NHD [tokens, heads, headSize].
//! Input 2, first position that is written for each sequence: [batch], kINT32 or kINT64.
//! Input 3, lengths (optional): see setUpdateLengths().
//! Output 0: shape and type of the cache. An output of the network. It shares the memory of the
//!     cache, so both must be bound to the same address.
//!
//! What would be written outside of the cache is left out.
class IKVCacheUpdateLayer : public ILayer {
public:
    ~IKVCacheUpdateLayer() noexcept override = default;

    //! Sets how positions follow each other.
    //! \return false, with a logged error, if the mode is not a KVCacheMode.
    virtual bool setCacheMode(KVCacheMode cacheMode) noexcept = 0;

    //! How positions follow each other.
    virtual KVCacheMode getCacheMode() const noexcept = 0;

    //! Sets the layout of the update. Default: kPADDED_BHND.
    //! \return false, with a logged error, if the form is not an AttentionIOForm.
    virtual bool setUpdateForm(AttentionIOForm form) noexcept = 0;

    //! The layout of the update.
    virtual AttentionIOForm getUpdateForm() const noexcept = 0;

    //! Sets the lengths of the sequences of the update, or removes them.
    //! \param lengths kINT32 or kINT64; null: none. With kPACKED_NHD (required) [batch + 1]: 0,
    //! then
    //!     the number of tokens up to the end of each sequence. With kPADDED_BHND [batch]: how much
    //!     of each sequence is written.
    //! \return false, with a logged error, if the tensor is not one of this network.
    virtual bool setUpdateLengths(ITensor* lengths) noexcept = 0;

    //! The lengths of the sequences of the update; null if there are none.
    virtual ITensor* getUpdateLengths() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
