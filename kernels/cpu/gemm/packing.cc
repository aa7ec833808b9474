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

// Four packed elements at a time: every instruction set that we build for has a way to hold them in
// registers.
constexpr std::int64_t kStep = 4;

template <typename Packed>
struct Quad {
  using Type __attribute__((vector_size(kStep * sizeof(Packed)))) = Packed;
};

template <typename Packed, typename Source>
inline void load(const Source* from, typename Quad<Packed>::Type& quad) noexcept {
  if constexpr (std::is_same_v<Source, Packed>) {
    std::memcpy(&quad, from, sizeof(quad));
  } else {
    quad = typename Quad<Packed>::Type{};  // at -O2 the compiler sees a read of what was not written
    for (int i = 0; i < kStep; ++i) quad[i] = convert<Packed>(from[i]);
  }
}

// Columns of a 4 x 4 block whose rows are `ld` apart -> rows that are `step` apart.
template <typename Source, typename Packed>
inline void transpose_block(const Source* from, std::int64_t ld, Packed* to, std::int64_t step) noexcept {
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
  typename Quad<Packed>::Type r0;
  typename Quad<Packed>::Type r1;
  typename Quad<Packed>::Type r2;
  typename Quad<Packed>::Type r3;
  load<Packed>(from, r0);
  load<Packed>(from + ld, r1);
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
#else
  for (std::int64_t p = 0; p < kStep; ++p) {
    for (std::int64_t i = 0; i < kStep; ++i) to[p * step + i] = convert<Packed>(from[i * ld + p]);
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

// Transposes. Four rows at a time are few enough streams for the prefetchers; what is left below is done
// element by element.
template <typename Source, typename Packed, int unit, int multiple>
void pack_along_depth(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                      std::int64_t width, void* packed) noexcept {
  const auto* from = static_cast<const Source*>(source);
  auto* to = static_cast<Packed*>(packed);
  const bool in_blocks = unit == 1;
  const std::int64_t block_lanes = in_blocks ? lanes / kStep * kStep : 0;
  const std::int64_t block_depth = depth / kStep * kStep;
  for (std::int64_t i = 0; i < block_lanes; i += kStep) {
    for (std::int64_t p = 0; p < block_depth; p += kStep) {
      transpose_block<Source, Packed>(from + i * ld + p, ld, to + p * width + i, width);
    }
    for (std::int64_t p = block_depth; p < depth; ++p) {
      for (std::int64_t r = i; r < i + kStep; ++r) to[p * width + r] = convert<Packed>(from[r * ld + p]);
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
  const std::int64_t vector_lanes = unit == 1 ? lanes / kStep * kStep : 0;
  for (std::int64_t p = 0; p < depth; ++p) {
    for (std::int64_t i = 0; i < vector_lanes; i += kStep) {
      typename Quad<Packed>::Type quad;
      load<Packed>(from + i, quad);
      std::memcpy(to + p * width + i, &quad, sizeof(quad));
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
  return {sizeof(Source), sizeof(Packed), unit, 0, operand, operand};
}

}  // namespace

constinit const Packing kPackFloat32 = packing<float, float>();
constinit const Packing kPackFloat64 = packing<double, double>();
constinit const Packing kPackBfloat16AsFloat32 = packing<Bfloat16, float>();
constinit const Packing kPackInt8AsInt16 = packing<std::int8_t, std::int16_t>();
constinit const Packing kPackInt8AsInt16Pairs = packing<std::int8_t, std::int16_t, 2>();

}  // namespace pibench::kernels
