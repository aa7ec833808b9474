// Packing for any element type and unit, compiled for the baseline CPU. Instruction sets that can do better
// bring their own.
#include "packing.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace pibench::kernels {
namespace {

struct Bfloat16 {
  std::uint16_t bits;
};

template <typename Packed, typename Source>
Packed convert(Source value) noexcept {
  if constexpr (std::is_same_v<Source, Bfloat16>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
  } else {
    return static_cast<Packed>(value);
  }
}

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Where element p of lane i stands.
template <int unit>
constexpr std::int64_t place(std::int64_t i, std::int64_t p, std::int64_t width) {
  return p / unit * width * unit + i * unit + p % unit;
}

// So many packed elements at a time as one register holds on every CPU, 128 bits, and no more than four:
// beyond that the compiler goes through memory, which makes packing doubles many times as slow.
template <typename Packed>
constexpr std::int64_t kStep = sizeof(Packed) <= 4 ? 4 : 2;

template <typename Packed>
struct Group {
  using Type __attribute__((vector_size(kStep<Packed> * sizeof(Packed)))) = Packed;
};

template <typename Packed, typename Source>
inline void load(const Source* from, typename Group<Packed>::Type& group) noexcept {
  if constexpr (std::is_same_v<Source, Packed>) {
    std::memcpy(&group, from, sizeof(group));
  } else {
    group = typename Group<Packed>::Type{};  // at -O2 the compiler sees a read of what was not written
    for (int i = 0; i < kStep<Packed>; ++i) group[i] = convert<Packed>(from[i]);
  }
}

// Columns of a square block whose rows are `ld` apart -> rows that are `step` apart.
template <typename Source, typename Packed>
inline void transpose_block(const Source* from, std::int64_t ld, Packed* to, std::int64_t step) noexcept {
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
  typename Group<Packed>::Type r0;
  typename Group<Packed>::Type r1;
  load<Packed>(from, r0);
  load<Packed>(from + ld, r1);
  if constexpr (kStep<Packed> == 2) {
    const auto c0 = __builtin_shufflevector(r0, r1, 0, 2);
    const auto c1 = __builtin_shufflevector(r0, r1, 1, 3);
    std::memcpy(to, &c0, sizeof(c0));
    std::memcpy(to + step, &c1, sizeof(c1));
  } else {
    typename Group<Packed>::Type r2;
    typename Group<Packed>::Type r3;
    load<Packed>(from + 2 * ld, r2);
    load<Packed>(from + 3 * ld, r3);
    const auto low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
    const auto low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    const auto high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    const auto high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    const auto c0 = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    const auto c1 = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    const auto c2 = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    const auto c3 = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
    std::memcpy(to, &c0, sizeof(c0));
    std::memcpy(to + step, &c1, sizeof(c1));
    std::memcpy(to + 2 * step, &c2, sizeof(c2));
    std::memcpy(to + 3 * step, &c3, sizeof(c3));
  }
#else
  for (std::int64_t p = 0; p < kStep<Packed>; ++p) {
    for (std::int64_t i = 0; i < kStep<Packed>; ++i) to[p * step + i] = convert<Packed>(from[i * ld + p]);
  }
#endif
}

// Zeros in the lanes beyond `lanes` and in the depth beyond `depth`.
template <typename Packed, int unit, int multiple>
void fill_up(std::int64_t lanes, std::int64_t depth, std::int64_t width, Packed* to) noexcept {
  const std::int64_t whole = round_up(depth, multiple);
  for (std::int64_t p = 0; p < whole; ++p) {
    for (std::int64_t i = p < depth ? lanes : 0; i < width; ++i) to[place<unit>(i, p, width)] = Packed{};
  }
}

// Transposes. So few rows at a time are few enough streams for the prefetchers; what is left below is done
// element by element.
template <typename Source, typename Packed, int unit, int multiple>
void pack_along_depth(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                      std::int64_t width, void* packed) noexcept {
  const auto* from = static_cast<const Source*>(source);
  auto* to = static_cast<Packed*>(packed);
  constexpr std::int64_t kBlock = kStep<Packed>;
  const bool in_blocks = unit == 1;
  const std::int64_t block_lanes = in_blocks ? lanes / kBlock * kBlock : 0;
  const std::int64_t block_depth = depth / kBlock * kBlock;
  for (std::int64_t i = 0; i < block_lanes; i += kBlock) {
    for (std::int64_t p = 0; p < block_depth; p += kBlock) {
      transpose_block<Source, Packed>(from + i * ld + p, ld, to + p * width + i, width);
    }
    for (std::int64_t p = block_depth; p < depth; ++p) {
      for (std::int64_t r = i; r < i + kBlock; ++r) to[p * width + r] = convert<Packed>(from[r * ld + p]);
    }
  }
  for (std::int64_t i = block_lanes; i < lanes; ++i) {
    for (std::int64_t p = 0; p < depth; ++p) {
      to[place<unit>(i, p, width)] = convert<Packed>(from[i * ld + p]);
    }
  }
  fill_up<Packed, unit, multiple>(lanes, depth, width, to);
}

template <typename Source, typename Packed, int unit, int multiple>
void pack_along_lanes(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                      std::int64_t width, void* packed) noexcept {
  const auto* from = static_cast<const Source*>(source);
  auto* to = static_cast<Packed*>(packed);
  constexpr std::int64_t kGroup = kStep<Packed>;
  const std::int64_t vector_lanes = unit == 1 ? lanes / kGroup * kGroup : 0;
  for (std::int64_t p = 0; p < depth; ++p) {
    for (std::int64_t i = 0; i < vector_lanes; i += kGroup) {
      typename Group<Packed>::Type group;
      load<Packed>(from + i, group);
      std::memcpy(to + p * width + i, &group, sizeof(group));
    }
    for (std::int64_t i = vector_lanes; i < lanes; ++i) {
      to[place<unit>(i, p, width)] = convert<Packed>(from[i]);
    }
    from += ld;
  }
  fill_up<Packed, unit, multiple>(lanes, depth, width, to);
}

template <typename Source, typename Packed, int unit = 1>
constexpr Packing packing() {
  constexpr PackOperand operand{pack_along_depth<Source, Packed, unit, unit>,
                                pack_along_lanes<Source, Packed, unit, unit>, unit};
  return {sizeof(Source), sizeof(Packed), unit, 0, 0, operand, operand};
}

}  // namespace

constinit const Packing kPackFloat32 = packing<float, float>();
constinit const Packing kPackFloat64 = packing<double, double>();
constinit const Packing kPackBfloat16AsFloat32 = packing<Bfloat16, float>();
constinit const Packing kPackInt8AsInt16 = packing<std::int8_t, std::int16_t>();
constinit const Packing kPackInt8AsInt16Pairs = packing<std::int8_t, std::int16_t, 2>();

}  // namespace pibench::kernels
