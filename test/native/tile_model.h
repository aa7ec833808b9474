// A model of the tile registers of AMX, as Intel's manual defines them (Software Developer's Manual, volume
// 2, the instructions LDTILECFG to TILEZERO), with which amx_kernel.h runs on any machine. What would fault
// on a CPU, or is not meant, is noted as a misuse.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "../../kernels/cpu/gemm/amx_kernel.h"

namespace pibench::test {

class TileModel {
 public:
  // The first misuse of any thread since the last call, or nullptr.
  static const char* take_misuse() { return misuse_.exchange(nullptr); }
  // Threads that have tiles configured.
  static int configured_threads() { return configured_threads_; }
  // How often tiles were configured, on all threads.
  static std::uint64_t configurations() { return configurations_; }

  static void configure(const kernels::TileConfig& config) noexcept {
    bool right = config.palette == 1 && config.start_row == 0;
    for (const auto byte : config.reserved) right = right && byte == 0;
    for (std::size_t i = 0; i < 16; ++i) {
      const bool exists = i < kTiles;
      const bool used = config.rows[i] != 0;
      right = right && used == (config.row_bytes[i] != 0) && (exists || !used) && config.rows[i] <= kRows &&
              config.row_bytes[i] <= kRowBytes;
    }
    if (!right) return note("LDTILECFG: not a configuration");
    ++configurations_;
    release();
    ++configured_threads_;
    configured_ = true;
    for (std::size_t i = 0; i < kTiles; ++i) {
      tiles_.at(i).rows = config.rows[i];
      tiles_.at(i).row_bytes = config.row_bytes[i];
    }
  }

  static void release() noexcept {
    if (configured_) --configured_threads_;
    configured_ = false;
    tiles_ = {};
  }

  template <int tile>
  static void zero() noexcept {
    if (usable(tile)) tiles_.at(tile).cells = {};
  }

  template <int tile>
  static void load(const void* from, std::int64_t stride) noexcept {
    if (!usable(tile) || !is_stride(tile, stride)) return;
    Tile& to = tiles_.at(tile);
    to.cells = {};
    for (std::size_t i = 0; i < to.rows; ++i) {
      std::memcpy(to.cells.at(i).data(),
                  static_cast<const char*>(from) + static_cast<std::int64_t>(i) * stride, to.row_bytes);
    }
  }

  template <int tile>
  static void store(void* to, std::int64_t stride) noexcept {
    if (!usable(tile) || !is_stride(tile, stride)) return;
    if (stride == 0) return note("TILESTORED: rows on top of each other");
    const Tile& from = tiles_.at(tile);
    for (std::size_t i = 0; i < from.rows; ++i) {
      std::memcpy(static_cast<char*>(to) + static_cast<std::int64_t>(i) * stride, from.cells.at(i).data(),
                  from.row_bytes);
    }
  }

  // Pairs are summed apart, the even and the odd ones, and both added to C; subnormal numbers count as zero
  // and become zero.
  template <int c, int a, int b>
  static void dot_bfloat16() noexcept {
    if (!fit(c, a, b)) return;
    const auto to_float = [](std::uint16_t bits) { return widen(bits); };
    const auto left = read<std::uint16_t, float>(tiles_.at(a), to_float);
    const auto right = read<std::uint16_t, float>(tiles_.at(b), to_float);
    auto sums = read<float, float>(tiles_.at(c), [](float x) { return flush(x); });
    add_pairs(sums.elements.data(), left.elements.data(), right.elements.data(), tiles_.at(c).rows);
    write(tiles_.at(c), sums);
  }

  template <int c, int a, int b>
  static void dot_int8() noexcept {
    if (!fit(c, a, b)) return;
    const auto to_int = [](std::int8_t x) { return static_cast<std::int32_t>(x); };
    const auto left = read<std::int8_t, std::int32_t>(tiles_.at(a), to_int);
    const auto right = read<std::int8_t, std::int32_t>(tiles_.at(b), to_int);
    auto sums = read<std::uint32_t, std::uint32_t>(tiles_.at(c), [](std::uint32_t x) { return x; });
    add_quadruples(sums.elements.data(), left.elements.data(), right.elements.data(), tiles_.at(c).rows);
    write(tiles_.at(c), sums);
  }

 private:
  static constexpr std::size_t kTiles = 8;
  static constexpr std::size_t kRows = 16;
  static constexpr std::size_t kRowBytes = 64;
  static constexpr std::size_t kWords = kRowBytes / 4;

  struct Tile {
    std::size_t rows, row_bytes;
    std::array<std::array<std::uint8_t, kRowBytes>, kRows> cells;
  };

  static void note(const char* what) noexcept {
    const char* none = nullptr;
    misuse_.compare_exchange_strong(none, what);
  }

  static bool usable(std::size_t tile) noexcept {
    if (!configured_) {
      note("a tile is used before it is configured");
    } else if (tile >= kTiles || tiles_.at(tile).rows == 0) {
      note("a tile is used that is not configured");
    } else {
      return true;
    }
    return false;
  }

  // A stride of zero repeats one row.
  static bool is_stride(std::size_t tile, std::int64_t stride) noexcept {
    const auto& [rows, row_bytes, cells] = tiles_.at(tile);
    if (stride == 0 || rows == 1 || stride >= static_cast<std::int64_t>(row_bytes)) return true;
    note("rows of a tile overlap in memory");
    return false;
  }

  static bool fit(std::size_t c, std::size_t a, std::size_t b) noexcept {
    if (!usable(c) || !usable(a) || !usable(b)) return false;
    const Tile& sum = tiles_.at(c);
    const Tile& left = tiles_.at(a);
    const Tile& right = tiles_.at(b);
    if (c != a && c != b && a != b && sum.rows == left.rows && sum.row_bytes == right.row_bytes &&
        left.row_bytes == 4 * right.rows) {
      return true;
    }
    note("the tiles of a product do not fit each other");
    return false;
  }

  // The elements of a tile. Those beyond its size are zero, so products may run over them.
  template <typename Element, typename Wide>
  struct Elements {
    std::array<Wide, kRows * kRowBytes / sizeof(Element)> elements;
  };

  template <typename Element, typename Wide, typename Widen>
  __attribute__((optimize("O3"))) static Elements<Element, Wide> read(const Tile& tile,
                                                                      const Widen& widen_one) noexcept {
    std::array<Element, kRows * kRowBytes / sizeof(Element)> narrow;
    std::memcpy(narrow.data(), tile.cells.data(), sizeof(narrow));
    Elements<Element, Wide> wide;
    for (std::size_t i = 0; i < narrow.size(); ++i) wide.elements[i] = widen_one(narrow[i]);
    return wide;
  }

  template <typename Word>
  static void write(Tile& tile, const Elements<Word, Word>& words) noexcept {
    for (std::size_t i = 0; i < tile.rows; ++i)
      std::memcpy(tile.cells.at(i).data(), &words.elements[i * kWords], tile.row_bytes);
  }

  // Subnormal numbers become zeros of their sign. By what the compiler has itself, and without a branch: then
  // the loops below become instructions on vectors.
  [[gnu::always_inline]] static float flush(float x) noexcept {
    return __builtin_fabsf(x) < std::numeric_limits<float>::min() ? __builtin_copysignf(0.0F, x) : x;
  }

  // The arithmetic on copies of three tiles, each of 16 rows. It takes nearly all of the model's time, so it
  // is made fast whatever the program around it is compiled for; and it touches nothing of what is checked,
  // so sanitizers leave it out: what the kernels read and write they see at load() and store().
  __attribute__((no_sanitize("address", "thread", "undefined"), optimize("O3"))) static void add_pairs(
      float* sums, const float* left, const float* right, std::size_t rows) noexcept {
    for (std::size_t i = 0; i < rows; ++i) {
      float even[kWords] = {};
      float odd[kWords] = {};
      for (std::size_t p = 0; p < kRows; ++p) {
        const float* const pair = left + i * 2 * kWords + 2 * p;
        const float* const pairs = right + p * 2 * kWords;
        for (std::size_t j = 0; j < kWords; ++j) {
          even[j] = flush(even[j] + pair[0] * pairs[2 * j]);
          odd[j] = flush(odd[j] + pair[1] * pairs[2 * j + 1]);
        }
      }
      for (std::size_t j = 0; j < kWords; ++j)
        sums[i * kWords + j] = flush(sums[i * kWords + j] + flush(even[j] + odd[j]));
    }
  }
  __attribute__((no_sanitize("address", "thread", "undefined"), optimize("O3"))) static void add_quadruples(
      std::uint32_t* sums, const std::int32_t* left, const std::int32_t* right, std::size_t rows) noexcept {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t p = 0; p < kRows; ++p) {
        const std::int32_t* const four = left + i * 4 * kWords + 4 * p;
        const std::int32_t* const fours = right + p * 4 * kWords;
        for (std::size_t j = 0; j < kWords; ++j) {
          std::int32_t sum = 0;
          for (std::size_t q = 0; q < 4; ++q) sum += four[q] * fours[4 * j + q];
          sums[i * kWords + j] += static_cast<std::uint32_t>(sum);
        }
      }
    }
  }

  // Without a variable whose address is taken, of which the address sanitizer would make memory at each call.
  [[gnu::always_inline]] static float widen(std::uint16_t bits) noexcept {
    return flush(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
  }

  inline static std::atomic<const char*> misuse_ = nullptr;
  inline static std::atomic<int> configured_threads_ = 0;
  inline static std::atomic<std::uint64_t> configurations_ = 0;
  inline static thread_local bool configured_ = false;
  inline static thread_local std::array<Tile, kTiles> tiles_{};
};

}  // namespace pibench::test
