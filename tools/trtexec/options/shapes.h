// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <NvInferRuntimeBase.h>

namespace kiln::trtexec {

/// Extents of one tensor; for a shape tensor, its values.
using Extents = std::vector<int64_t>;
using ShapeMap = std::map<std::string, Extents>;

/// What an optimization profile says about one input.
struct ShapeRange {
    Extents min;
    Extents opt;
    Extents max;
};
using RangeMap = std::map<std::string, ShapeRange>;

/// Reads "x:1x8x8,y:4". A scalar is "x:scalar". A name that holds a comma or a colon may stand in
/// single quotes. `option` is named in the error.
ShapeMap parseShapes(std::string_view option, std::string_view text);

/// Reads "name:file,name:file".
std::map<std::string, std::string> parseNamedFiles(std::string_view option, std::string_view text);

/// Fills the gaps of a profile: one given shape serves for all three; of two, the optimum takes the
/// larger one, and a missing bound takes the optimum. Inputs without any keep what `shapes` says.
RangeMap completeRanges(ShapeMap const& min, ShapeMap const& opt, ShapeMap const& max,
                        ShapeMap const& shapes);

/// "1x8x8"; "scalar" for rank 0.
std::string toText(Extents const& extents);
std::string toText(nvinfer1::Dims const& dims);

Extents toExtents(nvinfer1::Dims const& dims);
/// Throws a Failure that names `tensor` when there are more extents than Dims holds.
nvinfer1::Dims toDims(std::string_view tensor, Extents const& extents);

} // namespace kiln::trtexec
