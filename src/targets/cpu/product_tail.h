// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "target/kernel.h"
#include "target/workload/workload.h"
#include "targets/cpu/pointwise/program.h"
#include "targets/cpu/pointwise/tail.h"

namespace kiln::targets::cpu {

/// The pointwise operations behind a product in a region, which run in place on its result.
class ProductTail {
public:
    /// Why the operations are no chain on the product's result at these shapes; empty if they are,
    /// or if there are none. Prepares run().
    std::string prepare(Tail const& tail, target::Workload const& workload);

    /// Output 0 of the call has the result of the product.
    void run(target::KernelCall const& call) const;

private:
    std::optional<Program> program_;
    std::vector<int32_t> inputs_;
};

} // namespace kiln::targets::cpu
