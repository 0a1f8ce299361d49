// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/data_extents.h"

#include "onnx/counted_mask.h"
#include "onnx/term.h"

#include <kiln/known_values.h>

#include <algorithm>
#include <charconv>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::ILayer;
using nvinfer1::ITensor;
using nvinfer1::LayerType;

namespace {

constexpr char const* kLargestExtent = "kiln.largest_extent";
constexpr int64_t kDefault = 4096;
constexpr int64_t kMost = int64_t{1} << 31;
// Operations between a vector and the extents that it is computed from.
constexpr int32_t kDeepest = 16;

// The layer that computes a tensor; null if none does.
ILayer* producerOf(nvinfer1::INetworkDefinition const& network, ITensor const& tensor) {
    for (int32_t i = network.getNbLayers() - 1; i >= 0; --i) { // the newest are the nearest
        ILayer* const layer = network.getLayer(i);
        for (int32_t output = 0; output < layer->getNbOutputs(); ++output) {
            if (layer->getOutput(output) == &tensor) {
                return layer;
            }
        }
    }
    return nullptr;
}

class DataExtents {
public:
    DataExtents(NodeContext& context, bool mayBeOpen) : context_(context), mayBeOpen_(mayBeOpen) {}

    Term of(Term vector) {
        if (kiln::hasShapeValues(vector.tensor())) {
            return vector;
        }
        int64_t const count = countOf(vector);
        if (count == 1) {
            return counted(vector);
        }
        if (Term const again = recomputed(vector); again.exists()) {
            return again;
        }
        std::vector<Term> parts;
        for (int64_t i = 0; i < count; ++i) {
            parts.push_back(counted(vector.sliced(0, i, 1)));
        }
        return Term::joined(parts, 0);
    }

private:
    int64_t countOf(Term vector) const {
        Dims const dims = vector.dims();
        if (dims.nbDims != 1 || dims.d[0] < 1 || dims.d[0] > Dims::MAX_DIMS) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                          text("a shape that data gives: expected 1 to ", Dims::MAX_DIMS,
                               " extents, got a tensor ", dims, "."));
        }
        return dims.d[0];
    }

    // How many of `most` places a number says, as an extent.
    Term placesOf(Term number, int64_t most) {
        Term const places = Term::range(Term::vector(context_, {most}));
        return {context_, countOfMask(context_, (places < number).tensor())};
    }

    // One number: as many places as it says are not zero, and their number is an extent.
    Term counted(Term x) {
        x = x.cast(DataType::kINT64);
        int64_t const largest = context_.largestExtent();
        auto const bound = [&](int64_t value) { return Term::vector(context_, {value}); };
        auto* assertion = context_.network().addAssertion(
            (x >= bound(mayBeOpen_ ? -1 : 0) && x <= bound(largest)).tensor(),
            text("node '", context_.layerName(), "': the engine has room for extents from 0 to ",
                 largest, ", and data gives another one. Set '", kLargestExtent,
                 "' in the metadata of the model, and build again")
                .c_str());
        context_.named(assertion, context_.nextName());
        if (!warned_) {
            context_.log()(nvinfer1::ILogger::Severity::kWARNING, "node '", context_.layerName(),
                           "' (", context_.node().opType,
                           "): data gives an extent. The engine has room for ", largest,
                           "; runs that need more fail. '", kLargestExtent,
                           "' in the metadata of the model is another limit.");
            warned_ = true;
        }
        Term const count = placesOf(x, largest);
        return mayBeOpen_ ? (placesOf(bound(0) - x, 1) == bound(1)).choose(bound(-1), count)
                          : count;
    }

    // The layers behind concatenated numbers once more, of extents; none if there are others.
    Term recomputed(Term vector, int32_t depth = 0) {
        if (kiln::hasShapeValues(vector.tensor())) {
            return vector;
        }
        ILayer* const layer = producerOf(context_.network(), vector.tensor());
        if (layer == nullptr || depth == kDeepest || vector.rank() != 1) {
            return {};
        }
        LayerType const type = layer->getType();
        bool const joins = type == LayerType::kCONCATENATION;
        if (!joins && type != LayerType::kELEMENTWISE && type != LayerType::kSELECT) {
            return {};
        }
        std::vector<Term> inputs;
        for (int32_t i = 0; i < layer->getNbInputs(); ++i) {
            Term input(context_, *layer->getInput(i));
            bool const isNumber = joins && input.dims().d[0] == 1;
            input = isNumber ? of(input) : recomputed(input, depth + 1);
            if (!input.exists()) {
                return {};
            }
            inputs.push_back(input);
        }
        if (joins) {
            return Term::joined(inputs, 0);
        }
        return type == LayerType::kSELECT
                   ? inputs[0].choose(inputs[1], inputs[2])
                   : inputs[0].binary(
                         static_cast<nvinfer1::IElementWiseLayer*>(layer)->getOperation(),
                         inputs[1]);
    }

    NodeContext& context_;
    bool mayBeOpen_; // whether -1 stands for the extent that the others leave
    bool warned_ = false;
};

} // namespace

int64_t largestExtentOf(ModelProto const& model) {
    auto const found = model.metadata.find(kLargestExtent);
    if (found == model.metadata.end()) {
        return kDefault;
    }
    std::string const& digits = found->second;
    int64_t value = 0;
    auto const result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size() || value < 1 ||
        value >= kMost) {
        throw ImportError(ErrorCode::kINVALID_VALUE,
                          text("metadata '", kLargestExtent, "': expected a number from 1 to ",
                               kMost - 1, ", got '", digits.substr(0, 100), "'."));
    }
    return value;
}

ITensor& extentsOfData(NodeContext& context, ITensor& vector, bool mayBeOpen) {
    return DataExtents(context, mayBeOpen).of(Term(context, vector)).tensor();
}

} // namespace kiln::onnx
