// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Scan: a loop over the slices of tensors. In operator set 8 all values have a batch in front.
// Layer: loop. In operator set 8, a batch of 1 and no `sequence_lens`.

#include "onnx/control_flow.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

using nvinfer1::IRecurrenceLayer;
using nvinfer1::ITensor;
using nvinfer1::LoopOutput;

namespace {

class ScanNode {
public:
    explicit ScanNode(NodeContext& context)
        : context_(context), body_(graphAttribute(context, "body")), isOld_(context.opset() < 9) {
        if (isOld_ && context.hasInput(0)) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                         "input 0 (sequence_lens): expected none. Use operator set 9 or later.");
        }
        for (size_t i = isOld_ ? 1 : 0; i < context.nbInputs(); ++i) {
            inputs_.push_back(isOld_ ? removeAxes(context, context.input(i), {0}, text("batch", i))
                                     : context.input(i));
        }
        int64_t const scans = context.attributes().integer("num_scan_inputs", 0);
        if (scans < 1 || scans > static_cast<int64_t>(inputs_.size())) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                         text("attribute 'num_scan_inputs': expected 1 .. ", inputs_.size(),
                              ", got ", scans, "."));
        }
        nbStates_ = inputs_.size() - static_cast<size_t>(scans);
        if (body_.inputs.size() != inputs_.size()) {
            context.fail(ErrorCode::kINVALID_NODE, text("expected a body of ", inputs_.size(),
                                                        " inputs, got ", body_.inputs.size(), "."));
        }
    }

    void import() {
        LoopBuilder builder(context_);
        std::vector<Value> inner;
        std::vector<IRecurrenceLayer*> states;
        for (size_t i = 0; i < nbStates_; ++i) {
            states.push_back(&builder.carry(inputs_[i], text("state", i)));
            inner.emplace_back(*states.back()->getOutput(0));
            inner.back().meant = inputs_[i].meant;
        }
        addIterators(builder, inner);
        std::vector<Value> outputs =
            context_.surroundings().importGraph(body_, inner, text(context_.layerName(), "/body"));
        if (outputs.size() < context_.node().outputs.size() || outputs.size() < nbStates_) {
            context_.fail(ErrorCode::kINVALID_NODE,
                          text("expected a body of ", context_.node().outputs.size(),
                               " outputs, got ", outputs.size(), "."));
        }
        for (size_t i = 0; i < nbStates_; ++i) {
            builder.setNext(*states[i], outputs[i], text("state", i));
            Value last = builder.last(*states[i], text("state", i));
            last.meant = outputs[i].meant;
            setOutput(i, last);
        }
        addStacks(builder, outputs);
    }

private:
    // An element of a list of numbers for each scan input or output; 0 if the list is absent.
    int64_t element(char const* name, size_t index, size_t count) {
        std::vector<int64_t> const list = context_.attributes().integers(name, {});
        if (!list.empty() && list.size() != count) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                          text("attribute '", name, "': expected ", count, " numbers, got ",
                               list.size(), "."));
        }
        return list.empty() ? 0 : list[index];
    }

    bool isReverse(char const* name, size_t index, size_t count) {
        int64_t const direction = element(name, index, count);
        if (direction != 0 && direction != 1) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                          text("attribute '", name, "': expected 0 or 1, got ", direction, "."));
        }
        return direction == 1;
    }

    void addIterators(LoopBuilder& builder, std::vector<Value>& inner) {
        size_t const count = inputs_.size() - nbStates_;
        for (size_t i = 0; i < count; ++i) {
            std::string const role = text("scanned", i);
            ITensor& tensor = tensorOf(context_, inputs_[nbStates_ + i], role);
            int32_t const rank = context_.dims(tensor).nbDims;
            int32_t const axis = toAxis(isOld_ ? 0 : element("scan_input_axes", i, count), rank);
            bool const reverse =
                isReverse(isOld_ ? "directions" : "scan_input_directions", i, count);
            if (i == 0) {
                length_ = &lengthOf(tensor, axis);
                builder.limit(*length_, nvinfer1::TripLimit::kCOUNT);
            }
            auto* const layer = builder.loop().addIterator(tensor, axis, reverse);
            inner.emplace_back(*context_.named(layer, role).getOutput(0));
            inner.back().meant = inputs_[nbStates_ + i].meant;
        }
    }

    ITensor& lengthOf(ITensor& tensor, int32_t axis) {
        int64_t const known = context_.dims(tensor).d[axis];
        Value extent = known >= 0
                           ? constantOf(context_, {known}, 0)
                           : Value(ShapeMath(context_).extents(tensor, std::vector<int32_t>{axis}));
        return scalarOf(context_, extent, "length");
    }

    void addStacks(LoopBuilder& builder, std::vector<Value>& outputs) {
        size_t const count = outputs.size() - nbStates_;
        for (size_t i = 0; i < count && nbStates_ + i < context_.node().outputs.size(); ++i) {
            std::string const role = text("stacked", i);
            Value& value = outputs[nbStates_ + i];
            int32_t const rank = context_.dims(tensorOf(context_, value, role)).nbDims;
            bool const reverse = !isOld_ && isReverse("scan_output_directions", i, count);
            int64_t const axis = isOld_ ? 0 : element("scan_output_axes", i, count);
            auto const kind = reverse ? LoopOutput::kREVERSE : LoopOutput::kCONCATENATE;
            Value all = builder.stack(value, kind, toAxis(axis, rank + 1), *length_, role);
            all.meant = value.meant;
            setOutput(nbStates_ + i, all);
        }
    }

    void setOutput(size_t index, Value const& value) {
        context_.setOutput(index, isOld_ ? insertAxes(context_, value, {0}, text("batched", index))
                                         : value);
    }

    NodeContext& context_;
    GraphProto const& body_;
    bool isOld_;
    std::vector<Value> inputs_;
    size_t nbStates_ = 0;
    ITensor* length_ = nullptr;
};

void importScan(NodeContext& context) {
    ScanNode(context).import();
}

} // namespace

void registerImporter_scan(ImporterRegistry& registry) {
    registry.add("Scan", importScan);
}

} // namespace kiln::onnx
