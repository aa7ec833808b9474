#include "data.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "../random.h"

namespace pibench::collective {
namespace {

// Whole numbers up to this are exact, and so are their sums below it; of integers, where they end.
std::int64_t largest(Element element) noexcept {
  switch (element) {
    case Element::int8:
      return 127;
    case Element::uint8:
      return 255;
    case Element::bfloat16:
      return 256;
    case Element::float32:
      return std::int64_t{1} << 24;
    default:
      return std::int64_t{1} << 30;
  }
}

bool is_real(Element element) noexcept {
  return element == Element::float32 || element == Element::float64 || element == Element::bfloat16;
}
bool is_unsigned(Element element) noexcept {
  return element == Element::uint8 || element == Element::uint32 || element == Element::uint64;
}

// Products: two to the number of ranks must be exact; with more ranks only signs vary.
std::int64_t exact_factor(const Problem& p) noexcept {
  constexpr int kMostFactors = 15;
  const bool fits = p.ranks <= kMostFactors && (std::int64_t{1} << p.ranks) <= largest(p.element);
  return fits || (is_real(p.element) && p.ranks <= kMostFactors) ? 2 : 1;
}

std::int64_t drawn(const Problem& p, std::uint64_t random) noexcept {
  constexpr std::int64_t kMost = 1000;
  const std::int64_t most = std::min(kMost, largest(p.element));
  const std::int64_t share = std::max<std::int64_t>(1, std::min(kMost, largest(p.element) / p.ranks));
  const auto upto = [random](std::int64_t limit) {
    return static_cast<std::int64_t>(random % static_cast<std::uint64_t>(limit + 1));
  };
  const auto about_zero = [&](std::int64_t limit) {
    return is_unsigned(p.element) ? upto(limit) : upto(2 * limit) - limit;
  };
  if (!reduces(p.operation)) return about_zero(most);
  switch (p.redop) {
    case Redop::min:
    case Redop::max:
      return about_zero(most);
    case Redop::sum:
      // Where integers wrap, all of their range can be used.
      return about_zero(is_real(p.element) || !p.wraps ? share : most);
    case Redop::avg:
      // Ranks add -1, 0 or 1, and what is below nought no unsigned type has.
      return std::max<std::int64_t>(1, upto(std::max<std::int64_t>(1, share - 1)));
    case Redop::prod: {
      const std::int64_t factor = is_real(p.element) || !p.wraps ? exact_factor(p) : 3;
      const std::int64_t chosen = (random & 1U) != 0 ? factor : 1;
      return (random & 2U) != 0 && !is_unsigned(p.element) ? -chosen : chosen;
    }
  }
  return 0;
}

std::uint16_t bfloat16_of(std::int64_t value) noexcept {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U);
}

template <typename T>
void put(std::byte* to, T value) noexcept {
  std::memcpy(to, &value, sizeof value);
}
template <typename T>
T got(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

Data::Data(const Problem& problem, std::uint64_t seed)
    : problem_(problem), element_(bytes_of(problem.element)), pattern_(kPattern) {
  if (reduces(problem.operation) && problem.redop == Redop::avg && problem.ranks > largest(problem.element))
    throw std::invalid_argument("an average over " + std::to_string(problem.ranks) +
                                " ranks of whole numbers up to " + std::to_string(largest(problem.element)) +
                                " cannot be checked");
  for (std::size_t i = 0; i < kPattern; ++i) pattern_[i] = drawn(problem, draw(seed, i));
  for (std::int64_t add = -1; add <= 1; ++add) {
    auto& bytes = encoded_[add + 1];
    bytes.resize(kPattern * element_);
    for (std::size_t i = 0; i < kPattern; ++i) encode(pattern_[i] + add, &bytes[i * element_]);
  }
}

// No two ranks at the same place in one iteration, no rank at the same place in any of the next thousand.
// Averages come out whole where all ranks are at one place and what they add cancels.
std::size_t Data::place_of(int rank, std::uint64_t iteration) const noexcept {
  const bool together = reduces(problem_.operation) && problem_.redop == Redop::avg;
  const auto apart = together ? 0 : static_cast<std::uint64_t>(rank);
  return static_cast<std::size_t>((apart * 389 + iteration % kPattern * 613) % kPattern);
}

// What a rank adds to the pattern: they cancel over all ranks.
std::int64_t Data::beside(int rank) const noexcept {
  if (!reduces(problem_.operation) || problem_.redop != Redop::avg) return 0;
  const bool alone = problem_.ranks % 2 != 0 && rank == problem_.ranks - 1;
  return alone ? 0 : rank % 2 == 0 ? 1 : -1;
}

std::int64_t Data::value(int rank, std::size_t index, std::uint64_t iteration) const noexcept {
  return pattern_[(index + place_of(rank, iteration)) % kPattern] + beside(rank);
}

std::int64_t Data::expected(int rank, std::size_t index, std::uint64_t iteration) const noexcept {
  const Problem& p = problem_;
  const std::size_t block = static_cast<std::size_t>(rank) * p.count;
  const auto reduced = [&](std::size_t at) {
    std::int64_t result = value(0, at, iteration);
    for (int r = 1; r < p.ranks; ++r) {
      const std::int64_t next = value(r, at, iteration);
      const auto a = static_cast<std::uint64_t>(result);
      const auto b = static_cast<std::uint64_t>(next);
      switch (p.redop) {
        case Redop::sum:
        case Redop::avg:
          result = static_cast<std::int64_t>(a + b);
          break;
        case Redop::prod:
          result = static_cast<std::int64_t>(a * b);
          break;
        case Redop::min:
          result = std::min(result, next);
          break;
        case Redop::max:
          result = std::max(result, next);
          break;
      }
    }
    return p.redop == Redop::avg ? result / p.ranks : result;
  };
  switch (p.operation) {
    case Operation::all_reduce:
    case Operation::reduce:
      return reduced(index);
    case Operation::reduce_scatter:
      return reduced(block + index);
    case Operation::broadcast:
      return value(p.root, index, iteration);
    case Operation::scatter:
      return value(p.root, block + index, iteration);
    case Operation::all_gather:
    case Operation::gather:
      return value(static_cast<int>(index / p.count), index % p.count, iteration);
    case Operation::all_to_all:
      return value(static_cast<int>(index / p.count), block + index % p.count, iteration);
    case Operation::send_recv:
      return value(source_of(p, rank), index, iteration);
    case Operation::barrier:
      break;
  }
  return 0;
}

void Data::fill(std::byte* input, int rank, std::uint64_t iteration) const noexcept {
  const std::size_t count = given(problem_, rank);
  const std::byte* const pattern = encoded_[beside(rank) + 1].data();
  std::size_t place = place_of(rank, iteration);
  for (std::size_t done = 0; done < count;) {
    const std::size_t some = std::min(count - done, kPattern - place);
    std::memcpy(input + done * element_, pattern + place * element_, some * element_);
    done += some;
    place = 0;
  }
}

void Data::encode(std::int64_t value, std::byte* to) const noexcept {
  const auto bits = static_cast<std::uint64_t>(value);
  switch (problem_.element) {
    case Element::float32:
      return put(to, static_cast<float>(value));
    case Element::float64:
      return put(to, static_cast<double>(value));
    case Element::bfloat16:
      return put(to, bfloat16_of(value));
    case Element::int8:
    case Element::uint8:
      return put(to, static_cast<std::uint8_t>(bits));
    case Element::int32:
    case Element::uint32:
      return put(to, static_cast<std::uint32_t>(bits));
    case Element::int64:
    case Element::uint64:
      return put(to, bits);
  }
}

bool Data::equals(const std::byte* element, std::int64_t value) const noexcept {
  std::byte want[8];
  encode(value, want);
  if (std::memcmp(element, want, element_) == 0) return true;
  // Nought has two signs among real numbers: which of them a product or a minimum gives is the library's own
  // affair.
  return value == 0 && is_real(problem_.element) && decoded(element) == 0;
}

double Data::decoded(const std::byte* element) const noexcept {
  switch (problem_.element) {
    case Element::float32:
      return got<float>(element);
    case Element::float64:
      return got<double>(element);
    case Element::bfloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(got<std::uint16_t>(element)) << 16U);
    case Element::int8:
      return got<std::int8_t>(element);
    case Element::uint8:
      return got<std::uint8_t>(element);
    case Element::int32:
      return got<std::int32_t>(element);
    case Element::uint32:
      return got<std::uint32_t>(element);
    case Element::int64:
      return static_cast<double>(got<std::int64_t>(element));
    case Element::uint64:
      return static_cast<double>(got<std::uint64_t>(element));
  }
  return 0;
}

}  // namespace pibench::collective
