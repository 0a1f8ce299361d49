// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/tensor_description.h"

#include "runtime/memory_layout.h"
#include "runtime/plan_shapes.h"

namespace kiln::api {
namespace {

char const* nameOf(plan::TensorRole role) {
    switch (role) {
    case plan::TensorRole::kInput: return "input";
    case plan::TensorRole::kOutput: return "output";
    case plan::TensorRole::kConstant: return "constant";
    case plan::TensorRole::kValues: return "host";
    default: return "internal";
    }
}

} // namespace

Json tensorsOf(plan::Document const& document, ByteView file) {
    runtime::ProfileShapes const shapes =
        runtime::shapesOver(document, runtime::unitedProfile(document));
    Table<plan::TensorId, uint64_t> const reserved = runtime::capacities(document);
    Table<plan::TensorId, runtime::Life> const lives = runtime::livesOf(document, reserved);
    Json list = Json::array();
    for (plan::TensorId const id : document.tensors.ids()) {
        plan::TensorRecord const& tensor = document.tensors[id];
        Dims const& dims = shapes.opt[id];
        bool const constant = tensor.role == plan::TensorRole::kConstant;
        Json entry =
            Json::object("name", tensor.name, "role", nameOf(tensor.role), "type",
                         kiln::nameOf(tensor.type.type), "format", tensor.formatName(), "shape",
                         std::vector<int64_t>(dims.d, dims.d + dims.nbDims), "bytes",
                         constant ? tensor.constantBytes() : tensor.bytesAt(dims));
        if (constant) {
            entry["origin"] = tensor.origin;
            entry["packed"] = tensor.type.tag != 0;
            if (!tensor.data.empty()) { // else the plan was built without its weights
                entry["file_offset"] = tensor.data.data() - file.data();
            }
        }
        if (!tensor.sharesWith.isNone()) {
            entry["shares_with"] = tensor.sharesWith.number();
        } else if (tensor.role == plan::TensorRole::kInternal) {
            entry["offset"] = tensor.offset;
            entry["reserved_bytes"] = reserved[id];
            entry["first_step"] = lives[id].first;
            entry["last_step"] = lives[id].last;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace kiln::api
