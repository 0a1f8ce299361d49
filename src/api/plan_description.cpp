// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/plan_description.h"

#include <algorithm>

#include "api/plugin_description.h"
#include "api/step_description.h"
#include "api/tensor_description.h"
#include "base/json.h"
#include "base/message_codes.h"
#include "plan/code_problems.h"
#include "plan/reader.h"
#include "plugin/creator_table.h"
#include "target/backend_registry.h"

namespace kiln::api {
namespace {

Json extents(Dims const& dims) {
    return Json(std::vector<int64_t>(dims.d, dims.d + std::max(dims.nbDims, 0)));
}

/// -1 for extents that are known only at run time.
Json shapeOf(plan::Document const& document, graph::ShapeExpr const& shape) {
    Json list = Json::array();
    for (int32_t axis = 0; axis < shape.rank; ++axis) {
        graph::ExprNode const& node = document.exprs.at(static_cast<std::size_t>(shape[axis]));
        list.push_back(node.op == graph::ExprOp::kConstant ? node.value : -1);
    }
    return list;
}

Json describe(plan::Document const& document, plan::TensorRecord const& tensor) {
    return Json::object("name", tensor.name, "type", nameOf(tensor.type.type), "format",
                        tensor.formatName(), "shape", shapeOf(document, tensor.shape));
}

Json profilesOf(plan::Document const& document, plan::TensorId tensor) {
    Json list = Json::array();
    for (plan::ProfileRecord const& profile : document.profiles) {
        for (plan::ProfileRange const& range : profile.ranges) {
            if (range.tensor == tensor) {
                list.push_back(Json::object("min", extents(range.min), "opt", extents(range.opt),
                                            "max", extents(range.max)));
            }
        }
        for (plan::ValueRange const& range : profile.values) {
            if (range.tensor == tensor) {
                list.push_back(Json::object("values", true, "min", range.min, "opt", range.opt,
                                            "max", range.max));
            }
        }
    }
    return list;
}

void describeTensors(plan::Document const& document, Json& json) {
    Json inputs = Json::array();
    Json outputs = Json::array();
    Json weights = Json::array();
    for (plan::TensorId const i : document.tensors.ids()) {
        plan::TensorRecord const& tensor = document.tensors[i];
        Json entry = describe(document, tensor);
        switch (tensor.role) {
        case plan::TensorRole::kInput:
            entry["profiles"] = profilesOf(document, i);
            inputs.push_back(std::move(entry));
            break;
        case plan::TensorRole::kOutput: outputs.push_back(std::move(entry)); break;
        case plan::TensorRole::kConstant:
            entry["origin"] = tensor.origin;
            entry["bytes"] = tensor.data.size();
            weights.push_back(std::move(entry));
            break;
        default: break; // internal
        }
    }
    json["inputs"] = std::move(inputs);
    json["outputs"] = std::move(outputs);
    json["weights"] = std::move(weights);
}

Json namesOf(plan::Document const& document, std::vector<plan::TensorId> const& tensors) {
    Json names = Json::array();
    for (plan::TensorId const index : tensors) {
        if (index == plan::kAbsent) {
            names.push_back(Json());
            continue;
        }
        names.push_back(document.tensors[index].name);
    }
    return names;
}

Json numbersOf(std::vector<plan::TensorId> const& tensors) {
    Json numbers = Json::array();
    for (plan::TensorId const index : tensors) {
        numbers.push_back(index.number());
    }
    return numbers;
}

void describeLayers(plan::Document const& document, Json& json) {
    Json layers = Json::array();
    for (plan::StepRecord const& step : document.steps) {
        Json entry = Json::object("name", step.name);
        if (!step.plugin.isNone()) {
            entry["op"] = "plugin";
            entry["kernel"] = document.plugins[step.plugin].id.text();
        } else if (step.control.has_value()) {
            entry["op"] = step.control->kindName();
            entry["kernel"] = "";
            entry["bodies"] = Json::array();
            for (plan::Body const& body : step.control->bodies) {
                entry["bodies"].push_back(body.steps);
            }
        } else {
            entry["op"] = step.kernel.op;
            entry["kernel"] = step.kernel.kernel;
            entry["operations"] = operationsOf(step.kernel);
            if (!step.otherKernels.empty()) {
                entry["profile_kernels"] = Json::array();
            }
            for (std::size_t i = 0; i < step.profileKernels.size(); ++i) {
                entry["profile_kernels"].push_back(step.kernelAt(step.kernelFor(i)).kernel);
            }
        }
        entry["inputs"] = namesOf(document, step.inputs);
        entry["outputs"] = namesOf(document, step.outputs);
        entry["reads"] = numbersOf(step.inputs);
        entry["writes"] = numbersOf(step.outputs);
        entry["workspace_bytes"] = step.workspaceBytes;
        entry["workspace_offset"] = step.workspaceOffset;
        entry["refused"] = step.reasons;
        entry["candidates"] = candidatesOf(step);
        entry["rewrites"] = step.rewrites;
        entry["metadata"] = step.metadata;
        layers.push_back(std::move(entry));
    }
    json["layers"] = std::move(layers);
}

void addProblem(Json& json, char const* kind, std::string const& text) {
    std::string const coded = withCode(text);
    json["problems"].push_back(
        Json::object("kind", kind, "text", coded, "code", std::string(kiln::codeOf(coded))));
}

void describePlugins(plan::Document const& document, Json& json) {
    Json plugins = Json::array();
    plugin::CreatorTable const& table = plugin::CreatorTable::instance();
    for (plugin::PluginRecord const& record : document.plugins) {
        bool const compiled = record.style == plugin::PluginStyle::kQuickAot;
        bool const registered = table.find(record.id).creator != nullptr;
        plugins.push_back(Json::object(
            "name", record.id.name, "version", record.id.version, "namespace", record.id.space,
            "style", plugin::nameOf(record.style), "needs_python", record.needsPython, "layer",
            record.layer, "tactic", record.tactic, "registered", registered, "attributes",
            attributesOf(record), "code", codeOf(record)));
        plan::SourceRecord const* const source = plan::sourceOf(document, record.id);
        if (source != nullptr) {
            plugins.back()["source"] = source->name;
        }
        // The plan's libraries may have the creator.
        if (!registered && !compiled && document.libraries.empty() && source == nullptr) {
            addProblem(json, "plugin", table.missText(record.id));
        }
    }
    json["plugins"] = std::move(plugins);
    Json libraries = Json::array();
    for (plan::LibraryRecord const& library : document.libraries) {
        libraries.push_back(Json::object("name", library.name, "bytes", library.data.size()));
    }
    json["libraries"] = std::move(libraries);
    Json sources = Json::array();
    for (plan::SourceRecord const& source : document.sources) {
        sources.push_back(Json::object("name", source.name, "bytes", source.text.size()));
    }
    json["python_sources"] = std::move(sources);
}

void checkTarget(plan::Document const& document, Json& json) {
    try {
        target::Backend& backend = target::BackendRegistry::instance().open(document.target);
        target::Device const* const device = backend.device();
        std::string const problem = device == nullptr
                                        ? backend.noDevice()
                                        : device->architectureProblem(document.architecture);
        if (!problem.empty()) {
            addProblem(json, "instruction set",
                       fmt::format("[plan] target {}: the plan needs {}, but {}. Build it on or "
                                   "for this machine.",
                                   document.target, document.architecture, problem));
        }
    } catch (Error const& error) {
        addProblem(json, "target", error.what());
    }
}

void describeSections(ByteView bytes, Json& json) {
    Json sections = Json::array();
    for (plan::SectionInfo const& section : plan::checkSections(bytes)) {
        sections.push_back(Json::object("name", section.name, "offset", section.offset, "bytes",
                                        section.bytes, "intact", section.intact));
        if (!section.intact) {
            addProblem(json, "damaged",
                       fmt::format("[plan] section '{}', bytes {} to {}: its hash does not match. "
                                   "Copy the file again, or build it again.",
                                   section.name, section.offset,
                                   section.offset + std::max<uint64_t>(section.bytes, 1) - 1));
        }
    }
    json["sections"] = std::move(sections);
}

void describeDocument(plan::Document const& document, ByteView file, Json& json) {
    json["network"] = document.name;
    json["target"] = document.target;
    json["instruction_set"] = document.architecture;
    json["strongly_typed"] = document.stronglyTyped;
    json["device_memory_bytes"] = document.arenaBytes;
    describeTensors(document, json);
    describeLayers(document, json);
    try {
        json["tensors"] = tensorsOf(document, file);
    } catch (Error const& error) { // such as shapes that overflow: opening the plan fails, too
        addProblem(json, "damaged", error.what());
    }
    checkTarget(document, json);
    describePlugins(document, json);
    for (std::string const& problem : plan::codeProblems(document)) {
        addProblem(json, "code", problem);
    }
}

} // namespace

std::string planDescription(ByteView bytes) {
    Json json = Json::object("file_bytes", bytes.size(), "problems", Json::array());
    if (std::string const version = plan::writerVersion(bytes); !version.empty()) {
        json["kiln_version"] = version;
    }
    try {
        describeSections(bytes, json);
        describeDocument(plan::read(bytes), bytes, json); // works even if the weights are damaged
    } catch (Error const& error) {
        bool const known =
            !json["problems"].elements().empty() && error.kind() == ErrorKind::kCorruptData;
        if (!known) { // else the problem of the section covers it
            addProblem(json,
                       !plan::looksLikePlan(bytes)               ? "not a plan"
                       : error.kind() == ErrorKind::kUnsupported ? "version"
                                                                 : "damaged",
                       error.what());
        }
    }
    return json.dump(2);
}

} // namespace kiln::api
