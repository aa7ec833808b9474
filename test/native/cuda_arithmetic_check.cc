// What of the CUDA kernels is plain arithmetic: where data lie, the order of tiles, the rounding of operands;
// and whether the contract of the kernels agrees with itself.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "../../kernels/cuda/arithmetic.h"
#include "../../kernels/cuda/contract.h"
#include "../../native/cuda/elements.h"
#include "../../native/matmul/elements.h"
#include "../../native/memory/elements.h"
#include "check.h"

namespace {

using namespace pibench::kernels::cuda;
using pibench::test::Checks;

// True where 16 bytes of each of some rows meet in no bank: a bank group is 16 of 128 bytes.
bool without_conflict(const auto& place, std::uint32_t rows, std::uint32_t chunks, std::uint32_t together) {
  for (std::uint32_t first = 0; first + together <= rows; first += together) {
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      std::set<std::uint32_t> groups;
      for (std::uint32_t row = first; row < first + together; ++row)
        groups.insert(place(row, chunk) / 16 % 8);
      if (groups.size() != together) return false;
    }
  }
  return true;
}

// True where every 16 bytes of a tile have a place of their own within it.
bool fills(const auto& place, std::uint32_t rows, std::uint32_t chunks) {
  std::set<std::uint32_t> places;
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) places.insert(place(row, chunk));
  return places.size() == static_cast<std::size_t>(rows) * chunks &&
         *places.rbegin() + 16 == rows * chunks * 16;
}

void check_places(Checks& checks) {
  const auto narrow = [](std::uint32_t row, std::uint32_t chunk) { return place_in_rows_64(row, chunk); };
  checks.that(fills(narrow, 128, 4), "rows of 64 bytes fill their tile");
  checks.that(without_conflict(narrow, 128, 4, 8), "8 rows of 64 bytes meet in no bank");
  const auto rows = [](std::uint32_t row, std::uint32_t chunk) { return place_in_rows(256, row, chunk); };
  checks.that(fills(rows, 32, 16), "rows of 256 bytes fill their tile");
  checks.that(without_conflict(rows, 32, 16, 8), "8 rows of 256 bytes meet in no bank");
  const auto wide = [](std::uint32_t row, std::uint32_t chunk) {
    return place_in_wide_rows(128, row, chunk);
  };
  checks.that(fills(wide, 128, 8), "rows of float64 fill their tile");
  bool apart = true;
  for (std::uint32_t first = 0; first < 128; first += 4) {
    for (std::uint32_t chunk = 0; chunk < 8; chunk += 2) {
      std::set<std::uint32_t> groups;
      for (std::uint32_t row = first; row < first + 4; ++row)
        for (const std::uint32_t i : {0U, 1U}) groups.insert(wide(row, chunk + i) / 16 % 8);
      apart = apart && groups.size() == 8;
    }
  }
  checks.that(apart, "two chunks of 4 rows of float64 meet in no bank");
  const auto swizzled = [](std::uint32_t row, std::uint32_t chunk) {
    return swizzle_128(row * 128 + chunk * 16);
  };
  checks.that(fills(swizzled, 64, 8), "the 128-byte swizzle fills its tile");
  checks.that(without_conflict(swizzled, 64, 8, 8), "8 swizzled rows meet in no bank");
  checks.equal(
      wgmma_descriptor(0x2400, 8192, 1024),
      std::uint64_t{0x240} | std::uint64_t{512} << 16 | std::uint64_t{64} << 32 | std::uint64_t{1} << 62,
      "the descriptor has its fields where the PTX ISA has them");
}

void check_tiles(Checks& checks) {
  bool all = true;
  for (const auto& [rows, columns, group] :
       {std::tuple{1, 1, 8}, {7, 5, 8}, {8, 3, 8}, {19, 4, 8}, {33, 17, 16}}) {
    std::set<std::tuple<int, int, int>> seen;
    for (std::int64_t i = 0; i < std::int64_t{3} * rows * columns; ++i) {
      const TilePlace place = place_of_tile(i, rows, columns, group);
      all = all && place.row >= 0 && place.row < rows && place.column >= 0 && place.column < columns &&
            place.matrix < 3;
      seen.emplace(place.row, place.column, place.matrix);
    }
    all = all && seen.size() == std::size_t{3} * static_cast<unsigned>(rows) * static_cast<unsigned>(columns);
  }
  checks.that(all, "every tile of a batch has its turn once");
  constexpr std::int32_t kMost = 0x7fff'ffff;
  bool counted = true;
  for (const Gemm& gemm : kGemms) {
    // Of a cluster's tiles, which lie below each other.
    const auto height = static_cast<std::int32_t>(gemm.tile_m * gemm.cluster);
    for (const std::int32_t rows : {1, height, height + 1, kMost - height + 1, kMost}) {
      const std::int64_t tiles = tiles_of(gemm, {rows, 1, 1, 1}) / gemm.cluster;
      const TilePlace last = place_of_tile(tiles - 1, tiles_along(rows, height), 1, 16);
      counted = counted && tiles_along(rows, height) == tiles && last.matrix == 0 && last.row == tiles - 1;
    }
  }
  checks.that(counted, "sides of up to 31 bits have as many tiles as there are blocks for");
}

double value_of_e4m3(std::uint32_t bits) {
  const auto power = static_cast<int>(bits >> 3 & 15);
  const double part = (bits & 7) / 8.0;
  return power == 0 ? std::ldexp(part, -6) : std::ldexp(1 + part, power - 7);
}

// To the nearest of all numbers of the format, at a tie to the even one.
std::uint32_t nearest_e4m3(double size) {
  std::uint32_t best = 0;
  for (std::uint32_t bits = 1; bits < 0x7f; ++bits) {
    const double distance = std::abs(value_of_e4m3(bits) - size);
    const double least = std::abs(value_of_e4m3(best) - size);
    if (distance < least || (distance == least && bits % 2 == 0)) best = bits;
  }
  return best;
}

// In units of the last place, of which 1024 are the power of two below: one more of them carries into the
// exponent.
std::uint32_t nearest_float16(float x) {
  const double size = std::abs(double{x});
  const int exponent = size == 0 ? -14 : std::max(std::ilogb(size), -14);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return ((static_cast<std::uint32_t>(exponent + 14) << 10U) + units) | (std::signbit(x) ? 0x8000U : 0U);
}

void check_rounding(Checks& checks) {
  bool small = true;
  bool narrow = true;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto uniform = static_cast<float>(drawn_value(5, i, Element::float64, Values::real, 0));
    // Sizes down to where the formats have only subnormal numbers, and below; and exact ties.
    float x = std::ldexp(uniform, -static_cast<int>(i % 28));
    if (i % 5 == 0) x = std::ldexp(std::round(x * 4096), -12);
    const std::uint32_t got = float8_e4m3_bits(x);
    small = small && got == (nearest_e4m3(std::abs(x)) | (std::signbit(x) ? 0x80U : 0U));
    small = small && float16_bits(x) == nearest_float16(x);
    const auto kept = std::bit_cast<float>(tf32_bits(x));
    narrow = narrow && std::abs(kept - x) <= std::abs(x) * 0x1p-11F && (tf32_bits(x) & 0x1fffU) == 0;
  }
  checks.that(small, "float8_e4m3 and float16 are rounded to the nearest, ties to even");
  checks.that(narrow, "tf32 is within half a unit in its last place");
}

void check_numbers(Checks& checks) {
  using pibench::kernels::DataType;
  using pibench::matmul::Elements;
  bool same = true;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t stream = pibench::draw(3, i % 7);
    const auto bits = [&](Element element) {
      return bits_in(element, drawn_value(stream, i, element, Values::real, 0));
    };
    same = same &&
           bits(Element::float32) ==
               std::bit_cast<std::uint32_t>(Elements<DataType::float32>::random(stream, i)) &&
           bits(Element::bfloat16) == Elements<DataType::bfloat16>::random(stream, i).bits &&
           bits(Element::int8) == static_cast<std::uint8_t>(Elements<DataType::int8>::random(stream, i)) &&
           drawn_value(stream, i, Element::float64, Values::real, 0) ==
               Elements<DataType::float64>::random(stream, i) &&
           drawn_value(stream, i, Element::float64, Values::memory, 0) == pibench::memory::element(stream, i);
  }
  checks.that(same, "operands are the same bits as on the CPU");
  std::set<double> values;
  for (std::uint64_t i = 0; i < 2000; ++i)
    values.insert(drawn_value(1, i, Element::float16, Values::integers, 3));
  checks.that(values.size() == 7 && *values.begin() == -3 && *values.rbegin() == 3,
              "whole numbers cover their range");
  std::set<std::uint64_t> prints;
  for (std::uint64_t place = 0; place < 100; ++place)
    for (std::uint32_t word = 0; word < 100; ++word) prints.insert(fingerprint_of(place, word));
  checks.equal(prints.size(), std::size_t{10000}, "fingerprints of words in places differ");
}

void check_contract(Checks& checks) {
  constexpr std::uint32_t kMostShared = 232448;       // of a block of 9.0
  constexpr std::uint32_t kMostSharedSmall = 101376;  // of 8.6, 8.9 and 12.0
  std::set<std::string> symbols;
  bool fit = true;
  bool known = true;
  bool boxes = true;
  const auto module_known = [](std::string_view name) {
    return std::ranges::find(kModules, name) != kModules.end();
  };
  for (const Gemm& gemm : kGemms) {
    symbols.insert(gemm.symbol);
    known = known && module_known(gemm.module);
    fit = fit && gemm.shared_bytes <= (gemm.target.only ? kMostShared : kMostSharedSmall);
    if (!takes_maps(gemm)) continue;
    for (const auto& [box, element] :
         {std::pair{gemm.a_box, gemm.operand}, {gemm.b_box, gemm.operand}, {gemm.c_box, gemm.result}})
      boxes = boxes && box.inner * bytes_of(element) == 128 && box.outer <= 256;
  }
  for (const Peak& peak : kPeaks) {
    symbols.insert(peak.symbol);
    known = known && module_known(peak.module);
  }
  for (const Memory& memory : kMemories) {
    symbols.insert(memory.symbol);
    known = known && module_known(memory.module);
  }
  checks.equal(symbols.size(), kGemms.size() + kPeaks.size() + kMemories.size(),
               "no two kernels have one name");
  checks.that(known, "every kernel is in a module that exists");
  checks.that(fit, "no kernel needs more shared memory than its devices have");
  checks.that(boxes, "boxes have rows of 128 bytes and no more rows than the copy engine takes");
  const auto chosen = [](Element operand, Element result, std::uint32_t capability, const GemmSize& size) {
    const Gemm* gemm = preferred(operand, result, capability, 132, size);
    return std::string(gemm == nullptr ? "none" : gemm->symbol);
  };
  bool alike = true;
  for (const Element operand : {Element::float64, Element::float32, Element::bfloat16, Element::int8}) {
    const Element result = pibench::cuda::result_of(operand);
    for (const GemmSize& size :
         {GemmSize{8448, 128, 4096, 1}, {512, 512, 512, 1}, {8192, 8192, 8192, 1}, {3, 3, 3, 1}}) {
      const Gemm* const best = preferred(operand, result, 90, 132, size);
      alike = alike && best != nullptr && preferred(operand, result, 90, 132, size, best->engine) == best;
    }
  }
  checks.that(alike, "who names the engine that is taken anyway gets the same tile");
  const Gemm* const warps =
      preferred(Element::bfloat16, Element::float32, 90, 132, {64, 64, 64, 1}, Engine::mma);
  checks.that(warps != nullptr && warps->engine == Engine::mma && !takes_any_rows(*warps),
              "who names another one gets that, and its fast kernel where the rows allow it");
  checks.that(preferred(Element::float32, Element::float32, 90, 132, {64, 64, 64, 1}, Engine::mma) == nullptr,
              "an engine that does not have the type is not replaced by another");
  checks.equal(chosen(Element::bfloat16, Element::float32, 90, {8192, 8192, 8192, 1}) ==
                   "pibench_gemm_bfloat16_float32_wgmma_256",
               true, "large products on Hopper take the large tile");
  checks.equal(chosen(Element::bfloat16, Element::float32, 90, {512, 512, 512, 1}) ==
                   "pibench_gemm_bfloat16_float32_wgmma_128",
               true, "small products on Hopper take the small tile");
  checks.equal(chosen(Element::bfloat16, Element::float32, 100, {8192, 8192, 8192, 1}) ==
                   "pibench_gemm_bfloat16_float32_mma",
               true, "what is made for Hopper alone is not taken on later devices");
  checks.equal(chosen(Element::bfloat16, Element::float32, 90, {3, 3, 3, 1}) ==
                   "pibench_gemm_bfloat16_float32_mma_any",
               true, "odd rows take the kernel for any rows");
  checks.equal(chosen(Element::float8_e4m3, Element::float32, 80, {16, 16, 16, 1}) == "none", true,
               "float8 has no kernel where the device has no float8");
  bool whole = true;
  for (const Gemm& gemm : kGemms) {
    for (const GemmSize& size : {GemmSize{1, 1, 1, 1}, {1000, 77, 5, 3}, {8192, 8192, 1, 1}}) {
      const std::int64_t blocks = blocks_of(gemm, size, 132);
      whole = whole && blocks >= 1 && blocks % gemm.cluster == 0 && (!gemm.persistent || blocks <= 132);
    }
  }
  checks.that(whole, "grids are whole clusters");
}

}  // namespace

int main() {
  Checks checks;
  check_places(checks);
  check_tiles(checks);
  check_rounding(checks);
  check_numbers(checks);
  check_contract(checks);
  return checks.finish();
}
