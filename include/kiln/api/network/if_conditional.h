// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/network/tensor.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

class IIfConditional;

//! Base class of the layers that stand between a conditional and the layers around it.
//!
//! There is no list of the layers in a branch. A layer is in the true branch if nothing but the
//! first inputs of the output layers needs its result, and in the false branch likewise for the
//! second inputs. Only the branch that the condition selects runs; all other layers run always. A
//! branch may read any tensor of its surroundings, directly or through an input layer.
class IIfConditionalBoundaryLayer : public ILayer {
public:
    ~IIfConditionalBoundaryLayer() noexcept override = default;

    //! The conditional; never null.
    virtual IIfConditional* getConditional() const noexcept = 0;
};

//! The condition of a conditional.
//!
//! Input 0: a scalar of type kBOOL, computed outside of the conditional. It has no output.
class IConditionLayer : public IIfConditionalBoundaryLayer {
public:
    ~IConditionLayer() noexcept override = default;
};

//! A result of a conditional.
//!
//! Input 0, input 1: the result if the condition is true or false. Same type and rank; extents may
//!     differ if they are known only at run time, or by the condition.
//! Output 0: the selected one.
class IIfConditionalOutputLayer : public IIfConditionalBoundaryLayer {
public:
    ~IIfConditionalOutputLayer() noexcept override = default;
};

//! A value that enters a conditional.
//!
//! Input 0: any tensor, computed outside of the conditional. Output 0: the same tensor, for layers
//! of either branch.
class IIfConditionalInputLayer : public IIfConditionalBoundaryLayer {
public:
    ~IIfConditionalInputLayer() noexcept override = default;
};

//! A choice between two subgraphs. Created by INetworkDefinition::addIfConditional(); the network
//! owns it and its layers.
//!
//! The functions return null and log an error if an argument is invalid; what depends on the whole
//! conditional, such as a missing condition, fails the build.
class IIfConditional : public INoCopy {
public:
    //! Sets the condition: a scalar of type kBOOL. May be called once.
    virtual IConditionLayer* setCondition(ITensor& condition) noexcept = 0;

    //! Adds a result. The tensors have the same type and rank.
    virtual IIfConditionalOutputLayer* addOutput(ITensor& trueSubgraphOutput,
                                                 ITensor& falseSubgraphOutput) noexcept = 0;

    //! Adds a value for the branches.
    virtual IIfConditionalInputLayer* addInput(ITensor& input) noexcept = 0;

    //! Sets the name of the conditional, for messages. \param name null-terminated, copied.
    virtual void setName(char const* name) noexcept = 0;

    //! The name; never null. Valid until the name changes or the network is destroyed.
    virtual char const* getName() const noexcept = 0;

protected:
    ~IIfConditional() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
