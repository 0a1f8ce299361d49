// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_nms(LayerBindings& bindings) {
    LayerClass<INMSLayer>(bindings, LayerType::kNMS, "INMSLayer",
                          "Selects the boxes that do not overlap better ones.")
        .def_property("bounding_box_format", &INMSLayer::getBoundingBoxFormat,
                      &INMSLayer::setBoundingBoxFormat,
                      "BoundingBoxFormat: what the four numbers of a box are. Default: "
                      "CORNER_PAIRS.")
        .def_property("topk_box_limit", &INMSLayer::getTopKBoxLimit, &INMSLayer::setTopKBoxLimit,
                      "int: the maximum number of candidates of a batch item. Default: 5000.")
        .def_property(
            "indices_type", &INMSLayer::getIndicesType,
            [](INMSLayer& self, DataType type) { self.setIndicesType(type); },
            "DataType: type of the selected indices, int32 or int64.")
        .def("set_input", &INMSLayer::setInput, "index"_a, "tensor"_a,
             "Sets boxes (0), scores (1), the maximum number of boxes per class (2), the IoU "
             "threshold (3) or the score threshold (4).");
    bindings.network.def(
        "add_nms",
        py::overload_cast<ITensor&, ITensor&, ITensor&, DataType>(&INetworkDefinition::addNMS),
        "boxes"_a, "scores"_a, "max_output_boxes_per_class"_a, "indices_type"_a = DataType::kINT32,
        kInternal,
        "Adds non-maximum suppression; returns an INMSLayer. Output 0: rows (batch, class, box); "
        "output 1: their number.");
}

} // namespace kiln::python
