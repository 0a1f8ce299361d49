// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! Operation between the devices of a group, for INetworkDefinition::addDistCollective().
enum class CollectiveOperation : int32_t {
    kALL_REDUCE = 0, //!< Every device gets the reduction over all inputs.
    kALL_GATHER = 1, //!< Every device gets all inputs, concatenated by rank.
    kBROADCAST = 2,  //!< Every device gets the root's input.
    kREDUCE = 3,     //!< Only the root gets the reduction over all inputs.
    //! The reduction over all inputs is split; each device gets the part of its rank.
    kREDUCE_SCATTER = 4,
    kALL_TO_ALL = 5, //!< Part j of the input of device i becomes part i of the output of device j.
    kGATHER = 6,     //!< Only the root gets all inputs, concatenated by rank.
    kSCATTER = 7,    //!< The root's input is split; each device gets the part of its rank.
};

//! Number of values of CollectiveOperation, for loops and tables.
template <>
constexpr int32_t EnumMax<CollectiveOperation>() noexcept {
    return 8;
}

} // namespace nvinfer1
