// Ranks of the fake NCCL (fake_nccl.cc) that are processes of one machine: each writes its part of a call
// into a file, waits for the others', and computes all of the call from these files, of which it keeps what
// it gets.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "fake_nccl_calls.h"

namespace pibench::fake {

struct FakeId {
  std::array<char, 128> internal;
};

class ProcessClique {
 public:
  // The identity of a new one: where its files lie.
  static FakeId found() {
    static int number = 0;
    const char* const folder = std::getenv("TMPDIR");
    FakeId id{};
    std::snprintf(id.internal.data(), id.internal.size(), "%s/fake-nccl-%d-%d",
                  folder == nullptr ? "/tmp" : folder, getpid(), ++number);
    const int file = open(id.internal.data(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(file, sizeof(Control)) != 0) std::abort();
    close(file);
    return id;
  }

  ProcessClique(const FakeId& id, int ranks, int rank)
      : base_(id.internal.data()), ranks_(ranks), rank_(rank) {
    const int file = open(base_.c_str(), O_RDWR);
    control_ =
        static_cast<Control*>(mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
    control_->joined.fetch_add(1);
  }
  ~ProcessClique() {
    std::error_code nobody_minds;
    std::filesystem::remove(own(rank_), nobody_minds);
    if (rank_ == 0) std::filesystem::remove(base_, nobody_minds);
    munmap(control_, sizeof(Control));
  }
  ProcessClique(const ProcessClique&) = delete;
  ProcessClique& operator=(const ProcessClique&) = delete;

  // False where not all come in some seconds.
  bool all_joined() {
    constexpr int kTries = 5000;
    for (int i = 0; i < kTries && control_->joined.load() < ranks_; ++i) nap();
    return control_->joined.load() >= ranks_;
  }
  void abort() { control_->aborted.store(true); }

  void take_part(long number, const Call& call) {
    write(call);
    if (!meet(control_->written, number)) return;
    std::vector<Part> parts;
    parts.reserve(static_cast<std::size_t>(ranks_));
    for (int rank = 0; rank < ranks_; ++rank) parts.push_back(read(rank, call));
    std::vector<const Call*> calls;
    calls.reserve(parts.size());
    for (const Part& part : parts) calls.push_back(&part.call);
    compute(calls);
    meet(control_->read, number);
  }

 private:
  // In zeroes, as a new file is.
  struct Control {
    std::atomic<long> joined, written, read;
    std::atomic<bool> aborted;
  };
  struct Line {
    Kind kind;
    std::size_t count;
    int type, op, root;
    std::size_t given, transfers;
  };
  struct Sent {
    bool is_send;
    std::size_t bytes;
    int peer;
  };
  // A call as its rank's file has it; the own one gets its results where it was asked to.
  struct Part {
    Call call;
    std::vector<std::byte> given, gotten;
    std::vector<std::vector<std::byte>> moved;
  };

  static void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
  [[nodiscard]] std::string own(int rank) const { return base_ + "-" + std::to_string(rank); }

  bool meet(std::atomic<long>& count, long number) {
    count.fetch_add(1);
    const long all = (number + 1) * ranks_;
    for (int i = 0; count.load() < all && !control_->aborted.load(); ++i) {
      if (i > 1000) nap();
      std::this_thread::yield();
    }
    return count.load() >= all;
  }

  [[nodiscard]] std::size_t given_of(const Call& call) const {
    if (call.kind == Kind::exchange || (call.kind == Kind::broadcast && call.root != rank_)) return 0;
    const std::size_t blocks = call.kind == Kind::reduce_scatter ? static_cast<std::size_t>(ranks_) : 1;
    return call.count * kBytes[call.type] * blocks;
  }

  void write(const Call& call) const {
    std::ofstream file(own(rank_), std::ios::binary | std::ios::trunc);
    const auto put = [&file](const void* at, std::size_t bytes) {
      file.write(static_cast<const char*>(at), static_cast<std::streamsize>(bytes));
    };
    const Line line{call.kind,      call.count,           call.type, call.op, call.root,
                    given_of(call), call.transfers.size()};
    put(&line, sizeof line);
    put(call.send, line.given);
    for (const Transfer& transfer : call.transfers) {
      const Sent sent{transfer.is_send, transfer.bytes, transfer.peer};
      put(&sent, sizeof sent);
      if (transfer.is_send) put(transfer.at, transfer.bytes);
    }
  }

  [[nodiscard]] Part read(int rank, const Call& own_call) const {
    std::ifstream file(own(rank), std::ios::binary);
    const auto get = [&file](void* into, std::size_t bytes) {
      file.read(static_cast<char*>(into), static_cast<std::streamsize>(bytes));
    };
    Line line{};
    get(&line, sizeof line);
    Part part;
    part.given.resize(line.given);
    get(part.given.data(), line.given);
    part.gotten.resize(line.count * kBytes[line.type] * static_cast<std::size_t>(ranks_) + 1);
    part.call = {line.kind, part.given.data(), part.gotten.data(), line.count,
                 line.type, line.op,           line.root,          {}};
    for (std::size_t i = 0; i < line.transfers; ++i) {
      Sent sent{};
      get(&sent, sizeof sent);
      part.moved.emplace_back(sent.bytes);
      if (sent.is_send) get(part.moved.back().data(), sent.bytes);
      part.call.transfers.push_back({sent.is_send, part.moved.back().data(), sent.bytes, sent.peer});
    }
    if (rank != rank_) return part;
    part.call.receive = own_call.receive;
    for (std::size_t i = 0; i < own_call.transfers.size(); ++i) {
      if (!own_call.transfers[i].is_send) part.call.transfers[i].at = own_call.transfers[i].at;
    }
    return part;
  }

  std::string base_;
  int ranks_, rank_;
  Control* control_;
};

}  // namespace pibench::fake
