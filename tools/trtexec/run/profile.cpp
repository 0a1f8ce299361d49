// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/profile.h"

#include <algorithm>
#include <string>
#include <utility>

#include "failure.h"
#include "run/tensor_buffer.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::OptProfileSelector;

using Selected = std::pair<OptProfileSelector, Extents const*>;

std::vector<Selected> selections(ShapeRange const& range) {
    return {{OptProfileSelector::kMIN, &range.min},
            {OptProfileSelector::kOPT, &range.opt},
            {OptProfileSelector::kMAX, &range.max}};
}

void checkNames(nvinfer1::INetworkDefinition const& network, RangeMap const& ranges) {
    std::vector<std::string> names;
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        names.emplace_back(network.getInput(i)->getName());
    }
    for (auto const& [name, range] : ranges) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            fail("[build] shapes: expected names of inputs ({}), got '{}'", fmt::join(names, ", "),
                 name);
        }
    }
}

/// Checks the three shapes against the fixed extents of the model.
void checkFit(nvinfer1::ITensor const& input, ShapeRange const& range) {
    nvinfer1::Dims const dims = input.getDimensions();
    for (auto const& [select, extents] : selections(range)) {
        bool fits = extents->size() == static_cast<size_t>(dims.nbDims);
        for (size_t i = 0; fits && i < extents->size(); ++i) {
            fits = dims.d[i] < 0 || dims.d[i] == (*extents)[i];
        }
        if (!fits) {
            fail("[build] input '{}': expected a shape that fits {} (-1: any), got {}",
                 input.getName(), toText(dims), toText(*extents));
        }
    }
}

bool setShapes(nvinfer1::IOptimizationProfile& profile, nvinfer1::ITensor const& input,
               ShapeRange const& range, bool values) {
    bool accepted = true;
    for (auto const& [select, extents] : selections(range)) {
        accepted = values ? profile.setShapeValuesV2(input.getName(), select, extents->data(),
                                                     static_cast<int32_t>(extents->size()))
                          : profile.setDimensions(input.getName(), select,
                                                  toDims(input.getName(), *extents));
        if (!accepted) {
            break;
        }
    }
    return accepted;
}

/// Whether the command line sets the values of a shape input rather than its extents.
bool givesValues(nvinfer1::ITensor const& input, ShapeRange const* range) {
    if (range == nullptr || !input.isShapeTensor()) {
        return false;
    }
    nvinfer1::Dims const dims = input.getDimensions();
    return !hasOpenDimension(dims) && elementCount(dims) == range->opt.size();
}

ShapeRange defaultRange(nvinfer1::ITensor const& input, Logger& logger) {
    Extents const extents = toExtents(withOnes(input.getDimensions()));
    logger.warning("Dynamic dimensions required for input: {}, but no shapes were provided. "
                   "Automatically overriding shape to: {}",
                   input.getName(), toText(extents));
    return {extents, extents, extents};
}

} // namespace

nvinfer1::Dims withOnes(nvinfer1::Dims dims) {
    std::replace(dims.d, dims.d + std::max(dims.nbDims, 0), int64_t{-1}, int64_t{1});
    return dims;
}

bool hasOpenDimension(nvinfer1::Dims const& dims) {
    return dims.nbDims < 0 || std::count(dims.d, dims.d + dims.nbDims, int64_t{-1}) != 0;
}

void addProfile(nvinfer1::IBuilder& builder, nvinfer1::INetworkDefinition const& network,
                nvinfer1::IBuilderConfig& config, RangeMap const& ranges, Logger& logger) {
    checkNames(network, ranges);
    nvinfer1::IOptimizationProfile* profile = nullptr; // the builder owns it
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        nvinfer1::ITensor const& input = *network.getInput(i);
        auto const given = ranges.find(input.getName());
        bool const values = givesValues(input, given == ranges.end() ? nullptr : &given->second);
        if (given != ranges.end() && !values) {
            checkFit(input, given->second);
        }
        if (!values && !hasOpenDimension(input.getDimensions())) {
            continue; // the builder reports missing values of shape inputs
        }
        if (profile == nullptr) {
            profile = builder.createOptimizationProfile();
        }
        ShapeRange const range =
            given != ranges.end() ? given->second : defaultRange(input, logger);
        if (profile == nullptr || !setShapes(*profile, input, range, values)) {
            fail("[build] input '{}': the builder refused the shapes min {}, opt {}, max {}",
                 input.getName(), toText(range.min), toText(range.opt), toText(range.max));
        }
    }
    if (profile != nullptr && config.addOptimizationProfile(profile) < 0) {
        fail("[build] the builder refused the optimization profile; the lines above say why");
    }
}

} // namespace kiln::trtexec
