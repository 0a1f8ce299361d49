// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "runtime/engine.h"
#include "runtime/shapes.h"

namespace kiln::runtime {

/// One stream's state of an engine: input shapes, bound addresses, the arena, and the flat list of
/// steps that a run goes through. One thread at a time.
///
/// Costs are paid where they arise: names are looked up when an address is bound, shapes are worked
/// out when they change (at the next run), and a run itself only walks the list.
class Context {
public:
    /// `allocateArena` false: the user gives the memory by setArena() before the first run.
    Context(Engine const& engine, plugin::ContextServices const& services, bool allocateArena);
    ~Context();
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;

    Engine const& engine() const noexcept { return engine_; }

    /// Throws kInvalidArgument for a shape outside the profile.
    void setInputShape(int32_t tensor, Dims const& dims);
    /// Dimensions now; -1 where they depend on inputs whose shape was not given.
    Dims shape(int32_t tensor) const;
    bool shapesKnown() const;
    void setProfile(int32_t profile);
    int32_t profile() const noexcept { return profile_; }

    /// Throws kInvalidArgument for a pointer that the target cannot use. Null takes it back.
    void setAddress(int32_t tensor, void* address);
    void* address(int32_t tensor) const noexcept {
        return addresses_[static_cast<std::size_t>(tensor)];
    }
    void setArena(void* memory, uint64_t bytes);

    /// Runs all steps on `stream`. Throws kInvalidState when shapes or addresses are missing, or
    /// what a step reports.
    void run(backend::StreamHandle stream) {
        if (stale_) [[unlikely]] {
            prepare();
        }
        for (Step const& step : steps_) {
            if (step.launch.run(step.launch.state, step.call, stream) != 0) [[unlikely]] {
                failStep(step);
            }
        }
    }

private:
    struct Step {
        backend::Launch launch;
        backend::KernelCall call;
    };

    void layOutPointers();
    void prepare();
    void checkReady() const;
    void resolveShapes();
    void reshapeSteps();
    static void expectWorkspace(plan::StepRecord const& record, std::size_t wanted);
    void point(int32_t tensor, void* address);
    void placeArena(std::byte* base);
    [[noreturn]] void failStep(Step const& step) const;

    Engine const& engine_;
    plan::Document const& document_;
    std::vector<std::unique_ptr<backend::KernelInstance>> instances_;
    std::vector<Step> steps_;
    std::vector<void*> pointers_;               ///< operands of all steps, one after another
    std::vector<std::vector<uint32_t>> places_; ///< by tensor: where in pointers_ it stands
    std::vector<std::size_t> firstOperand_;     ///< by step: where in pointers_ it begins
    std::vector<void*> addresses_;              ///< by tensor
    InputExtents extents_;
    std::vector<int64_t> values_;                ///< of the plan's expressions
    std::vector<Dims> dims_;                     ///< by tensor, resolved
    std::vector<std::vector<Dims>> preparedFor_; ///< by step: operand shapes of the last reshape
    DeviceBuffer ownArena_;
    void* arena_ = nullptr;
    int32_t profile_ = 0;
    bool stale_ = true;
};

} // namespace kiln::runtime
