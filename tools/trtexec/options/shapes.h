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

/// The shapes of one input in an optimization profile.
struct ShapeRange {
    Extents min;
    Extents opt;
    Extents max;
};
using RangeMap = std::map<std::string, ShapeRange>;

/// Parses "x:1x8x8,y:4". A scalar is "x:scalar". Names with a comma or a colon can be put in single
/// quotes. Errors name `option`.
ShapeMap parseShapes(std::string_view option, std::string_view text);

/// Parses "name:file,name:file".
std::map<std::string, std::string> parseNamedFiles(std::string_view option, std::string_view text);

/// Completes a profile: a missing opt becomes max, else min; a missing min or max becomes opt.
/// Inputs with none of the three use `shapes`.
RangeMap completeRanges(ShapeMap const& min, ShapeMap const& opt, ShapeMap const& max,
                        ShapeMap const& shapes);

/// "1x8x8"; "scalar" for rank 0.
std::string toText(Extents const& extents);
std::string toText(nvinfer1::Dims const& dims);

Extents toExtents(nvinfer1::Dims const& dims);
/// Throws a Failure that names `tensor` if there are more than Dims::MAX_DIMS extents.
nvinfer1::Dims toDims(std::string_view tensor, Extents const& extents);

} // namespace kiln::trtexec
