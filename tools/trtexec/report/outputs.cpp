// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/outputs.h"

#include <nlohmann/json.hpp>

#include "files.h"
#include "options/shapes.h"
#include "run/element.h"

namespace kiln::trtexec {
namespace {

std::string valuesText(TensorBuffer const& tensor, char const* separator) {
    std::string text;
    size_t const count = tensor.count();
    Layout const layout = tensor.layout();
    for (size_t i = 0; i < count; ++i) {
        text += i == 0 ? "" : separator;
        text += elementText(tensor.type(), tensor.data(), layout.place(i));
    }
    return text;
}

} // namespace

void dumpTensors(std::vector<TensorBuffer const*> const& tensors, Logger& logger) {
    logger.info("Output Tensors:");
    for (TensorBuffer const* tensor : tensors) {
        logger.info("{}: ({})", tensor->name(), toText(tensor->dims()));
        logger.info("{}", valuesText(*tensor, " "));
    }
}

void dumpRawTensors(std::vector<TensorBuffer const*> const& tensors, Logger& logger) {
    for (TensorBuffer const* tensor : tensors) {
        std::string const path = fmt::format("{}.{}.{}.raw", fileNameOf(tensor->name()),
                                             toText(tensor->dims()), nameOf(tensor->type()));
        writeWhole(path, tensor->data(), tensor->bytes());
        logger.info("Values of {} saved to {}", tensor->name(), path);
    }
}

std::string tensorsAsJson(std::vector<TensorBuffer const*> const& tensors) {
    std::string text = "[";
    for (TensorBuffer const* tensor : tensors) {
        text +=
            fmt::format("{}\n  {{ \"name\" : {}, \"dimensions\" : \"{}\", \"values\" : [ {} ] }}",
                        text.size() > 1 ? "," : "",
                        nlohmann::json(tensor->name())
                            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                        toText(tensor->dims()), valuesText(*tensor, ", "));
    }
    return text + "\n]\n";
}

} // namespace kiln::trtexec
