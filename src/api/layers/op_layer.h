// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "api/network.h"

namespace kiln::api {

/// LayerBase for ops derived from graph::OpBase. Setters report invalid values and leave the op
/// unchanged.
template <typename Interface, typename OpType>
class OpLayer : public LayerBase<Interface, OpType> {
public:
    using LayerBase<Interface, OpType>::LayerBase;

protected:
    /// Applies edit(op) if the resulting parameters are valid, else reports the problem and returns
    /// false.
    template <typename Edit>
    bool set(char const* parameter, Edit&& edit) noexcept {
        return this->core().reporter().guard(false, [&] {
            OpType edited = this->op();
            edit(edited);
            if (std::string const problem = edited.problem(); !problem.empty()) {
                this->core().reject(parameter, "{}", problem);
                return false;
            }
            this->change([&](OpType& op) { op = edited; });
            return true;
        });
    }
};

/// Adds a layer for `op`. Reports and returns null if its parameters are invalid.
template <typename Layer, typename OpType>
Layer* addOpLayer(NetworkDefinition& network, char const* kind, OpType const& op,
                  std::initializer_list<nvinfer1::ITensor*> inputs) noexcept {
    return network.reporter().guard<Layer*>(nullptr, [&] {
        if (std::string const problem = op.problem(); !problem.empty()) {
            fail(ErrorKind::kInvalidArgument, "[network] {}: {}", kind, problem);
        }
        return network.addLayer<Layer>(kind, std::make_unique<OpType>(op), inputs);
    });
}

} // namespace kiln::api
