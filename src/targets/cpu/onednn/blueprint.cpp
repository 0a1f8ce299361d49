// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/blueprint.h"

#include "graph/ops/convolution.h"

namespace kiln::targets::cpu::onednn {

std::string Blueprint::implementation() const {
    char const* name = "";
    Library const& library = Library::instance();
    library.check(library.primitive_desc_query(desc.get(), dnnl_query_impl_info_str, 0, &name),
                  "name a kernel");
    return name;
}

std::size_t Blueprint::scratchBytes() const {
    return Library::instance().memory_desc_get_size(scratchpad());
}

const_dnnl_memory_desc_t Blueprint::scratchpad() const {
    return Library::instance().primitive_desc_query_md(desc.get(), dnnl_query_scratchpad_md, 0);
}

const_dnnl_memory_desc_t Blueprint::weights() const {
    return Library::instance().primitive_desc_query_md(desc.get(), dnnl_query_weights_md, 0);
}

PostOp const* BlueprintMaker::firstSum() const {
    bool const sum = !fusion_.postOps.empty() && fusion_.postOps.front().kind == dnnl_binary_add &&
                     !fusion_.addsOutput(fusion_.postOps.front());
    return sum ? &fusion_.postOps.front() : nullptr;
}

const_dnnl_memory_desc_t BlueprintMaker::input(int name, std::size_t operand, MemoryDesc desc) {
    blueprint_.arguments.push_back({name, operand, false, std::move(desc)});
    return blueprint_.arguments.back().desc.get();
}

const_dnnl_memory_desc_t BlueprintMaker::output(MemoryDesc desc) {
    blueprint_.arguments.push_back({DNNL_ARG_DST, 0, true, std::move(desc)});
    return blueprint_.arguments.back().desc.get();
}

Attributes BlueprintMaker::attributesOfInputs() const {
    Library const& library = Library::instance();
    auto ops = made<PostOps>("describe operations", library.post_ops_create);
    for (std::size_t i = first_; i < fusion_.postOps.size(); ++i) {
        PostOp const& op = fusion_.postOps[i];
        if (op.operand < 0) {
            library.check(library.post_ops_append_eltwise(ops.get(), op.kind, op.alpha, op.beta),
                          "append a function");
            continue;
        }
        if (fusion_.addsOutput(op)) {
            library.check(library.post_ops_append_sum(ops.get(), 1.0F, 0, dnnl_data_type_undef),
                          "append a sum");
            continue;
        }
        for (Argument const& argument : blueprint_.arguments) {
            if (argument.name == argumentOf(i - first_)) {
                library.check(
                    library.post_ops_append_binary(ops.get(), op.kind, argument.desc.get()),
                    "append an operation");
            }
        }
    }
    auto attributes = made<Attributes>("describe a kernel", library.primitive_attr_create);
    library.check(library.primitive_attr_set_post_ops(attributes.get(), ops.get()),
                  "set operations");
    library.check(
        library.primitive_attr_set_scratchpad_mode(attributes.get(), dnnl_scratchpad_mode_user),
        "set the scratchpad");
    return attributes;
}

Anchor const& anchorOf(Fusion const& fusion) {
    return fusion.anchor->kind() == graph::Convolution::kKind ? convolutionAnchor()
                                                              : matrixAnchor();
}

} // namespace kiln::targets::cpu::onednn
