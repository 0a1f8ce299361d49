// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/refitter.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "api/runtime.h"
#include "base/text.h"

namespace kiln::api {

using nvinfer1::TensorLocation;
using nvinfer1::Weights;
using nvinfer1::WeightsRole;

namespace {

constexpr std::size_t kMostNames = 8; ///< that a message lists

std::string someNames(std::span<RefitNames::Entry const> entries) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(entries.size(), kMostNames); ++i) {
        names.push_back("'" + entries[i].name + "'");
    }
    return names.empty() ? "none" : join(names, ", ");
}

[[noreturn]] void failUnknown(std::string_view shown, RefitNames const& names) {
    fail(ErrorKind::kInvalidArgument,
         "[refit] weights '{}': expected weights that the engine was built with, such as {}, got "
         "unknown ones. getAll() and getAllWeights() list all.",
         shown, someNames(names.open()));
}

} // namespace

Refitter::Refitter(Engine& engine, nvinfer1::ILogger& logger)
    : engine_(engine), reporter_(Log(&logger)) {
    reporter_.setRecorder(engine.getErrorRecorder());
}

void Refitter::set(Entries const& entries, std::string_view shown, Weights weights,
                   TensorLocation location) {
    if (entries.empty()) {
        failUnknown(shown, engine_.refitNames());
    }
    if (location != TensorLocation::kHOST && location != TensorLocation::kDEVICE) {
        fail(ErrorKind::kInvalidArgument,
             "[refit] weights '{}': expected a TensorLocation, got {}.", shown,
             static_cast<int32_t>(location));
    }
    for (RefitNames::Entry const* const entry : entries) {
        if (weights.type != entry->type || weights.count != entry->count ||
            (weights.values == nullptr && entry->count > 0)) {
            fail(ErrorKind::kInvalidArgument,
                 "[refit] weights '{}': expected {} elements of {}, got {} of {}{}. Give all "
                 "elements, in the type of the network.",
                 shown, entry->count, nameOf(entry->type), weights.count, nameOf(weights.type),
                 weights.values == nullptr ? " at a null pointer" : "");
        }
    }
    for (RefitNames::Entry const* const entry : entries) {
        settings_[entry] = {weights, location};
    }
}

bool Refitter::knows(char const* layerName, WeightsRole role) const noexcept {
    std::span<RefitNames::Entry const> const all = engine_.refitNames().all();
    return std::any_of(all.begin(), all.end(), [&](RefitNames::Entry const& own) {
        return own.layer == orEmpty(layerName) && own.role == role;
    });
}

bool Refitter::setWeights(char const* layerName, WeightsRole role, Weights weights) noexcept {
    return reporter_.guard(false, [&] {
        set(engine_.refitNames().of(orEmpty(layerName), role), orEmpty(layerName), weights,
            TensorLocation::kHOST);
        return true;
    });
}

bool Refitter::setNamedWeights(char const* name, Weights weights) noexcept {
    return setNamedWeights(name, weights, TensorLocation::kHOST);
}

bool Refitter::setNamedWeights(char const* name, Weights weights,
                               TensorLocation location) noexcept {
    return reporter_.guard(false, [&] {
        set(engine_.refitNames().named(orEmpty(name)), orEmpty(name), weights, location);
        return true;
    });
}

Refitter::Entries Refitter::missing() const {
    Entries entries;
    for (std::string const& source : engine_.core().missingWeights()) {
        RefitNames::Entry const* const entry = engine_.refitNames().withSource(source);
        if (entry != nullptr && !settings_.contains(entry)) {
            entries.push_back(entry);
        }
    }
    return entries;
}

Refitter::Entries Refitter::all() const {
    Entries entries;
    for (RefitNames::Entry const& entry : engine_.refitNames().open()) {
        entries.push_back(&entry);
    }
    return entries;
}

int32_t Refitter::list(Entries const& entries, int32_t size, char const** layers,
                       WeightsRole* roles, char const** names) const {
    if (size < 0) {
        fail(ErrorKind::kInvalidArgument,
             "[refit] list of weights: expected a capacity of 0 or more, got {}.", size);
    }
    std::vector<std::string_view> known; // layers may share weights of one name
    int32_t count = 0;
    for (RefitNames::Entry const* const entry : entries) {
        bool const isNew = std::find(known.begin(), known.end(), entry->name) == known.end();
        if (names != nullptr && !isNew) {
            continue;
        }
        known.emplace_back(entry->name);
        if (count < size && layers != nullptr) {
            layers[count] = entry->layer.c_str();
        }
        if (count < size && roles != nullptr) {
            roles[count] = entry->role;
        }
        if (count < size && names != nullptr) {
            names[count] = entry->name.c_str();
        }
        ++count;
    }
    return count;
}

int32_t Refitter::getMissing(int32_t size, char const** layerNames, WeightsRole* roles) noexcept {
    return reporter_.guard<int32_t>(
        0, [&] { return list(missing(), size, layerNames, roles, nullptr); });
}

int32_t Refitter::getAll(int32_t size, char const** layerNames, WeightsRole* roles) noexcept {
    return reporter_.guard<int32_t>(0,
                                    [&] { return list(all(), size, layerNames, roles, nullptr); });
}

int32_t Refitter::getMissingWeights(int32_t size, char const** weightsNames) noexcept {
    return reporter_.guard<int32_t>(0, [&] {
        char const* none = nullptr; // counts names also where the caller wants none
        bool const wanted = weightsNames != nullptr;
        return list(missing(), wanted ? size : 0, nullptr, nullptr, wanted ? weightsNames : &none);
    });
}

int32_t Refitter::getAllWeights(int32_t size, char const** weightsNames) noexcept {
    return reporter_.guard<int32_t>(0, [&] {
        char const* none = nullptr;
        bool const wanted = weightsNames != nullptr;
        return list(all(), wanted ? size : 0, nullptr, nullptr, wanted ? weightsNames : &none);
    });
}

void Refitter::setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    reporter_.setRecorder(recorder);
}

nvinfer1::IErrorRecorder* Refitter::getErrorRecorder() const noexcept {
    return reporter_.recorder();
}

bool Refitter::setMaxThreads(int32_t maxThreads) noexcept {
    if (maxThreads < 1) {
        return false;
    }
    maxThreads_ = maxThreads;
    return true;
}

/// Throws kInvalidArgument for an unknown name.
Refitter::Entries Refitter::named(char const* name) const {
    Entries entries = engine_.refitNames().named(orEmpty(name));
    if (entries.empty()) {
        failUnknown(orEmpty(name), engine_.refitNames());
    }
    return entries;
}

Refitter::Setting const* Refitter::settingOf(char const* name) const noexcept {
    return reporter_.guard<Setting const*>(nullptr, [&]() -> Setting const* {
        auto const found = settings_.find(named(name).front());
        return found == settings_.end() ? nullptr : &found->second;
    });
}

Weights Refitter::getNamedWeights(char const* weightsName) const noexcept {
    Setting const* const setting = settingOf(weightsName);
    return setting == nullptr ? Weights{DataType::kFLOAT, nullptr, 0} : setting->weights;
}

TensorLocation Refitter::getWeightsLocation(char const* weightsName) const noexcept {
    Setting const* const setting = settingOf(weightsName);
    return setting == nullptr ? TensorLocation::kHOST : setting->location;
}

bool Refitter::unsetNamedWeights(char const* weightsName) noexcept {
    return reporter_.guard(false, [&] {
        std::size_t removed = 0;
        for (RefitNames::Entry const* const entry : named(weightsName)) {
            removed += settings_.erase(entry);
        }
        if (removed == 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[refit] weights '{}': expected weights that were set before, got others.",
                 orEmpty(weightsName));
        }
        return true;
    });
}

Weights Refitter::getWeightsPrototype(char const* weightsName) const noexcept {
    return reporter_.guard(Weights{DataType::kFLOAT, nullptr, -1}, [&] {
        RefitNames::Entry const& entry = *named(weightsName).front();
        return Weights{entry.type, nullptr, entry.count};
    });
}

bool Refitter::refit(cudaStream_t stream) noexcept {
    return reporter_.guard(false, [&] {
        std::vector<runtime::NewWeights> weights;
        std::deque<Bytes> copies; // of weights on the device
        target::Device& device = engine_.core().device();
        target::DeviceScope const scope(device);
        device.synchronize(stream); // it may still write weights
        for (auto const& [entry, setting] : settings_) {
            std::size_t const bytes = bytesFor(entry->type, entry->count);
            ByteView elements(static_cast<std::byte const*>(setting.weights.values), bytes);
            if (setting.location == TensorLocation::kDEVICE && !device.isHost() && bytes > 0) {
                copies.emplace_back(bytes);
                device.copy(copies.back().data(), elements.data(), bytes,
                            target::CopyKind::kDeviceToHost, stream);
                device.synchronize(stream);
                elements = copies.back();
            }
            weights.push_back({entry->source, entry->type, elements});
        }
        for (auto const& [tensor, set] : ranges_) {
            weights.push_back(
                {set.range.source, DataType::kFLOAT,
                 ByteView(reinterpret_cast<std::byte const*>(&set.scale), sizeof(set.scale))});
        }
        engine_.refit(weights, validates_ ? &reporter_.log() : nullptr);
        for (auto const& [tensor, set] : ranges_) {
            engine_.dynamicRanges().set(set.range);
        }
        ranges_.clear();
        settings_.clear(); // the caller may free this memory now
        return true;
    });
}

bool Refitter::refitCudaEngine() noexcept {
    return refit(nullptr);
}

bool Refitter::refitCudaEngineAsync(cudaStream_t stream) noexcept {
    return refit(stream);
}

bool Refitter::setDynamicRange(char const* tensorName, float min, float max) noexcept {
    return reporter_.guard(false, [&]() -> bool {
        DynamicRanges::Range const* const known = engine_.dynamicRanges().find(orEmpty(tensorName));
        if (known == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[refit] tensor '{}': expected a tensor whose range can change, got one that the "
                 "engine does not quantize, or that REFIT_INDIVIDUAL or STRIP_PLAN keeps as it is. "
                 "getTensorsWithDynamicRange() lists all.",
                 orEmpty(tensorName));
        }
        float const scale = scaleOf(min, max);
        if (!std::isfinite(scale) || min > max || scale <= 0.0F) {
            fail(ErrorKind::kInvalidArgument,
                 "[refit] tensor '{}': expected a range of finite numbers, the smaller one first "
                 "and not both 0, got {} to {}.",
                 known->tensor, min, max);
        }
        ranges_[known->tensor] = {{known->tensor, known->source, min, max}, scale};
        return true;
    });
}

/// The range that was set, else that of the engine.
DynamicRanges::Range const* Refitter::rangeOf(char const* tensorName) const noexcept {
    auto const found = ranges_.find(orEmpty(tensorName));
    return found != ranges_.end() ? &found->second.range
                                  : engine_.dynamicRanges().find(orEmpty(tensorName));
}

float Refitter::getDynamicRangeMin(char const* tensorName) const noexcept {
    DynamicRanges::Range const* const range = rangeOf(tensorName);
    return range == nullptr ? std::numeric_limits<float>::quiet_NaN() : range->min;
}

float Refitter::getDynamicRangeMax(char const* tensorName) const noexcept {
    DynamicRanges::Range const* const range = rangeOf(tensorName);
    return range == nullptr ? std::numeric_limits<float>::quiet_NaN() : range->max;
}

int32_t Refitter::getTensorsWithDynamicRange(int32_t size,
                                             char const** tensorNames) const noexcept {
    std::vector<DynamicRanges::Range> const& all = engine_.dynamicRanges().all();
    for (std::size_t i = 0; tensorNames != nullptr && i < all.size(); ++i) {
        if (static_cast<int64_t>(i) < size) {
            tensorNames[i] = all[i].tensor.c_str();
        }
    }
    return static_cast<int32_t>(all.size());
}

} // namespace kiln::api

extern "C" void* createInferRefitter_INTERNAL(void* engine, void* logger,
                                              int32_t version) noexcept {
    using namespace kiln;
    api::Reporter const reporter{Log(static_cast<nvinfer1::ILogger*>(logger))};
    return reporter.guard<void*>(nullptr, [&]() -> void* {
        api::checkCaller("refitter", logger, version);
        if (engine == nullptr) {
            fail(ErrorKind::kInvalidArgument, "[refit] refitter: expected an engine, got null. "
                                              "Test what opening the plan returned.");
        }
        auto& own = static_cast<api::Engine&>(*static_cast<nvinfer1::ICudaEngine*>(engine));
        if (!own.core().document().refittable) {
            fail(ErrorKind::kInvalidArgument,
                 "[refit] engine '{}': expected an engine that was built for refit, got another. "
                 "Set BuilderFlag REFIT, REFIT_IDENTICAL or REFIT_INDIVIDUAL when you build it.",
                 own.getName());
        }
        return static_cast<nvinfer1::IRefitter*>(
            new api::Refitter(own, *static_cast<nvinfer1::ILogger*>(logger)));
    });
}
