// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/device.h"
#include "target/handles.h"

namespace kiln::compiler {

/// Stream and two events of the target.
class Stopwatch {
public:
    explicit Stopwatch(target::Device& device)
        : device_(device), stream_(device, device.createStream()), start_(device), stop_(device) {}

    target::StreamHandle stream() const noexcept { return stream_.get(); }

    template <typename Work>
    double measureMs(Work&& work) {
        device_.record(start_.get(), stream());
        work();
        device_.record(stop_.get(), stream());
        device_.synchronize(stream());
        return device_.elapsedMs(start_.get(), stop_.get());
    }

    target::Device& device() const noexcept { return device_; }

private:
    target::Device& device_;
    target::OwnedStream stream_;
    target::OwnedEvent start_;
    target::OwnedEvent stop_;
};

/// Work that ran before, as a graph, if the target can record it.
class RecordedGraph {
public:
    template <typename Work>
    RecordedGraph(Stopwatch& watch, Work&& work) : watch_(watch) {
        try {
            device().beginCapture(watch.stream());
        } catch (Error const&) {
            return;
        }
        bool usable = true;
        try {
            work();
        } catch (Error const&) {
            usable = false; // the capture must end all the same
        }
        try {
            graph_ = device().endCapture(watch.stream());
        } catch (Error const&) {
            return;
        }
        if (!usable) {
            device().destroyGraph(graph_);
            graph_ = nullptr;
        }
    }
    ~RecordedGraph() {
        if (graph_ != nullptr) {
            device().destroyGraph(graph_);
        }
    }
    RecordedGraph(RecordedGraph const&) = delete;
    RecordedGraph& operator=(RecordedGraph const&) = delete;

    bool runs() const noexcept { return graph_ != nullptr; }
    void launch() const { device().launchGraph(graph_, watch_.stream()); }

private:
    target::Device& device() const { return watch_.device(); }

    Stopwatch& watch_;
    target::GraphHandle graph_ = nullptr;
};

} // namespace kiln::compiler
