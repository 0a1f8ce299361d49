// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! How an IAttention normalizes scores along the key axis.
enum class AttentionNormalizationOp : int32_t {
    kNONE = 0,    //!< The scores are used as they are.
    kSOFTMAX = 1, //!< Softmax over the key axis. The usual choice.
};

//! Number of values of AttentionNormalizationOp, for loops and tables.
template <>
constexpr int32_t EnumMax<AttentionNormalizationOp>() noexcept {
    return 2;
}

//! Which keys a query may see, in INetworkDefinition::addAttentionV2().
enum class CausalMaskKind : int32_t {
    kNONE = 0, //!< All keys.
    //! Query i sees keys 0 .. i: the mask is anchored at the first query and the first key.
    kUPPER_LEFT = 1,
    //! The last query sees all keys; the mask is anchored at the last query and the last key.
    kLOWER_RIGHT = 2,
};

//! Number of values of CausalMaskKind, for loops and tables.
template <>
constexpr int32_t EnumMax<CausalMaskKind>() noexcept {
    return 3;
}

//! Layout of query, key and value of an IAttention.
enum class AttentionIOForm : int32_t {
    kPADDED_BHND = 0, //!< [batch, heads, sequence, headSize]; shorter sequences are padded.
    //! [tokens, heads, headSize]; the sequences of the batch are concatenated.
    kPACKED_NHD = 1,
};

//! Number of values of AttentionIOForm, for loops and tables.
template <>
constexpr int32_t EnumMax<AttentionIOForm>() noexcept {
    return 2;
}

} // namespace nvinfer1
