// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string_view>

#include "base/tensor_layout.h"
#include "plan/check.h"

namespace kiln::plan {
namespace {

bool isBound(TensorRole role) {
    return role == TensorRole::kInput || role == TensorRole::kOutput;
}

void checkType(TensorRecord const& tensor, ErrorKind kind) {
    auto const role = static_cast<int32_t>(tensor.role);
    auto const type = static_cast<int32_t>(tensor.type.type);
    auto const format = static_cast<int32_t>(tensor.type.format);
    if (role > static_cast<int32_t>(TensorRole::kValues) || type < 0 ||
        type >= nvinfer1::EnumMax<DataType>() || format < 0 ||
        format >= nvinfer1::EnumMax<TensorFormat>()) {
        fail(kind,
             "[plan] tensor '{}': expected a known role, type and format, got {}, {} and {}. Build "
             "the plan again.",
             tensor.name, role, type, format);
    }
    if (tensor.type.tag != 0 && tensor.role != TensorRole::kConstant &&
        tensor.role != TensorRole::kInternal) {
        fail(kind,
             "[plan] tensor '{}': expected an order of elements of the target's own in constants "
             "and internal tensors only, got {}. Build the plan again.",
             tensor.name, tensor.type.tag);
    }
}

/// A layout of the target's own. An engine checks that the target has the same.
void checkLayout(TensorRecord const& tensor, ErrorKind kind) {
    bool const expected = tensor.role == TensorRole::kInternal && tensor.type.tag != 0;
    std::string problem;
    if (expected != tensor.layout.has_value()) {
        problem = fmt::format("expected a layout for each internal tensor with a tag, and for no "
                              "other, got tag {} and {} layout",
                              tensor.type.tag, tensor.layout.has_value() ? "a" : "no");
    } else if (expected && (tensor.layout->tag != tensor.type.tag ||
                            tensor.layout->format != tensor.type.format)) {
        problem = "expected the tag and format of its layout, got others";
    } else if (expected && (tensor.sharesWith != -1 || tensor.isShown())) {
        problem = "expected a tensor in a layout of the target's own to have memory of its own, "
                  "and not to be shown to debug listeners, got such a one";
    } else if (expected) {
        problem = layoutProblem(*tensor.layout, tensor.type.type, tensor.shape.rank);
    }
    if (!problem.empty()) {
        fail(kind, "[plan] tensor '{}': {}. Build the plan again.", tensor.name, problem);
    }
}

void checkConstant(TensorRecord const& tensor, Dims const& dims, ErrorKind kind) {
    uint64_t bytes = 0;
    if (!storageBytes(tensor.type.type, tensor.type.format, dims, bytes)) {
        fail(kind,
             "[plan] constant '{}': expected constant extents and a format that fits them, got {} "
             "and {}. Build the plan again.",
             tensor.name, toText(dims), nameOf(tensor.type.format));
    }
    // Only the kernel that packed a constant knows its size, and checks it when it is loaded.
    if (tensor.type.tag == 0 && tensor.constantBytes() != bytes) {
        fail(kind,
             "[plan] constant '{}': expected {} bytes for {} elements of {}, got {}. Build the "
             "plan again.",
             tensor.name, bytes, toText(dims), nameOf(tensor.type.type), tensor.constantBytes());
    }
}

// Dynamic tensors are checked by a context once it has their shapes.
void checkPlace(TensorRecord const& tensor, Dims const& dims, uint64_t arenaBytes, ErrorKind kind) {
    uint64_t bytes = 0;
    bool const own = tensor.layout.has_value();
    if (!(own ? storageBytes(tensor.type.type, tensor.layout->traits, dims, bytes)
              : storageBytes(tensor.type.type, tensor.type.format, dims, bytes))) {
        bytes = 0;
    }
    if (!fitsAligned(tensor.offset, bytes, arenaBytes)) {
        fail(kind,
             "[plan] tensor '{}': expected an aligned place in the arena of {} bytes, got {} bytes "
             "at offset {}. Build the plan again.",
             tensor.name, arenaBytes, bytes, tensor.offset);
    }
}

void checkExtents(TensorRecord const& tensor, Document const& document, ErrorKind kind) {
    for (int32_t axis = 0; axis < tensor.shape.rank; ++axis) {
        auto const ref = static_cast<std::size_t>(tensor.shape[axis]);
        graph::ExprNode const& node = document.exprs[ref];
        if (node.op == graph::ExprOp::kConstant && node.value < 0) {
            fail(kind,
                 "[plan] tensor '{}', dimension {}: expected an extent of 0 or more, got {}. Build "
                 "the plan again.",
                 tensor.name, axis, node.value);
        }
    }
}

void checkUnused(TensorRecord const& tensor, ErrorKind kind) {
    bool const constant = tensor.role == TensorRole::kConstant;
    if ((!constant && tensor.constantBytes() > 0) ||
        (tensor.role != TensorRole::kInternal && tensor.offset != 0) ||
        (tensor.role != TensorRole::kInput && tensor.inputIndex != -1) ||
        (tensor.role != TensorRole::kValues && !tensor.values.empty()) ||
        (!constant && tensor.folded) || (tensor.isStripped() && tensor.weight.isNone()) ||
        (tensor.role != TensorRole::kInternal && !tensor.sharesWith.isNone()) ||
        (tensor.sharesWith.isNone() && tensor.begin != -1)) {
        fail(
            kind,
            "[plan] tensor '{}': expected data in constants, an offset in internal tensors, shared "
            "memory in internal tensors, an input number in inputs only and values in host tensors "
            "only, got {} bytes, offset {}, tensor {}, number {} and {} values for role {}. Build "
            "the plan again.",
            tensor.name, tensor.constantBytes(), tensor.offset, tensor.sharesWith,
            tensor.inputIndex, tensor.values.size(), static_cast<int32_t>(tensor.role));
    }
}

bool holdsValues(DataType type) {
    return type == DataType::kINT32 || type == DataType::kINT64 || type == DataType::kBOOL;
}

void checkValues(TensorRecord const& tensor, Document const& document, Dims const& dims,
                 ErrorKind kind) {
    uint64_t bytes = 0;
    bool const known = holdsValues(tensor.type.type) && linearBytes(DataType::kINT8, dims, bytes) &&
                       tensor.type.format == TensorFormat::kLINEAR;
    if (!known || bytes != tensor.values.size()) {
        fail(kind,
             "[plan] host tensor '{}': expected a value for each element of a linear int32, int64 "
             "or bool tensor, got {} for {} of {}. Build the plan again.",
             tensor.name, tensor.values.size(), toText(dims), nameOf(tensor.type.type));
    }
    for (graph::ExprRef const ref : tensor.values) {
        if (!isInteger(document, ref)) {
            fail(kind,
                 "[plan] host tensor '{}': expected numbers of integer expressions below {}, got "
                 "{}. Build the plan again.",
                 tensor.name, document.exprs.size(), ref);
        }
    }
}

/// Whether the elements of two types take the same bits.
bool haveEqualSize(target::OperandType const& a, target::OperandType const& b) {
    auto const known = [](DataType type) {
        return static_cast<int32_t>(type) >= 0 &&
               static_cast<int32_t>(type) < nvinfer1::EnumMax<DataType>();
    };
    return a.format == b.format && a.tag == b.tag && known(a.type) && known(b.type) &&
           bitsOf(a.type) == bitsOf(b.type);
}

/// The tensor whose memory is shared must share none itself and have the same offset, and elements
/// of the same size. A tensor of another shape or type, or with a beginning of its own, is a view:
/// both are linear, and a context checks that the view is inside whenever shapes change.
void checkShared(TensorRecord const& tensor, Document const& document, ErrorKind kind) {
    if (tensor.sharesWith.isNone()) {
        return;
    }
    bool sound = document.tensors.has(tensor.sharesWith);
    if (sound) {
        TensorRecord const& root = document.tensors[tensor.sharesWith];
        bool const isView =
            !(root.shape == tensor.shape) || root.type != tensor.type || tensor.begin != -1;
        sound = (root.role == TensorRole::kInternal || root.role == TensorRole::kOutput ||
                 root.role == TensorRole::kInput) &&
                root.sharesWith.isNone() && haveEqualSize(root.type, tensor.type) &&
                (!isView || root.type.format == TensorFormat::kLINEAR) && root.type.tag == 0 &&
                root.offset == tensor.offset &&
                (tensor.begin == -1 || isInteger(document, tensor.begin));
    }
    if (!sound) {
        fail(kind,
             "[plan] tensor '{}': expected to share the memory of an input, an output or an "
             "internal tensor with elements of equal size, which is linear if the shapes, types or "
             "beginnings differ, got tensor {} from expression {} on. Build the plan again.",
             tensor.name, tensor.sharesWith, tensor.begin);
    }
}

// Users access inputs and outputs by name and by index.
void checkBindings(Document const& document, ErrorKind kind) {
    std::set<std::string_view> names;
    bool boundBefore = true;
    for (TensorRecord const& tensor : document.tensors) {
        bool const bound = isBound(tensor.role);
        if (bound && (!boundBefore || tensor.name.empty() || !names.insert(tensor.name).second)) {
            fail(kind,
                 "[plan] input or output '{}': expected a name of its own, and a place before all "
                 "other tensors, got another order or the same name twice. Build the plan again.",
                 tensor.name);
        }
        boundBefore = bound;
    }
}

} // namespace

TensorRole memoryRole(Document const& document, TensorId tensor) {
    TensorRecord const& own = document.tensors[tensor];
    return own.sharesWith.isNone() ? own.role : document.tensors[own.sharesWith].role;
}

void checkTensors(Document const& document, ErrorKind kind) {
    for (TensorRecord const& tensor : document.tensors) {
        checkType(tensor, kind);
        checkLayout(tensor, kind);
        checkExtents(tensor, document, kind);
        checkUnused(tensor, kind);
        Dims const dims = constantDims(document, tensor);
        if (tensor.role == TensorRole::kConstant) {
            checkConstant(tensor, dims, kind);
        } else if (tensor.role == TensorRole::kInternal) {
            if (tensor.sharesWith.isNone()) { // else checked for the other tensor
                checkPlace(tensor, dims, document.arenaBytes, kind);
            }
            checkShared(tensor, document, kind);
        } else if (tensor.role == TensorRole::kValues) {
            checkValues(tensor, document, dims, kind);
        }
    }
    checkBindings(document, kind);
}

} // namespace kiln::plan
