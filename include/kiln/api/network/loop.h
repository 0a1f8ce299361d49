// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"
#include "kiln/api/network/loop_enums.h"
#include "kiln/api/network/tensor.h"
#include "kiln/api/no_copy.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

class ILoop;

//! Base class of the layers that stand between a loop and the layers around it.
//!
//! There is no list of the layers in a loop. A layer is inside if its result depends on an iterator
//! or a recurrence of the loop, and a loop output, the second input of a recurrence or the
//! condition of the loop needs it. What does not depend on these runs once, in front of the loop. A
//! loop may read any tensor of its surroundings; what is computed inside leaves it through loop
//! outputs only.
class ILoopBoundaryLayer : public ILayer {
public:
    ~ILoopBoundaryLayer() noexcept override = default;

    //! The loop; never null.
    virtual ILoop* getLoop() const noexcept = 0;
};

//! A value that is carried from one iteration to the next.
//!
//! Input 0: the value in the first iteration, computed outside of the loop.
//! Input 1: the value in the next iteration, computed in the loop; set by setInput(). Same type and
//!     extents as input 0.
//! Output 0: the value in this iteration.
class IRecurrenceLayer : public ILoopBoundaryLayer {
public:
    ~IRecurrenceLayer() noexcept override = default;
};

//! A limit of the number of iterations.
//!
//! Input 0: for kCOUNT, a scalar of type kINT32 or kINT64 that is computed outside of the loop;
//!     numbers below 1 mean no iterations. For kWHILE, a scalar of type kBOOL that is computed in
//!     the loop: it is read at the beginning of an iteration, which does not take place if it is
//!     false.
//! It has no output.
class ITripLimitLayer : public ILoopBoundaryLayer {
public:
    ~ITripLimitLayer() noexcept override = default;

    //! The kind of the limit.
    virtual TripLimit getTripLimit() const noexcept = 0;
};

//! The slices of a tensor along an axis, one for each iteration.
//!
//! Input 0: any type, of rank 1 or more, computed outside of the loop. In iteration i the slice has
//!     index i or, in reverse, count - 1 - i, where count is the kCOUNT limit (without one, the
//!     extent). Its extent must not be below the number of iterations; without a kCOUNT limit, the
//!     shortest iterator ends the loop.
//! Output 0: the slice, without the axis.
class IIteratorLayer : public ILoopBoundaryLayer {
public:
    ~IIteratorLayer() noexcept override = default;

    //! Sets the axis: 0 .. rank - 1. Default: 0.
    virtual void setAxis(int32_t axis) noexcept = 0;

    //! The axis.
    virtual int32_t getAxis() const noexcept = 0;

    //! Sets whether the iteration begins at the last slice. Default: false.
    virtual void setReverse(bool reverse) noexcept = 0;

    //! True if the iteration begins at the last slice.
    virtual bool getReverse() const noexcept = 0;
};

//! A result of a loop.
//!
//! Input 0: a tensor that is computed in the loop. For kLAST_VALUE, it must be the output of a
//!     recurrence; the result is its value behind the last iteration (without iterations, its
//!     initial value).
//! Input 1: for kCONCATENATE and kREVERSE, a scalar of type kINT32 or kINT64 that is computed
//! outside
//!     of the loop: the number of slices of the result. Set by setInput(). Slices for which there
//!     is no iteration are 0; iterations beyond it are not kept.
//! Output 0: for kLAST_VALUE, the shape of input 0. Else the slices are along a new axis, and slice
//! i
//!     (for kREVERSE, slice length - 1 - i) is the value in iteration i.
class ILoopOutputLayer : public ILoopBoundaryLayer {
public:
    ~ILoopOutputLayer() noexcept override = default;

    //! Which values the result has.
    virtual LoopOutput getLoopOutput() const noexcept = 0;

    //! Sets the position of the new axis in the result: 0 .. rank of input 0. kLAST_VALUE ignores
    //! it.
    virtual void setAxis(int32_t axis) noexcept = 0;

    //! The position of the new axis.
    virtual int32_t getAxis() const noexcept = 0;
};

//! A loop of a network. Created by INetworkDefinition::addLoop(); the network owns it and its
//! layers.
//!
//! A loop has one limit of either kind, or both. The add functions return null and log an error if
//! an argument is invalid; what depends on the whole loop, such as missing limits, fails the build.
class ILoop : public INoCopy {
public:
    //! Adds a value that is carried from one iteration to the next. Set the second input of the
    //! result to the value for the next iteration.
    virtual IRecurrenceLayer* addRecurrence(ITensor& initialValue) noexcept = 0;

    //! Adds a limit: at most one of each kind.
    virtual ITripLimitLayer* addTripLimit(ITensor& tensor, TripLimit limit) noexcept = 0;

    //! Adds slices of a tensor.
    virtual IIteratorLayer* addIterator(ITensor& tensor, int32_t axis = 0,
                                        bool reverse = false) noexcept = 0;

    //! Adds a result of the loop. For kCONCATENATE and kREVERSE, set the second input of the layer.
    virtual ILoopOutputLayer* addLoopOutput(ITensor& tensor, LoopOutput outputKind,
                                            int32_t axis = 0) noexcept = 0;

    //! Sets the name of the loop, for messages. \param name null-terminated, copied.
    virtual void setName(char const* name) noexcept = 0;

    //! The name; never null. Valid until the name changes or the network is destroyed.
    virtual char const* getName() const noexcept = 0;

protected:
    ~ILoop() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
