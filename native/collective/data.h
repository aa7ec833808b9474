// What the ranks give, and what each must get: small whole numbers, so that no sum, product or average rounds
// in any data type and any order, and a result is right or wrong. Averages alone may round, where a library
// divides before it adds (Problem::scales_first): then a result is right within what that may round.
//
// A rank's input is a pattern of prime length, read from a place that depends on the rank and the iteration:
// filling is copying, and neither an element of another rank, nor of another place, nor of another iteration
// is taken for the right one (but for places that lie a multiple of the pattern's length away).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "problem.h"

namespace pibench::collective {

// What results may differ by, relative to what they should be; nought where none rounds.
double tolerance_of(const Problem& problem) noexcept;

class Data {
 public:
  // A prime; with 8 bytes an element the pattern leaves most of a first cache alone.
  static constexpr std::size_t kPattern = 1021;

  // Throws std::invalid_argument for an average of more ranks than the data type can add up exactly, or of so
  // many that what may be rounded hides a rank.
  Data(const Problem& problem, std::uint64_t seed);

  // Element `index` of what the rank gives.
  [[nodiscard]] std::int64_t value(int rank, std::size_t index, std::uint64_t iteration) const noexcept;
  // Element `index` of what the rank gets; integers modulo their range.
  [[nodiscard]] std::int64_t expected(int rank, std::size_t index, std::uint64_t iteration) const noexcept;

  // Writes all that the rank gives.
  void fill(std::byte* input, int rank, std::uint64_t iteration) const noexcept;
  // The first element that is not as fill() wrote it; nothing where all are.
  [[nodiscard]] std::optional<std::size_t> first_changed(const std::byte* input, int rank,
                                                         std::uint64_t iteration) const noexcept;

  // An element of the data type as bytes, and back; a value that is no whole number becomes one that is never
  // expected.
  void encode(std::int64_t value, std::byte* to) const noexcept;
  // How far an element is from what it should be, as a multiple of the tolerance; infinity where results do
  // not round.
  [[nodiscard]] double error(const std::byte* element, std::int64_t value) const noexcept;
  [[nodiscard]] bool equals(const std::byte* element, std::int64_t value) const noexcept {
    return error(element, value) <= 1;
  }
  // For messages.
  [[nodiscard]] double decoded(const std::byte* element) const noexcept;

 private:
  [[nodiscard]] std::size_t place_of(int rank, std::uint64_t iteration) const noexcept;
  [[nodiscard]] std::int64_t beside(int rank) const noexcept;
  void draw_apart(std::uint64_t seed) noexcept;

  Problem problem_;
  std::size_t element_;  // bytes
  double tolerance_;
  std::vector<std::int64_t> pattern_;
  // Of an average: what a rank adds to the pattern, or takes from it; empty elsewhere.
  std::vector<std::int64_t> units_;
  // The pattern as bytes of the data type, without and with what the rank adds to it (avg).
  std::vector<std::byte> encoded_[3];
};

}  // namespace pibench::collective
