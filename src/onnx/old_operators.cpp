// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/old_operators.h"

#include "onnx/element_type.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace kiln::onnx {

namespace {

// Attributes without a meaning for a network: memory that is shared, and what is so anyway.
constexpr std::array<std::string_view, 4> kWithoutEffect{"consumed_inputs", "is_test",
                                                         "output_sequence", "broadcast"};

bool isBinary(std::string_view opType) {
    constexpr std::array<std::string_view, 11> kOperators{
        "Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor"};
    return std::find(kOperators.begin(), kOperators.end(), opType) != kOperators.end();
}

class Former {
public:
    Former(NodeProto const& node, int64_t opset) : form_{node}, opset_(opset) {}

    CurrentForm run() {
        std::string const opType = node().opType;
        if (opType == "Upsample") {
            formUpsample();
        } else if (opType == "BatchNormalization") {
            formBatchNormalization();
        }
        if (opset_ >= 7) {
            return std::move(form_);
        }
        if (isBinary(opType)) {
            formBinary();
        } else if (opType == "PRelu") {
            form_.firstAxis = 1;
        } else if (opType == "Cast") {
            formCast();
        } else if (opType == "Reshape" && opset_ < 5) {
            formReshape();
        } else if (opType == "Pad" && find("paddings") != nullptr) {
            find("paddings")->name = "pads";
        } else if (opType == "Concat" && opset_ < 4 && find("axis") == nullptr) {
            add("axis", AttributeType::kInt).intValue = 1;
        } else if (opType == "Selu" && opset_ < 6) {
            addReal("alpha", 1.6732F);
            addReal("gamma", 1.0507F);
        } else if (opType == "LpPool" || opType == "GlobalLpPool") {
            formNorm();
        }
        form_.tilesOneAxis = opType == "Tile" && opset_ < 6;
        for (std::string_view const name : kWithoutEffect) {
            remove(name);
        }
        return std::move(form_);
    }

private:
    NodeProto& node() { return form_.node; }

    AttributeProto* find(std::string_view name) {
        auto& all = node().attributes;
        auto const found = std::find_if(
            all.begin(), all.end(), [&](AttributeProto const& one) { return one.name == name; });
        return found == all.end() ? nullptr : &*found;
    }
    void remove(std::string_view name) {
        std::erase_if(node().attributes,
                      [&](AttributeProto const& one) { return one.name == name; });
    }
    AttributeProto& add(std::string_view name, AttributeType type) {
        AttributeProto attribute;
        attribute.name = name;
        attribute.type = type;
        return node().attributes.emplace_back(std::move(attribute));
    }
    void addReal(std::string_view name, float value) {
        if (find(name) == nullptr) {
            add(name, AttributeType::kFloat).floatValue = value;
        }
    }
    [[noreturn]] void fail(std::string const& what) {
        failImport(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                   text(what, " in operator set ", opset_,
                        ". Convert the model with onnx.version_converter."));
    }

    // Operator set 7 has the scales of all axes as an attribute, the first one those of two axes.
    void formUpsample() {
        TensorProto scales;
        scales.type = ElementType::kFloat;
        AttributeProto const* const all = find("scales");
        AttributeProto const* const height = find("height_scale");
        AttributeProto const* const width = find("width_scale");
        if (all != nullptr) {
            scales.floatData = all->floats;
        } else if (height != nullptr && width != nullptr) {
            scales.floatData = {1, 1, height->floatValue, width->floatValue};
        } else {
            fail("Upsample: expected the attribute 'scales'");
        }
        scales.dims = {static_cast<int64_t>(scales.floatData.size())};
        for (char const* const name : {"scales", "height_scale", "width_scale"}) {
            remove(name);
        }
        if (AttributeProto* const mode = find("mode");
            mode != nullptr && mode->stringValue == "bilinear") {
            mode->stringValue = "linear";
        }
        node().opType = "Resize"; // of operator set 10, which has the same coordinates
        form_.constants.emplace(1, std::move(scales));
    }

    void formBatchNormalization() {
        if (AttributeProto const* const spatial = find("spatial");
            spatial != nullptr && spatial->intValue == 0) {
            fail("attribute 'spatial': expected 1, got 0,");
        }
        remove("spatial");
    }

    void formBinary() {
        if (AttributeProto const* const axis = find("axis")) {
            form_.firstAxis = axis->intValue;
            remove("axis");
        }
    }

    // The type by name.
    void formCast() {
        AttributeProto* const to = find("to");
        if (to == nullptr || to->type != AttributeType::kString) {
            return;
        }
        constexpr int32_t kMostTypes = 32;
        for (int32_t type = 1; type < kMostTypes; ++type) {
            if (nameOf(static_cast<ElementType>(type)) == to->stringValue) {
                to->type = AttributeType::kInt;
                to->intValue = type;
                return;
            }
        }
        fail(text("attribute 'to': expected the name of a type, got '", to->stringValue, "',"));
    }

    void formReshape() {
        AttributeProto const* const shape = find("shape");
        if (shape == nullptr) {
            fail("Reshape: expected the attribute 'shape'");
        }
        TensorProto extents;
        extents.type = ElementType::kInt64;
        extents.int64Data = shape->ints;
        extents.dims = {static_cast<int64_t>(shape->ints.size())};
        form_.constants.emplace(1, std::move(extents));
        remove("shape");
    }

    // The order of a norm was a real number.
    void formNorm() {
        AttributeProto* const p = find("p");
        if (p != nullptr && p->type == AttributeType::kFloat) {
            p->type = AttributeType::kInt;
            p->intValue = static_cast<int64_t>(p->floatValue);
            if (static_cast<float>(p->intValue) != p->floatValue) {
                fail(text("attribute 'p': expected a whole number, got ", p->floatValue, ","));
            }
        }
    }

    CurrentForm form_;
    int64_t opset_;
};

// Gives input 1 trailing extents of 1, so that its axes begin at `firstAxis` of input 0.
void alignSecond(NodeContext& context, int64_t firstAxis) {
    Value const& second = context.input(1);
    int32_t const rank = context.dims(context.input(0)).nbDims;
    int32_t const own = context.dims(second).nbDims;
    bool const isOne = second.isConstant && second.constant.weights.count == 1;
    if (own == 0 || own >= rank || isOne) {
        return;
    }
    int32_t const trailing = rank - own - toAxis(firstAxis, rank);
    if (trailing <= 0) {
        return;
    }
    std::vector<int32_t> axes(static_cast<size_t>(trailing));
    std::iota(axes.begin(), axes.end(), own);
    context.setInput(1, insertAxes(context, second, axes, "aligned"));
}

void adoptTiles(NodeContext& context) {
    auto const tiles = context.integers(1, "tiles", 1);
    auto const axis = context.integers(2, "axis", 1);
    int32_t const rank = context.dims(context.input(0)).nbDims;
    if (tiles.size() != 1 || axis.size() != 1) {
        context.fail(ErrorCode::kINVALID_NODE, "expected one number of tiles and one axis.");
    }
    std::vector<int64_t> repeats(static_cast<size_t>(rank), 1);
    repeats[static_cast<size_t>(toAxis(axis[0], rank))] = tiles[0];
    context.setInput(1, constantOf(context, repeats));
}

} // namespace

bool hasOldForm(NodeProto const& node, int64_t opset) {
    return opset < 7 ||
           (opset < 9 && (node.opType == "Upsample" || node.opType == "BatchNormalization"));
}

CurrentForm currentFormOf(NodeProto const& node, int64_t opset) {
    return Former(node, opset).run();
}

void adoptInputs(NodeContext& context, CurrentForm const& form) {
    for (auto const& [index, tensor] : form.constants) {
        context.setInput(index, readValue(tensor, context.tensors()));
    }
    if (form.firstAxis &&
        (form.node.opType != "PRelu" || context.dims(context.input(1)).nbDims == 1)) {
        alignSecond(context, *form.firstAxis);
    }
    if (form.tilesOneAxis) {
        adoptTiles(context);
    }
    if (form.node.opType == "Split" && context.hasInput(1)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     "input 1 (split): expected none before operator set 13. Use the attribute.");
    }
}

} // namespace kiln::onnx
