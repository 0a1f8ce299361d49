// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sessions for the target "queued", and arrays in its memory.
#pragma once

#include <kiln/kiln.h>

#include "device/queued_device_fixture.h"
#include "support/session.h"

namespace kiln::test {

/// Device memory with elements of one type.
template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(std::vector<T> const& values)
        : count_(values.size()), data_(device().allocate(count_ * sizeof(T), 256, "a test")) {
        device().copy(data_, values.data(), count_ * sizeof(T), target::CopyKind::kHostToDevice,
                      nullptr);
        device().synchronize(nullptr);
    }
    ~DeviceArray() { device().release(data_); }
    DeviceArray(DeviceArray const&) = delete;
    DeviceArray& operator=(DeviceArray const&) = delete;

    void* data() const noexcept { return data_; }
    /// The current values; waits for nothing but the copy.
    std::vector<T> values() const {
        std::vector<T> values(count_);
        target::StreamHandle const stream = device().createStream();
        device().copy(values.data(), data_, count_ * sizeof(T), target::CopyKind::kDeviceToHost,
                      stream);
        device().destroyStream(stream);
        return values;
    }

private:
    static QueuedDevice& device() { return QueuedDevice::instance(); }

    std::size_t count_;
    void* data_;
};

/// Sets the default target "queued" for one test.
class OnDevice : public ::testing::Test {
protected:
    OnDevice() : device(QueuedDevice::instance()), stream(device.createStream()) {
        EXPECT_TRUE(setDefaultTarget("queued"));
        session = std::make_unique<Session>();
    }
    ~OnDevice() override {
        device.breakDevice("");
        running.reset();
        session.reset();
        device.destroyStream(stream);
        setDefaultTarget(nullptr);
    }

    void open() {
        plan = session->build();
        ASSERT_NE(plan, nullptr) << session->log.errors();
        running = std::make_unique<Running>(session->log, *plan);
        ASSERT_NE(running->context, nullptr) << session->log.errors();
        session->log.clear();
    }
    nvinfer1::IExecutionContext& context() { return *running->context; }
    void bind(char const* name, void* data) {
        EXPECT_TRUE(context().setTensorAddress(name, data)) << session->log.errors();
    }
    std::string errors() { return session->log.takeErrors(); }

    QueuedDevice& device;
    target::StreamHandle stream;
    std::unique_ptr<Session> session;
    std::unique_ptr<nvinfer1::IHostMemory> plan;
    std::unique_ptr<Running> running;
};

} // namespace kiln::test
