// Packing for any element type and unit, compiled for the baseline CPU. Instruction sets that can do better
// bring their own.
#include "packing.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "transpose_block.h"

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

template <typename Packed, typename Source>
inline void load(const Source* from, typename Group<Packed>::Type& group) noexcept {
  if constexpr (std::is_same_v<Source, Packed>) {
    std::memcpy(&group, from, sizeof(group));
  } else {
    group = typename Group<Packed>::Type{};  // at -O2 the compiler sees a read of what was not written
    for (int i = 0; i < kStep<Packed>; ++i) group[i] = convert<Packed>(from[i]);
  }
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
      transpose_block(from + i * ld + p, ld, to + p * width + i, width, load<Packed, Source>);
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
