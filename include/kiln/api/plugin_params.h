// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters of the detection plugins of the original plugin library, for source compatibility.
#pragma once

#include "kiln/api/macros.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {
namespace plugin {

// These structures do not own what their pointers point to.

//! Boxes of default size around each cell of a feature map (PriorBox). Sizes are in pixels of the
//! image. Source: W. Liu et al., SSD: Single Shot MultiBox Detector, 2016.
struct PriorBoxParameters {
    float* minSize;          //!< numMinSize smallest box sizes.
    float* maxSize;          //!< numMaxSize largest box sizes, as many as the smallest or none.
    float* aspectRatios;     //!< numAspectRatios ratios of width to height.
    int32_t numMinSize;      //!< Length of minSize.
    int32_t numMaxSize;      //!< Length of maxSize.
    int32_t numAspectRatios; //!< Length of aspectRatios.
    bool flip;               //!< Also use the reciprocal of each ratio.
    bool clip;               //!< Clip boxes at the border of the image.
    float variance[4];       //!< Scales of the four box coordinates.
    int32_t imgH;            //!< Height of the image; 0 for that of the input.
    int32_t imgW;            //!< Width of the image; 0 for that of the input.
    float stepH;             //!< Vertical distance of cells; 0 to compute it.
    float stepW;             //!< Horizontal distance of cells; 0 to compute it.
    float offset;            //!< Position of the box centre in a cell; 0.5 is the middle.
};

//! Regions of interest: proposals and pooling. Source: S. Ren et al., Faster R-CNN, 2015.
struct RPROIParams {
    int32_t poolingH;          //!< Height of a pooled region.
    int32_t poolingW;          //!< Width of a pooled region.
    int32_t featureStride;     //!< Pixels of the image per cell of the feature map.
    int32_t preNmsTop;         //!< Boxes kept before suppression.
    int32_t nmsMaxOut;         //!< Boxes kept after suppression.
    int32_t anchorsRatioCount; //!< Number of ratios of anchor boxes.
    int32_t anchorsScaleCount; //!< Number of scales of anchor boxes.
    float iouThreshold;        //!< Overlap above which a box is suppressed.
    float minBoxSize;          //!< Smallest side of a box, before scaling.
    float spatialScale;        //!< Cells of the feature map per pixel of the image.
};

//! Anchor boxes of one feature map (GridAnchor). Sizes are fractions of the image.
struct GridAnchorParameters {
    float minSize;           //!< Scale of the finest feature map.
    float maxSize;           //!< Scale of the coarsest feature map.
    float* aspectRatios;     //!< numAspectRatios ratios of width to height.
    int32_t numAspectRatios; //!< Length of aspectRatios.
    int32_t H;               //!< Height of the feature map.
    int32_t W;               //!< Width of the feature map.
    float variance[4];       //!< Scales of the four box coordinates.
};

//! How the coordinates of a box are encoded. No EnumMax.
enum class CodeTypeSSD : int32_t {
    CORNER = 0,      //!< Offsets of two corners.
    CENTER_SIZE = 1, //!< Offset of the centre, logarithm of the size.
    CORNER_SIZE = 2, //!< Offsets of two corners, relative to the size.
    TF_CENTER = 3,   //!< As CENTER_SIZE, y before x.
};

//! Decoding and suppression of boxes (DetectionOutput).
struct DetectionOutputParameters {
    bool shareLocation;           //!< All classes share one set of boxes.
    bool varianceEncodedInTarget; //!< Predictions need no scaling by the variance.
    int32_t backgroundLabelId;    //!< The class to leave out; -1 for none.
    int32_t numClasses;           //!< Number of classes.
    int32_t topK;                 //!< Boxes of a class kept before suppression.
    int32_t keepTopK;             //!< Boxes of an image kept after suppression.
    float confidenceThreshold;    //!< Minimum confidence of a box.
    float nmsThreshold;           //!< Overlap above which a box is suppressed.
    CodeTypeSSD codeType;         //!< Encoding of the boxes.
    int32_t inputOrder[3];        //!< Which input is location, confidence, prior box.
    bool confSigmoid;             //!< Apply a sigmoid to the confidences.
    bool isNormalized;            //!< Coordinates are fractions of the image.
    bool isBatchAgnostic{true};   //!< The prior boxes are the same for the whole batch.
};

//! A tree of classes. Arrays are indexed by node unless said otherwise.
struct softmaxTree {
    int32_t* leaf;        //!< 1 for a leaf.
    int32_t n;            //!< Number of nodes.
    int32_t* parent;      //!< Index of the parent; -1 for a root.
    int32_t* child;       //!< Index of the group of children; -1 for none.
    int32_t* group;       //!< Index of the group that the node is in.
    char** name;          //!< Name of the class.
    int32_t groups;       //!< Number of groups.
    int32_t* groupSize;   //!< By group: number of nodes.
    int32_t* groupOffset; //!< By group: index of the first node.
};

//! The last layer of a detector that predicts boxes per cell (Region). Source: J. Redmon and
//! A. Farhadi, YOLO9000, 2017.
struct RegionParameters {
    int32_t num;         //!< Boxes predicted per cell.
    int32_t coords;      //!< Coordinates of a box.
    int32_t classes;     //!< Number of classes.
    softmaxTree* smTree; //!< The tree of classes; nullptr for a flat list.
};

//! Suppression of overlapping boxes (BatchedNMS).
struct NMSParameters {
    bool shareLocation;        //!< All classes share one set of boxes.
    int32_t backgroundLabelId; //!< The class to leave out; -1 for none.
    int32_t numClasses;        //!< Number of classes.
    int32_t topK;              //!< Boxes of a class kept before suppression.
    int32_t keepTopK;          //!< Boxes of an image kept after suppression.
    float scoreThreshold;      //!< Minimum score of a box.
    float iouThreshold;        //!< Overlap above which a box is suppressed.
    bool isNormalized;         //!< Coordinates are fractions of the image.
};

} // namespace plugin
} // namespace nvinfer1

#pragma GCC visibility pop
