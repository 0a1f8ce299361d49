// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/network/bounding_box_format.h"
#include "kiln/api/network/layer.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Non-maximum suppression: keeps the boxes with high scores that do not overlap a better box of
//! their class. Each batch item is handled alone.
//!
//! A box is a candidate for a class if its score is above the score threshold. Of the candidates of
//! all classes, at most getTopKBoxLimit() with the highest scores remain. In the order of their
//! scores, a candidate is selected unless its intersection over union with a selected box of the
//! same class is above the IoU threshold, or the class has enough boxes. Among equal scores, the
//! lower box, then the lower class comes first. NaN scores are never selected.
//!
//! Input 0:  the boxes, kFLOAT, kHALF or kBF16: [batch, boxes, classes, 4], or [batch, boxes, 4] or
//!     [batch, boxes, 1, 4] for the same boxes in all classes.
//! Input 1:  the scores, type of the boxes, [batch, boxes, classes].
//! Input 2:  the maximum number of selected boxes for each batch item and class, a scalar, kINT32
//!     or kINT64.
//! Input 3 (optional): the IoU threshold, 0 to 1, a scalar, kFLOAT. Default: 0.
//! Input 4 (optional): the score threshold, a scalar, kFLOAT. Default: 0.
//! Output 0: [selected boxes, 3], getIndicesType(): the rows (batch, class, box) by rising batch,
//!     then falling score. The number of rows is known after the layer ran; it is at most
//!     batch * classes * min(boxes, input 2) if input 2 is constant, else batch * classes * boxes.
//! Output 1: the number of rows, a scalar, kINT32.
class INMSLayer : public ILayer {
public:
    ~INMSLayer() noexcept override = default;

    //! Sets what the four numbers of a box are. Default: kCORNER_PAIRS.
    virtual void setBoundingBoxFormat(BoundingBoxFormat fmt) noexcept = 0;

    //! What the four numbers of a box are.
    virtual BoundingBoxFormat getBoundingBoxFormat() const noexcept = 0;

    //! Sets the maximum number of candidates of a batch item, all classes together, 0 or more.
    //! Default: 5000, which is also TensorRT's upper limit.
    virtual void setTopKBoxLimit(int32_t limit) noexcept = 0;

    //! The maximum number of candidates of a batch item.
    virtual int32_t getTopKBoxLimit() const noexcept = 0;

    //! Sets the type of output 0. \return false unless it is kINT32 or kINT64. Default: kINT32.
    virtual bool setIndicesType(DataType type) noexcept = 0;

    //! The type of output 0.
    virtual DataType getIndicesType() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
