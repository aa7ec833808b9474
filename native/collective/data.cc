#include "data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "../../kernels/cuda/arithmetic.h"
#include "../cuda/elements.h"
#include "../random.h"

namespace pibench::collective {
namespace {

// Significant bits of real numbers; nought: integers.
int digits(Element element) noexcept {
  switch (element) {
    case Element::float8_e4m3:
      return 4;
    case Element::bfloat16:
      return 8;
    case Element::float16:
      return 11;
    case Element::float32:
      return 24;
    case Element::float64:
      return 53;
    default:
      return 0;
  }
}

// Whole numbers up to this are exact, and so are their sums below it; of integers, where they end.
std::int64_t largest(Element element) noexcept {
  switch (element) {
    case Element::int8:
      return 127;
    case Element::uint8:
      return 255;
    case Element::float8_e4m3:
    case Element::bfloat16:
    case Element::float16:
    case Element::float32:
      return std::int64_t{1} << digits(element);
    default:
      return std::int64_t{1} << 30;
  }
}

bool is_real(Element element) noexcept { return digits(element) > 0; }
bool is_unsigned(Element element) noexcept {
  return element == Element::uint8 || element == Element::uint32 || element == Element::uint64;
}

// From the place of one rank to that of the next, in the pattern.
constexpr std::size_t kPlacesApart = 389;

bool averages(const Problem& p) noexcept { return reduces(p.operation) && p.redop == Redop::avg; }

// Whether what adds up, or multiplies, past the type's range is lost.
bool must_fit(const Problem& p) noexcept { return is_real(p.element) || !p.wraps; }

// Of a product: so many ranks can give two.
int most_factors(Element element) noexcept {
  // float8_e4m3 ends at 448, float16 at 65504.
  if (element == Element::float8_e4m3) return 8;
  constexpr int kMost = 15;
  if (is_real(element)) return kMost;
  return std::min(kMost, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest(element)))) - 1);
}

// One rank in so many gives a sum something, or a product a factor, where those of all would be more than is
// exact; what the others give changes nothing, or a sign.
std::size_t apart(const Problem& p) noexcept {
  if (!reduces(p.operation) || !must_fit(p)) return 1;
  const auto parted = [&](std::int64_t most) {
    return static_cast<std::size_t>((p.ranks + most - 1) / most);
  };
  if (p.redop == Redop::sum) return parted(largest(p.element));
  return p.redop == Redop::prod ? parted(most_factors(p.element)) : 1;
}

constexpr std::int64_t kMost = 1000;

// As much as all ranks together can give without more than is exact, for each.
std::int64_t share_of(const Problem& p) noexcept {
  return std::max<std::int64_t>(1, std::min(kMost, largest(p.element) / p.ranks));
}

// Of a product: what a rank gives that need not give a factor, too.
std::int64_t drawn_factor(const Problem& p, std::int64_t factor, std::uint64_t random) noexcept {
  const std::int64_t chosen = (random & 1U) != 0 ? factor : 1;
  return (random & 2U) != 0 && !is_unsigned(p.element) ? -chosen : chosen;
}

std::int64_t drawn(const Problem& p, std::uint64_t random) noexcept {
  const std::int64_t most = std::min(kMost, largest(p.element));
  const auto about_zero = [&](std::int64_t limit) {
    const auto upto = [random](std::int64_t end) {
      return static_cast<std::int64_t>(random % static_cast<std::uint64_t>(end + 1));
    };
    return is_unsigned(p.element) ? upto(limit) : upto(2 * limit) - limit;
  };
  if (!reduces(p.operation)) return about_zero(most);
  switch (p.redop) {
    case Redop::min:
    case Redop::max:
      return about_zero(most);
    case Redop::sum:
      // Where integers wrap, all of their range can be used.
      return about_zero(must_fit(p) ? share_of(p) : most);
    case Redop::avg:
      return about_zero(share_of(p));
    case Redop::prod:
      return drawn_factor(p, must_fit(p) ? 2 : 3, random);
  }
  return 0;
}

// Of an average: what all ranks give to a place, and what one of two gives more and the other less. All have
// one sign, so no part of their sum is more than the whole.
struct Around {
  std::int64_t middle, unit;
};
Around drawn_around(const Problem& p, std::uint64_t random) noexcept {
  // With fewer there would be hardly two places of which one is not like the other. A number of powers of two
  // is as exact as the number is.
  constexpr std::int64_t kFew = 4;
  constexpr std::uint64_t kPowers = 5;
  const std::uint64_t rest = random >> 2U;
  const bool minus = (random & 1U) != 0 && is_real(p.element);
  const std::int64_t more = (random & 2U) != 0 ? 1 : -1;
  if (is_real(p.element) && share_of(p) < kFew) {
    const std::int64_t power = std::int64_t{1} << (rest % kPowers);
    return {minus ? -power : power, more * power};
  }
  const std::int64_t size = std::abs(drawn(p, rest));
  return {minus ? -size : size, size == 0 ? 0 : more};
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

double float16_number(std::uint32_t bits) noexcept {
  constexpr std::uint32_t kInfinity = 0x7c00;
  const std::uint32_t size = bits & 0x7fffU;
  if (size > kInfinity) return std::numeric_limits<double>::quiet_NaN();
  if (size < kInfinity) return cuda::decoded(bits, 5, 10);
  return size == bits ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}
double float8_number(std::uint32_t bits) noexcept {
  return (bits & 0x7fU) == 0x7fU ? std::numeric_limits<double>::quiet_NaN() : cuda::decoded(bits, 4, 3);
}

}  // namespace

// A library that multiplies by 1 / ranks first rounds that factor, each product, and each sum of two: so many
// times of ranks + 1, and once more for what these do to each other.
double tolerance_of(const Problem& p) noexcept {
  const bool exact = std::has_single_bit(static_cast<unsigned>(p.ranks));
  if (!averages(p) || !p.scales_first || !is_real(p.element) || exact) return 0;
  return std::ldexp(p.ranks + 2, -digits(p.element));
}

Data::Data(const Problem& problem, std::uint64_t seed)
    : problem_(problem),
      element_(bytes_of(problem.element)),
      tolerance_(tolerance_of(problem)),
      pattern_(kPattern) {
  if (averages(problem) && problem.ranks > largest(problem.element))
    throw std::invalid_argument("an average over " + std::to_string(problem.ranks) +
                                " ranks of whole numbers up to " + std::to_string(largest(problem.element)) +
                                " cannot be checked");
  // A rank that is missing changes an average by one part in so many.
  if (2 * tolerance_ * problem.ranks > 1)
    throw std::invalid_argument("an average over " + std::to_string(problem.ranks) +
                                " ranks rounds too much to be checked");
  if (averages(problem)) {
    units_.resize(kPattern);
    for (std::size_t at = 0; at < kPattern; ++at) {
      const Around around = drawn_around(problem, draw(seed, at));
      pattern_[at] = around.middle;
      units_[at] = around.unit;
    }
  } else {
    draw_apart(seed);
  }
  for (std::int64_t add = -1; add <= 1; ++add) {
    auto& bytes = encoded_[add + 1];
    bytes.resize(kPattern * element_);
    for (std::size_t i = 0; i < kPattern; ++i)
      encode(pattern_[i] + (units_.empty() ? 0 : add * units_[i]), &bytes[i * element_]);
  }
}

// Ranks read places next to each other in this order (place_of).
void Data::draw_apart(std::uint64_t seed) noexcept {
  const std::size_t every = apart(problem_);
  for (std::size_t i = 0; i < kPattern; ++i) {
    const std::size_t at = i * kPlacesApart % kPattern;
    const std::uint64_t random = draw(seed, at);
    // Before the pattern begins anew there is as much room as elsewhere.
    const bool gives = i % every == 0 && i + every <= kPattern;
    if (gives)
      pattern_[at] = drawn(problem_, random);
    else
      pattern_[at] = problem_.redop == Redop::prod ? drawn_factor(problem_, 1, random) : 0;
  }
}

// No two ranks at the same place in one iteration, no rank at the same place in any of the next thousand.
// Averages come out whole where all ranks are at one place and what they add cancels.
std::size_t Data::place_of(int rank, std::uint64_t iteration) const noexcept {
  const auto rank_apart = averages(problem_) ? 0 : static_cast<std::uint64_t>(rank);
  return static_cast<std::size_t>((rank_apart * kPlacesApart + iteration % kPattern * 613) % kPattern);
}

// How many units a rank adds to the pattern: they cancel over all ranks.
std::int64_t Data::beside(int rank) const noexcept {
  if (!averages(problem_)) return 0;
  const bool alone = problem_.ranks % 2 != 0 && rank == problem_.ranks - 1;
  return alone ? 0 : rank % 2 == 0 ? 1 : -1;
}

std::int64_t Data::value(int rank, std::size_t index, std::uint64_t iteration) const noexcept {
  const std::size_t at = (index + place_of(rank, iteration)) % kPattern;
  return pattern_[at] + (units_.empty() ? 0 : beside(rank) * units_[at]);
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

std::optional<std::size_t> Data::first_changed(const std::byte* input, int rank,
                                               std::uint64_t iteration) const noexcept {
  const std::size_t count = given(problem_, rank);
  const std::byte* const pattern = encoded_[beside(rank) + 1].data();
  std::size_t place = place_of(rank, iteration);
  for (std::size_t done = 0; done < count;) {
    const std::size_t some = std::min(count - done, kPattern - place);
    const std::byte* const now = input + done * element_;
    const std::byte* const then = pattern + place * element_;
    if (std::memcmp(now, then, some * element_) != 0)
      return done +
             static_cast<std::size_t>(std::mismatch(now, now + some * element_, then).first - now) / element_;
    done += some;
    place = 0;
  }
  return std::nullopt;
}

void Data::encode(std::int64_t value, std::byte* to) const noexcept {
  const auto bits = static_cast<std::uint64_t>(value);
  switch (problem_.element) {
    case Element::float32:
      return put(to, static_cast<float>(value));
    case Element::float64:
      return put(to, static_cast<double>(value));
    case Element::bfloat16:
      return put(to, static_cast<std::uint16_t>(kernels::cuda::bfloat16_bits(static_cast<float>(value))));
    case Element::float16:
      return put(to, static_cast<std::uint16_t>(kernels::cuda::float16_bits(static_cast<float>(value))));
    case Element::float8_e4m3:
      return put(to, static_cast<std::uint8_t>(kernels::cuda::float8_e4m3_bits(static_cast<float>(value))));
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

double Data::error(const std::byte* element, std::int64_t value) const noexcept {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  std::byte want[8];
  encode(value, want);
  if (std::memcmp(element, want, element_) == 0) return 0;
  // Nought has two signs among real numbers: which of them a product or a minimum gives is the library's own
  // affair.
  if (value == 0 && is_real(problem_.element) && decoded(element) == 0) return 0;
  if (value == 0 || tolerance_ == 0) return kWrong;
  const auto exact = static_cast<double>(value);
  const double off = std::abs(decoded(element) - exact) / (tolerance_ * std::abs(exact));
  return std::isnan(off) ? kWrong : off;
}

double Data::decoded(const std::byte* element) const noexcept {
  switch (problem_.element) {
    case Element::float32:
      return got<float>(element);
    case Element::float64:
      return got<double>(element);
    case Element::bfloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(got<std::uint16_t>(element)) << 16U);
    case Element::float16:
      return float16_number(got<std::uint16_t>(element));
    case Element::float8_e4m3:
      return float8_number(got<std::uint8_t>(element));
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
