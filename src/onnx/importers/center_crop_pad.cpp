// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// CenterCropPad: crops or pads axes to given extents around the middle.
// Layer: slice. Extents may be computed.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

void importCenterCropPad(NodeContext& context) {
    Term const x = Term::input(context, 0);
    std::vector<int64_t> all;
    for (int32_t i = 0; i < x.rank(); ++i) {
        all.push_back(i);
    }
    Axes const axes = toAxes(context.attributes().integers("axes", all), x.rank());
    Term const counts = Term::input(context, 1).cast(DataType::kINT64);
    // Division rounds towards zero, so that the odd element is cropped or padded at the end.
    Term const starts = (x.extents(axes) - counts) / 2;
    context.setOutput(0, x.sliced(axes, starts, counts, nvinfer1::SampleMode::kFILL).value());
}

} // namespace

void registerImporter_center_crop_pad(ImporterRegistry& registry) {
    registry.add("CenterCropPad", importCenterCropPad);
}

} // namespace kiln::onnx
