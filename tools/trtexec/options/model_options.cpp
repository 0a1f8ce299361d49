// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/option_table.h"

namespace kiln::trtexec {

OptionGroup modelOptions() {
    using enum Effect;
    return {"Model (one of the two)",
            {
                {"--onnx", "=FILE", kWorks, "Build an engine from this ONNX model.",
                 [](Options& o, std::string const& value) { o.model.onnx = value; }},
                {"--loadEngine", "=FILE", kWorks, "Open this plan instead of building.",
                 [](Options& o, std::string const& value) { o.model.loadEngine = value; }},
                {"--getPlanVersionOnly", "", kWorks,
                 "Print which version wrote the plan of --loadEngine, and stop.",
                 [](Options& o, std::string const&) { o.model.planVersionOnly = true; }},
                {"--asyncFileReader", "", kNote, "a plan is mapped, not read", nullptr},
            }};
}

} // namespace kiln::trtexec
