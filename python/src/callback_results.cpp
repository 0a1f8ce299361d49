// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "callback_results.h"

#include <fmt/format.h>

#include "bindings.h"
#include "exprs.h"
#include "plugin_support.h"

namespace kiln::python {

using nvinfer1::DataType;

void toDataTypes(py::handle result, char const* callback, int32_t count, char const* why,
                 DataType* types) {
    auto const items =
        toSequence(result, callback, static_cast<std::size_t>(count), "DataType", why);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!py::isinstance(items[i], EnumTable<DataType>::type)) {
            throw py::type_error(fmt::format("{}: expected a DataType for output {}, got {}",
                                             callback, i, className(items[i])));
        }
        types[i] = items[i].cast<DataType>();
    }
}

void toShapes(py::handle result, char const* callback, int32_t count, char const* why,
              nvinfer1::IExprBuilder& builder, nvinfer1::DimsExprs* shapes) {
    auto const items =
        toSequence(result, callback, static_cast<std::size_t>(count), "DimsExprs", why);
    for (std::size_t i = 0; i < items.size(); ++i) {
        shapes[i] = toDimsExprs(items[i], builder, callback, static_cast<int32_t>(i));
    }
}

std::vector<int32_t> toTactics(py::handle result, char const* callback) {
    auto const items = itemsOf(result);
    if (!items) {
        throw py::type_error(
            fmt::format("{}: expected a list of int, got {}", callback, className(result)));
    }
    std::vector<int32_t> tactics;
    for (py::object const& item : *items) {
        int64_t const tactic = toInteger(item, callback, 1);
        if (tactic > INT32_MAX) {
            throw py::value_error(
                fmt::format("{}: expected at most {}, got {}", callback, INT32_MAX, tactic));
        }
        tactics.push_back(static_cast<int32_t>(tactic));
    }
    return tactics;
}

} // namespace kiln::python
