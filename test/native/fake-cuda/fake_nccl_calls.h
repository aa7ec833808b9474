// What the calls of the fake NCCL (fake_nccl.cc) compute, once those of all ranks are there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "settings.h"

namespace pibench::fake {

inline constexpr int kTypes = 10;
// Of float16 there is no fake.
inline constexpr std::size_t kBytes[kTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

enum class Kind : std::uint8_t { all_reduce, reduce, broadcast, all_gather, reduce_scatter, exchange };

struct Transfer {
  bool is_send;
  std::byte* at;
  std::size_t bytes;
  int peer;
};
struct Call {
  Kind kind;
  const std::byte* send;
  std::byte* receive;
  std::size_t count;
  int type, op, root;
  std::vector<Transfer> transfers;
};

template <typename T>
T combined(T a, T b, int op) {
  switch (op) {
    case 1:
      return static_cast<T>(a * b);
    case 2:
      return std::max(a, b);
    case 3:
      return std::min(a, b);
    default:
      return static_cast<T>(a + b);
  }
}

inline float widened(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16U;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}
// Of values that need no rounding.
inline std::uint16_t narrowed(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16U);
}

template <typename T>
void reduce_as(const std::vector<const std::byte*>& inputs, std::byte* output, std::size_t count, int op) {
  for (std::size_t i = 0; i < count; ++i) {
    T sum{};
    std::memcpy(&sum, inputs[0] + i * sizeof(T), sizeof(T));
    for (std::size_t k = 1; k < inputs.size(); ++k) {
      T next{};
      std::memcpy(&next, inputs[k] + i * sizeof(T), sizeof(T));
      sum = combined(sum, next, op);
    }
    if (op == 4) sum = static_cast<T>(sum / static_cast<T>(inputs.size()));
    std::memcpy(output + i * sizeof(T), &sum, sizeof(T));
  }
}

inline void reduce_bfloat16(const std::vector<const std::byte*>& inputs, std::byte* output, std::size_t count,
                            int op) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = [&](const std::byte* input) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, input + i * sizeof bits, sizeof bits);
      return widened(bits);
    };
    float sum = element(inputs[0]);
    for (std::size_t k = 1; k < inputs.size(); ++k) sum = combined(sum, element(inputs[k]), op);
    if (op == 4) sum /= static_cast<float>(inputs.size());
    const std::uint16_t bits = narrowed(sum);
    std::memcpy(output + i * sizeof bits, &bits, sizeof bits);
  }
}

inline void reduce(const std::vector<const std::byte*>& inputs, std::byte* output, std::size_t count,
                   int type, int op) {
  switch (type) {
    case 0:
      return reduce_as<std::int8_t>(inputs, output, count, op);
    case 1:
      return reduce_as<std::uint8_t>(inputs, output, count, op);
    case 2:
      return reduce_as<std::int32_t>(inputs, output, count, op);
    case 3:
      return reduce_as<std::uint32_t>(inputs, output, count, op);
    case 4:
      return reduce_as<std::int64_t>(inputs, output, count, op);
    case 5:
      return reduce_as<std::uint64_t>(inputs, output, count, op);
    case 7:
      return reduce_as<float>(inputs, output, count, op);
    case 8:
      return reduce_as<double>(inputs, output, count, op);
    default:
      return reduce_bfloat16(inputs, output, count, op);
  }
}

// What a rank sends to one peer, in order, is what that peer receives from it, in order.
inline void exchange(const std::vector<const Call*>& calls) {
  for (std::size_t to = 0; to < calls.size(); ++to) {
    for (std::size_t from = 0; from < calls.size(); ++from) {
      const auto of = [](const Call& call, bool send, std::size_t peer) {
        std::vector<const Transfer*> found;
        for (const Transfer& transfer : call.transfers) {
          if (transfer.is_send == send && transfer.peer == static_cast<int>(peer)) found.push_back(&transfer);
        }
        return found;
      };
      const auto sends = of(*calls[from], true, to);
      const auto receives = of(*calls[to], false, from);
      for (std::size_t i = 0; i < std::min(sends.size(), receives.size()); ++i)
        std::memmove(receives[i]->at, sends[i]->at, receives[i]->bytes);
    }
  }
}

// Inputs are copied first: in place a rank's output is its input.
inline void compute(const std::vector<const Call*>& calls) {
  const Call& first = *calls.front();
  if (first.kind == Kind::exchange) return exchange(calls);
  const std::size_t n = calls.size();
  const std::size_t block = first.count * kBytes[first.type];
  const std::size_t given = block * (first.kind == Kind::reduce_scatter ? n : 1);
  std::vector<std::vector<std::byte>> copies;
  for (const Call* call : calls) {
    const bool gives = first.kind != Kind::broadcast || call == calls[static_cast<std::size_t>(first.root)];
    copies.emplace_back(call->send, call->send + (gives ? given : 0));
  }
  std::vector<const std::byte*> inputs(n);
  for (std::size_t rank = 0; rank < n; ++rank) {
    std::byte* const out = calls[rank]->receive;
    const bool is_root = rank == static_cast<std::size_t>(first.root);
    for (std::size_t k = 0; k < n; ++k)
      inputs[k] = copies[k].data() + (first.kind == Kind::reduce_scatter ? rank * block : 0);
    if (first.kind == Kind::broadcast) {
      std::memcpy(out, copies[static_cast<std::size_t>(first.root)].data(), block);
    } else if (first.kind == Kind::all_gather) {
      for (std::size_t k = 0; k < n; ++k) std::memcpy(out + k * block, copies[k].data(), block);
    } else if (first.kind != Kind::reduce || is_root) {
      reduce(inputs, out, first.count, first.type, first.op);
    }
  }
  if (setting("nccl-wrong", 0) != 0) calls.front()->receive[0] ^= std::byte{1};
}

}  // namespace pibench::fake
