// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/timed_candidate.h"

namespace kiln::compiler {
namespace {

// What is kept for a rematch holds at most this much memory.
constexpr uint64_t kMostKept = uint64_t{8} << 20;
constexpr int32_t kRounds = 5;
// Rounds end after this time: longer runs vary less.
constexpr double kRoundSeconds = 10e-3;

std::vector<target::ConstantOperand> constantsOf(std::span<target::OperandSpec const> operands,
                                                 bool readsHostMemory) {
    std::vector<target::ConstantOperand> constants;
    for (target::OperandSpec const& operand : operands) {
        constants.push_back(constantOf(operand, readsHostMemory));
    }
    return constants;
}

} // namespace

TimedCandidate::TimedCandidate(Program const& program, target::NodeSpec const& node,
                               KernelChoice& choice)
    : program_(program), inputs_(node.inputs.begin(), node.inputs.end()),
      outputs_(node.outputs.begin(), node.outputs.end()) {
    bool const readsHostMemory = program.backend.readsHostMemory();
    for (target::PackedOperand const& own : program.backend.packs(choice.record)) {
        target::OperandSpec& operand = inputs_.at(own.operand);
        packed_.push_back(
            program.backend.pack(choice.record, own.operand, constantOf(operand, readsHostMemory)));
        choice.packedBytes.push_back(packed_.back().size());
        operand.data = packed_.back();
        operand.type.tag = own.tag;
        choice.record.inputs.at(own.operand).tag = own.tag;
    }
    kernel_ = program.backend.load(choice.record, constantsOf(inputs_, readsHostMemory));
    instance_ = kernel_->instantiate();
    workspaceBytes_ = instance_->workspaceBytes(dimsOf(node.inputs, &target::OperandSpec::max),
                                                dimsOf(node.outputs, &target::OperandSpec::max));
    choice.workspaceBytes = workspaceBytes_;
    if (workspaceBytes_ > program.options.workspaceLimit) {
        fail(ErrorKind::kUnsupported,
             "needs {} bytes of workspace, the limit of the workspace memory pool is {}",
             workspaceBytes_, program.options.workspaceLimit);
    }
}

double TimedCandidate::measure(OperandMemory* shared) {
    timer_.emplace(program_, *instance_, inputs_, outputs_, workspaceBytes_, shared);
    timer_->measure();
    return timer_->seconds();
}

uint64_t TimedCandidate::constantBytes() const {
    uint64_t bytes = kernel_->ownBytes();
    for (Bytes const& packed : packed_) {
        bytes += packed.size();
    }
    return bytes;
}

uint64_t TimedCandidate::ownBytes() const {
    return constantBytes() + (timer_.has_value() ? timer_->ownBytes() : 0);
}

bool TimedCandidate::isKept() const {
    return timer_.has_value() && program_.device->isHost() &&
           constantBytes() + timer_->bytes() < kMostKept;
}

void TimedCandidate::rematch(TimedCandidate& one, TimedCandidate& other) {
    double const seconds = one.seconds() + other.seconds();
    for (int32_t round = 0; round < kRounds && round * seconds < kRoundSeconds; ++round) {
        one.timer_->again();
        other.timer_->again();
    }
}

} // namespace kiln::compiler
