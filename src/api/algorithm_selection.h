// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include <NvInfer.h>

#include "compiler/kernel_selector.h"

namespace kiln::api {

/// Asks an IAlgorithmSelector for each step, and reports what was taken.
class AlgorithmSelection final : public compiler::KernelSelector {
public:
    /// `rejectsEmpty`: BuilderFlag::kREJECT_EMPTY_ALGORITHMS.
    AlgorithmSelection(nvinfer1::IAlgorithmSelector& selector, bool rejectsEmpty);
    ~AlgorithmSelection() override;

    std::vector<std::size_t> select(Question const& question) override;
    void taken(std::size_t kernel) override;
    /// After all steps.
    void report();

private:
    class Algorithm;
    class Context;

    nvinfer1::IAlgorithmSelector& selector_;
    bool rejectsEmpty_;
    std::deque<std::unique_ptr<Context>> contexts_;     ///< of all questions
    std::vector<std::unique_ptr<Algorithm>> asked_;     ///< of the last question
    std::deque<std::unique_ptr<Algorithm>> algorithms_; ///< taken, by context
};

} // namespace kiln::api
