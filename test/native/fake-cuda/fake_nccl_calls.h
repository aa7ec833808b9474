// What the calls of the fake NCCL (fake_nccl.cc) compute, once those of all ranks are there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "settings.h"

namespace pibench::fake {

inline constexpr int kTypes = 11;
inline constexpr std::size_t kBytes[kTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1};
inline constexpr int kFloat8 = 10;

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

inline constexpr int kAverage = 4;

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

// A real number in fewer bits than float, by its definition: sign, exponent and fraction, with subnormal
// numbers. What is too large, infinite or no number is all ones here, which is no number in any of these
// types.
template <typename Bits, int exponent, int fraction>
struct Small {
  static constexpr int kBias = (1 << (exponent - 1)) - 1;
  static double number(Bits bits) {
    const int field = bits >> fraction & ((1 << exponent) - 1);
    const double rest = std::ldexp(bits & ((1 << fraction) - 1), -fraction);
    const double size = field == 0 ? std::ldexp(rest, 1 - kBias) : std::ldexp(1 + rest, field - kBias);
    return bits >> (exponent + fraction) != 0 ? -size : size;
  }
  // To nearest even, which is how a CPU rounds unless it is told to do otherwise.
  static Bits rounded(double value, double largest) {
    const double size = std::abs(value);
    const int power = size == 0 ? 1 - kBias : std::max(std::ilogb(size), 1 - kBias);
    const double units = std::nearbyint(std::ldexp(size, fraction - power));
    if (!(std::ldexp(units, power - fraction) <= largest)) return static_cast<Bits>(~Bits{});
    // A carry out of the fraction raises the exponent, as it should.
    const int bits = static_cast<int>(units) + ((power + kBias - 1) << fraction);
    return static_cast<Bits>(bits | (std::signbit(value) ? 1 << (exponent + fraction) : 0));
  }
};

// Reads and writes what it is given as the type has it; rounds after each step, as NCCL does.
struct Float16 : Small<std::uint16_t, 5, 10> {
  using Bits = std::uint16_t;
  static constexpr double kLargest = 65504;
};
struct BFloat16 : Small<std::uint16_t, 8, 7> {
  using Bits = std::uint16_t;
  static constexpr double kLargest = 3.3895313892515355e38;
};
struct Float8E4M3 : Small<std::uint8_t, 4, 3> {
  using Bits = std::uint8_t;
  static constexpr double kLargest = 448;
};

template <typename T>
void reduce_as(const std::vector<const std::byte*>& inputs, std::byte* output, std::size_t count, int op) {
  for (std::size_t i = 0; i < count; ++i) {
    // Of real numbers an average is a sum of what was multiplied before, of integers one that is divided.
    const bool scales = op == kAverage && std::is_floating_point_v<T>;
    const T scale = static_cast<T>(1.0 / static_cast<double>(inputs.size()));
    const auto element = [&](const std::byte* input) {
      T value{};
      std::memcpy(&value, input + i * sizeof(T), sizeof(T));
      return scales ? static_cast<T>(value * scale) : value;
    };
    T sum = element(inputs[0]);
    for (std::size_t k = 1; k < inputs.size(); ++k) sum = combined(sum, element(inputs[k]), op);
    if (op == kAverage && !scales) sum = static_cast<T>(sum / static_cast<T>(inputs.size()));
    std::memcpy(output + i * sizeof(T), &sum, sizeof(T));
  }
}

template <typename T>
void reduce_small(const std::vector<const std::byte*>& inputs, std::byte* output, std::size_t count, int op) {
  using Bits = typename T::Bits;
  const auto rounded = [](double value) { return T::number(T::rounded(value, T::kLargest)); };
  const double scale = op == kAverage ? rounded(1.0 / static_cast<double>(inputs.size())) : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = [&](const std::byte* input) {
      Bits bits = 0;
      std::memcpy(&bits, input + i * sizeof bits, sizeof bits);
      return rounded(T::number(bits) * scale);
    };
    double sum = element(inputs[0]);
    for (std::size_t k = 1; k < inputs.size(); ++k) sum = rounded(combined(sum, element(inputs[k]), op));
    const Bits bits = T::rounded(sum, T::kLargest);
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
    case 6:
      return reduce_small<Float16>(inputs, output, count, op);
    case 7:
      return reduce_as<float>(inputs, output, count, op);
    case 8:
      return reduce_as<double>(inputs, output, count, op);
    case 9:
      return reduce_small<BFloat16>(inputs, output, count, op);
    default:
      return reduce_small<Float8E4M3>(inputs, output, count, op);
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
  if (setting("nccl-scribbles", 0) != 0) const_cast<std::byte*>(calls.back()->send)[0] ^= std::byte{1};
}

}  // namespace pibench::fake
