// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reads damaged plans, as they are and with corrected hashes, and uses all contents of those that
// pass.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fuzz/fuzz_target.h"
#include "plan/plan_fixture.h"
#include "plan/reader.h"
#include "plan/writer.h"

namespace {

using namespace kiln;

/// Arbitrary values: expressions must give a number or an Error for them.
class SomeValues final : public graph::LeafValues {
public:
    int64_t leaf(graph::ExprNode const& node) const override { return node.b - 1; }
};

void expect(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void useDocument(plan::Document const& document, ByteView bytes) {
    std::vector<int64_t> values(document.exprs.size());
    try {
        graph::evaluate(document.exprs, SomeValues(), values);
    } catch (Error const&) {
        std::fill(values.begin(), values.end(), 0);
    }
    for (plan::TensorRecord const& tensor : document.tensors) {
        expect(graph::dimsFrom(tensor.shape, values).nbDims == tensor.shape.rank);
        expect(tensor.data.empty() ||
               (tensor.data.data() >= bytes.data() &&
                tensor.data.data() + tensor.data.size() <= bytes.data() + bytes.size()));
    }
    for (plan::WeightRecord const& weight : document.weights) {
        expect(weight.data.empty() ||
               (weight.data.data() >= bytes.data() &&
                weight.data.data() + weight.data.size() <= bytes.data() + bytes.size()));
        for (plan::WeightOperand const& operand : weight.operands) {
            expect(&document.weights[operand.weight] < &weight);
        }
    }
    for (plan::SourceRecord const& source : document.sources) {
        expect(!source.text.empty() && source.text.data() >= bytes.data() &&
               source.text.data() + source.text.size() <= bytes.data() + bytes.size());
    }
    for (plan::LibraryRecord const& library : document.libraries) {
        expect(!library.data.empty() && library.data.data() >= bytes.data() &&
               library.data.data() + library.data.size() <= bytes.data() + bytes.size());
    }
    for (plan::StepRecord const& step : document.steps) {
        for (plan::TensorId const index : step.inputs) {
            expect(document.tensors.has(index) || (index == plan::kAbsent && step.plugin.isNone()));
        }
        expect(!step.outputs.empty() || step.control.has_value());
        if (step.control.has_value()) {
            auto const at = static_cast<std::size_t>(&step - document.steps.data());
            expect(at + 1 + step.control->steps() <= document.steps.size());
            plan::TensorId const decider = step.control->decider;
            expect(decider.isNone()
                       ? static_cast<std::size_t>(step.control->value) < document.exprs.size()
                       : document.tensors.has(decider));
            for (plan::Body const& body : step.control->bodies) {
                expect(body.outputs.size() == step.outputs.size());
                for (plan::TensorId const index : body.outputs) {
                    expect(document.tensors.has(index));
                }
            }
        }
        expect(step.plugin == plan::PluginIndex() || document.plugins.has(step.plugin));
    }
}

void readOnce(ByteView bytes) {
    try {
        useDocument(plan::read(bytes), bytes);
    } catch (Error const& error) {
        expect(error.kind() == ErrorKind::kCorruptData || error.kind() == ErrorKind::kUnsupported);
        expect(std::strncmp(error.what(), "[plan] ", 7) == 0);
    }
    try {
        plan::checkSections(bytes);
    } catch (Error const&) {
        return;
    }
}

} // namespace

std::vector<std::vector<std::byte>> fuzzSeeds() {
    return {plan::write(plan::testing::richDocument()), plan::write(plan::testing::smallDocument()),
            plan::write(plan::testing::controlDocument())};
}

// The factor covers records that are larger in memory than in the file; the constant covers error
// messages and the C++ runtime.
std::size_t fuzzAllocationLimit(std::size_t inputBytes) {
    return (std::size_t{1} << 16) + 128 * inputBytes;
}

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, std::size_t size) {
    ByteView const bytes = std::as_bytes(std::span(data, size));
    readOnce(bytes);
    Bytes mended(bytes.begin(), bytes.end());
    plan::testing::rehash(mended);
    readOnce(mended);
    return 0;
}
