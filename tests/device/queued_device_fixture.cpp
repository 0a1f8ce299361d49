// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "device/queued_device_fixture.h"

#include <chrono>
#include <memory>
#include <utility>

#include <sys/mman.h>

#include "base/checked.h"
#include "base/error.h"
#include "target/backend_registry.h"

namespace kiln::test {
namespace {

using target::StreamHandle;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPage = 4096;
thread_local bool entered = false;

struct Event {
    Clock::time_point time{};
    bool passed = true;
    QueuedStream* stream = nullptr;
};

Event* eventOf(target::EventHandle event) {
    return reinterpret_cast<Event*>(event);
}

target::Backend& cpu() {
    return target::BackendRegistry::instance().open("cpu");
}

/// A kernel of the cpu target whose launches are queued on a stream.
class QueuedInstance final : public target::KernelInstance {
public:
    explicit QueuedInstance(std::unique_ptr<KernelInstance> inner) : inner_(std::move(inner)) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        inner_->reshape(inputs, outputs);
        absent_.clear();
        for (Dims const& dims : inputs) {
            absent_.push_back(dims.nbDims < 0);
        }
        outputs_ = outputs.size();
    }
    target::Launch launch() override {
        inside_ = inner_->launch();
        return {&run, this};
    }
    std::size_t workspaceBytes(std::span<Dims const> inputs,
                               std::span<Dims const> outputs) const override {
        return inner_->workspaceBytes(inputs, outputs);
    }
    bool faulted() const noexcept override { return !fault_.empty(); }
    std::string failureText() const override {
        std::string const fault = std::exchange(fault_, {});
        return fault.empty() ? failure_ : fault;
    }

private:
    static int32_t run(void* state, target::KernelCall const& call, StreamHandle stream) noexcept {
        auto& self = *static_cast<QueuedInstance*>(state);
        QueuedDevice& device = QueuedDevice::instance();
        self.failure_ = !device.threadEntered() ? "the thread has not entered the device"
                        : device.isBroken()     ? "the device is lost"
                                                : "";
        if (self.faulted() || !self.failure_.empty()) {
            return 1;
        }
        std::vector<void const*> inputs(call.inputs, call.inputs + self.absent_.size());
        std::vector<void*> outputs(call.outputs, call.outputs + self.outputs_);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            self.check(inputs[i], self.absent_[i]);
        }
        for (void const* pointer : outputs) {
            self.check(pointer, false);
        }
        if (!self.failure_.empty()) {
            return 1;
        }
        device.push(stream, [&self, inputs, outputs, workspace = call.workspace] {
            target::KernelCall const inside{inputs.data(), outputs.data(), workspace};
            self.inside_.run(self.inside_.state, inside, nullptr);
            self.fault_ = std::exchange(QueuedDevice::instance().fault, {});
        });
        return 0;
    }

    void check(void const* pointer, bool absent) {
        if (absent && pointer != nullptr) {
            failure_ = "an absent operand has an address";
        } else if (!absent && !QueuedDevice::instance().ownsMemory(pointer)) {
            failure_ = "an operand is in host memory";
        }
    }

    std::unique_ptr<KernelInstance> inner_;
    target::Launch inside_;
    std::vector<bool> absent_; ///< by input
    std::size_t outputs_ = 0;
    std::string failure_;
    mutable std::string fault_;
};

class QueuedKernel final : public target::Kernel {
public:
    explicit QueuedKernel(std::unique_ptr<Kernel> inner) : inner_(std::move(inner)) {}
    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<QueuedInstance>(inner_->instantiate());
    }

private:
    std::unique_ptr<Kernel> inner_;
};

class QueuedBackend final : public target::Backend {
public:
    using target::Backend::device;

    std::string_view name() const override { return "queued"; }
    target::Device* device(int32_t) override { return &QueuedDevice::instance(); }
    bool readsHostMemory() const override { return false; }
    std::string planArchitecture() const override { return "queue-1"; }
    std::vector<target::Candidate> candidates(target::NodeSpec const& node) const override {
        return cpu().candidates(node);
    }
    std::unique_ptr<target::Kernel> load(
        target::KernelRecord const& record,
        std::span<target::ConstantOperand const> constants) const override {
        return QueuedDevice::instance().load(record, constants);
    }
    std::string launchProblem(target::UserLaunch const&) const override { return {}; }
};

} // namespace

QueuedDevice& QueuedDevice::instance() {
    static auto& device = []() -> QueuedDevice& {
        target::BackendRegistry::instance().add(
            "queued", [](target::Target const&) { return std::make_unique<QueuedBackend>(); });
        return *new QueuedDevice; // never destroyed: engines may outlive static objects
    }();
    return device;
}

target::DeviceProperties QueuedDevice::properties() const {
    return {"Queue", "queue-1", std::size_t{1} << 30, "driver 1.0"};
}

target::ThreadState QueuedDevice::enterThread() {
    return {nullptr, !std::exchange(entered, true)};
}

void QueuedDevice::leaveThread(target::ThreadState) noexcept {
    entered = false;
}

bool QueuedDevice::threadEntered() const {
    return entered;
}

void* QueuedDevice::allocate(std::size_t bytes, std::size_t, std::string_view what) {
    std::lock_guard const lock(mutex_);
    if (bytes > room) {
        fail(ErrorKind::kOutOfMemory, "[queued] cannot allocate {} bytes for {}: {} bytes are free",
             bytes, what, room);
    }
    std::size_t const whole = roundUp(std::max<std::size_t>(bytes, 1), kPage);
    void* const memory = mmap(nullptr, whole, depth_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    blocks_.emplace(static_cast<std::byte*>(memory), whole);
    return memory;
}

void QueuedDevice::release(void* memory) noexcept {
    std::lock_guard const lock(mutex_);
    auto const found = blocks_.find(static_cast<std::byte*>(memory));
    munmap(memory, found->second);
    blocks_.erase(found);
}

void* QueuedDevice::allocateHost(std::size_t bytes) {
    std::lock_guard const lock(mutex_);
    return *pinned_.insert(cpu().device()->allocateHost(bytes)).first;
}

void QueuedDevice::releaseHost(void* memory) noexcept {
    std::lock_guard const lock(mutex_);
    pinned_.erase(memory);
    cpu().device()->releaseHost(memory);
}

void QueuedDevice::copy(void* to, void const* from, std::size_t bytes, target::CopyKind kind,
                        StreamHandle stream) {
    std::lock_guard const lock(mutex_);
    auto const isPinned = [&](void const* memory) {
        return pinned_.count(const_cast<void*>(memory)) != 0;
    };
    if (kind == target::CopyKind::kHostToDevice && !isPinned(from)) {
        auto const* const first = static_cast<std::byte const*>(from);
        push(stream, [to, staged = std::vector<std::byte>(first, first + bytes)] {
            std::memcpy(to, staged.data(), staged.size());
        });
        return;
    }
    push(stream, [=] { std::memmove(to, from, bytes); });
    if (kind == target::CopyKind::kDeviceToHost && !isPinned(to)) {
        synchronize(stream);
    }
}

void QueuedDevice::fill(void* memory, uint8_t value, std::size_t bytes, StreamHandle stream) {
    push(stream, [=] { std::memset(memory, value, bytes); });
}

bool QueuedDevice::ownsMemory(void const* pointer) const {
    std::lock_guard const lock(mutex_);
    auto* const address = static_cast<std::byte*>(const_cast<void*>(pointer));
    auto const after = blocks_.upper_bound(address);
    return after != blocks_.begin() && address < std::prev(after)->first + std::prev(after)->second;
}

std::string QueuedDevice::pointerProblem(void const* pointer) const {
    ++const_cast<QueuedDevice*>(this)->asked;
    return ownsMemory(pointer) ? "" : "expected memory of the device, got host memory";
}

std::string QueuedDevice::hostPointerProblem(void const* pointer) const {
    return ownsMemory(pointer) ? "expected host memory, got memory of the device" : "";
}

StreamHandle QueuedDevice::createStream() {
    return reinterpret_cast<StreamHandle>(new QueuedStream);
}

void QueuedDevice::destroyStream(StreamHandle stream) noexcept {
    delete &streamOf(stream);
}

QueuedStream& QueuedDevice::streamOf(StreamHandle stream) const {
    return stream == nullptr ? null_ : *reinterpret_cast<QueuedStream*>(stream);
}

void QueuedDevice::setReach(int protection) {
    for (auto const& [memory, bytes] : blocks_) {
        mprotect(memory, bytes, protection);
    }
}

void QueuedDevice::drain(QueuedStream& stream) {
    while (!stream.work.empty()) {
        doOne(stream);
    }
}

void QueuedDevice::doOne(QueuedStream& stream) {
    if (depth_++ == 0) {
        setReach(PROT_READ | PROT_WRITE);
    }
    std::function<void()> const work = std::move(stream.work.front());
    stream.work.pop_front();
    work();
    if (--depth_ == 0) {
        setReach(PROT_NONE);
    }
}

void QueuedDevice::doOne(StreamHandle stream) {
    std::lock_guard const lock(mutex_);
    doOne(streamOf(stream));
}

bool QueuedDevice::hasPassed(target::EventHandle event) {
    return eventOf(event)->passed;
}

void QueuedDevice::synchronize(StreamHandle stream) {
    std::lock_guard const lock(mutex_);
    ++waits;
    if (streamOf(stream).capture == target::Capture::kActive) {
        streamOf(stream).capture = target::Capture::kInvalidated;
        fail(ErrorKind::kDevice, "[queued] wait for a stream: it is being captured.");
    }
    drain(streamOf(stream));
    if (isBroken()) {
        fail(ErrorKind::kDevice, "[queued] wait for a stream: {}", broken_);
    }
}

std::string QueuedDevice::knownFailure(StreamHandle) const {
    return isBroken() ? "[queued] " + broken_ : std::string();
}

target::Capture QueuedDevice::capture(StreamHandle stream) const {
    ++const_cast<QueuedDevice*>(this)->captureQuestions;
    return streamOf(stream).capture;
}

void QueuedDevice::setCapture(StreamHandle stream, target::Capture state) {
    streamOf(stream).capture = state;
}

target::EventHandle QueuedDevice::createEvent() {
    return reinterpret_cast<target::EventHandle>(new Event);
}

void QueuedDevice::destroyEvent(target::EventHandle event) noexcept {
    delete eventOf(event);
}

void QueuedDevice::record(target::EventHandle event, StreamHandle stream) {
    std::lock_guard const lock(mutex_);
    Event& recorded = *eventOf(event);
    recorded.passed = false;
    recorded.stream = &streamOf(stream);
    push(stream, [&recorded] {
        recorded.time = Clock::now();
        recorded.passed = true;
    });
}

void QueuedDevice::synchronizeEvent(target::EventHandle event) {
    std::lock_guard const lock(mutex_);
    ++waits;
    if (!eventOf(event)->passed) {
        drain(*eventOf(event)->stream);
    }
}

void QueuedDevice::wait(StreamHandle stream, target::EventHandle event) {
    push(stream, [this, event] { synchronizeEvent(event); });
}

float QueuedDevice::elapsedMs(target::EventHandle start, target::EventHandle stop) {
    return std::chrono::duration<float, std::milli>(eventOf(stop)->time - eventOf(start)->time)
        .count();
}

void QueuedDevice::push(StreamHandle stream, std::function<void()> work) {
    std::lock_guard const lock(mutex_);
    streamOf(stream).work.push_back(std::move(work));
}

std::size_t QueuedDevice::waiting(StreamHandle stream) const {
    std::lock_guard const lock(mutex_);
    return streamOf(stream).work.size();
}

std::unique_ptr<target::Kernel> QueuedDevice::load(
    target::KernelRecord const& record, std::span<target::ConstantOperand const> constants) const {
    std::vector<target::ConstantOperand> onHost(constants.begin(), constants.end());
    for (target::ConstantOperand& operand : onHost) {
        operand.device = operand.host;
    }
    return std::make_unique<QueuedKernel>(cpu().load(record, onHost));
}

std::string QueuedDevice::codeProblem(CodeKind, std::string_view architecture, int32_t) const {
    return fmt::format("it is for {}, this is a queue", architecture);
}

std::unique_ptr<target::UserKernel> QueuedDevice::loadUserKernel(target::UserKernelSpec const&,
                                                                 HandOver const&) const {
    fail(ErrorKind::kUnsupported, "the queue runs no kernels of users");
}

} // namespace kiln::test
