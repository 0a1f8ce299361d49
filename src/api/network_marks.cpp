// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Marks on tensors: shape outputs, whose values are read on the host, and debug tensors.
#include "api/network.h"
#include "graph/real_values.h"

namespace kiln::api {

bool NetworkDefinition::markOutputForShapes(nvinfer1::ITensor& tensor) noexcept {
    return reporter_.guard(false, [&] {
        graph::Tensor& own = unwrap(tensor, "shape output");
        if (!graph::hasHostValues(graph_.facts(own))) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] shape output: expected a shape tensor, got '{}', whose values do not "
                 "follow from shapes. Mark it as an ordinary output.",
                 own.name);
        }
        own.isShapeOutput = true;
        graph_.markOutput(own);
        return true;
    });
}

bool NetworkDefinition::unmarkOutputForShapes(nvinfer1::ITensor& tensor) noexcept {
    return reporter_.guard(false, [&] {
        graph::Tensor& own = unwrap(tensor, "shape output");
        bool const marked = own.isShapeOutput;
        own.isShapeOutput = false;
        graph_.unmarkOutput(own);
        return marked;
    });
}

bool NetworkDefinition::markDebug(nvinfer1::ITensor& tensor) noexcept {
    return reporter_.guard(false, [&] {
        unwrap(tensor, "debug tensor").isDebug = true;
        return true;
    });
}

bool NetworkDefinition::unmarkDebug(nvinfer1::ITensor& tensor) noexcept {
    return reporter_.guard(false, [&] {
        unwrap(tensor, "debug tensor").isDebug = false;
        return true;
    });
}

bool NetworkDefinition::isDebugTensor(nvinfer1::ITensor const& tensor) const noexcept {
    return reporter_.guard(false, [&] {
        return unwrap(const_cast<nvinfer1::ITensor&>(tensor), "debug tensor").isDebug;
    });
}

// Which tensors are not fused away is known when the engine is built.
bool NetworkDefinition::markUnfusedTensorsAsDebugTensors() noexcept {
    marksUnfused_ = true;
    return true;
}

bool NetworkDefinition::unmarkUnfusedTensorsAsDebugTensors() noexcept {
    marksUnfused_ = false;
    return true;
}

} // namespace kiln::api
