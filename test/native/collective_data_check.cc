// The data of collectives, in every type: what ranks give is held exactly, no sum or product of it rounds or
// runs over however it is added up, and an average that a library rounds is told from a wrong one. And our
// own roundings of small types against another program of the same rounding (kernels/cuda/arithmetic.h).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../kernels/cuda/arithmetic.h"
#include "../../native/collective/data.h"
#include "../../native/cuda/elements.h"
#include "../../native/random.h"
#include "check.h"
#include "collective_tables.h"

namespace {

using pibench::draw;
using pibench::collective::Data;
using pibench::collective::Element;
using pibench::collective::Operation;
using pibench::collective::Problem;
using pibench::collective::Redop;
using pibench::test::Checks;

constexpr int kMostRanks = 256;

struct Type {
  Element element;
  const char* name;
  int digits;      // of the significand; nought: an integer
  double largest;  // of its numbers
};
constexpr std::array kTypes{Type{Element::float32, "float32", 24, 3.4e38},
                            Type{Element::float64, "float64", 53, 1.7e308},
                            Type{Element::bfloat16, "bfloat16", 8, 3.38e38},
                            Type{Element::float16, "float16", 11, 65504},
                            Type{Element::float8_e4m3, "float8_e4m3", 4, 448},
                            Type{Element::int8, "int8", 0, 127},
                            Type{Element::uint8, "uint8", 0, 255},
                            Type{Element::int32, "int32", 0, 2147483647.0},
                            Type{Element::uint32, "uint32", 0, 4294967295.0},
                            Type{Element::int64, "int64", 0, 9.2e18},
                            Type{Element::uint64, "uint64", 0, 1.8e19}};

// As a library has it that is not ours: integers must not wrap.
Problem problem_of(const Type& type, Redop redop, int ranks) {
  Problem p;
  p.element = type.element;
  p.redop = redop;
  p.ranks = ranks;
  p.count = Data::kPattern;
  p.wraps = false;
  p.scales_first = true;
  return p;
}

// All numbers of ranks up to `all`, then some, and every power of two, of which averages do not round.
int next_count(int ranks, int all, int step) {
  if (ranks < all) return ranks + 1;
  const int power = static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks) + 1));
  return std::min(power, ranks + step);
}

std::string at_rank_count(const char* what, int ranks) {
  return std::string(what) + " with " + std::to_string(ranks) + " ranks";
}

// A number as the type holds it.
double held(const Type& type, double value) {
  namespace rounding = pibench::kernels::cuda;
  const auto single = static_cast<float>(value);
  switch (type.element) {
    case Element::float32:
      return single;
    case Element::bfloat16:
      return std::bit_cast<float>(rounding::bfloat16_bits(single) << 16U);
    case Element::float16:
      return pibench::cuda::decoded(rounding::float16_bits(single), 5, 10);
    case Element::float8_e4m3:
      return pibench::cuda::decoded(rounding::float8_e4m3_bits(single), 4, 3);
    default:
      return value;
  }
}

// What the type cannot hold, or what another order of adding up could round: the sum of all that ranks give
// to one place, without their signs, is the most that any part of them adds up to.
std::string inexact(const Type& type, Redop redop, int ranks) {
  const Data data(problem_of(type, redop, ranks), static_cast<std::uint64_t>(ranks));
  const double exact = type.digits == 0 ? type.largest : std::ldexp(1.0, type.digits);
  std::array<std::byte, 8> bytes{};
  for (std::size_t i = 0; i < Data::kPattern; ++i) {
    double sum = 0;
    double product = 1;
    std::uint64_t bits = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::int64_t value = data.value(rank, i, static_cast<std::uint64_t>(ranks));
      data.encode(value, bytes.data());
      if (data.decoded(bytes.data()) != static_cast<double>(value))
        return std::to_string(value) + " is not held";
      sum += std::abs(static_cast<double>(value));
      bits |= static_cast<std::uint64_t>(std::abs(value));
      product *= static_cast<double>(value);
    }
    const bool adds = redop == Redop::sum || redop == Redop::avg;
    // Multiples of a power of two are as exact as what they are multiples of.
    const std::uint64_t power = type.digits == 0 || bits == 0 ? 1 : bits & (~bits + 1);
    if (adds && (sum / static_cast<double>(power) > exact || sum > type.largest))
      return "place " + std::to_string(i) + " adds up to " + std::to_string(sum);
    if (redop == Redop::prod && std::abs(product) > type.largest)
      return "place " + std::to_string(i) + " multiplies to " + std::to_string(product);
  }
  return {};
}

// Ranks that change nothing at any place: nobody would miss them. And averages that are the same everywhere:
// those of another place, or of another iteration, would be taken for them.
std::string idle(const Type& type, Redop redop, int ranks) {
  const Data data(problem_of(type, redop, ranks), 3);
  const std::int64_t nothing = redop == Redop::prod ? 1 : 0;
  for (int rank = 0; rank < ranks; ++rank) {
    int given = 0;
    for (std::size_t i = 0; i < Data::kPattern; ++i) given += data.value(rank, i, 9) != nothing ? 1 : 0;
    if (given == 0) return "rank " + std::to_string(rank) + " changes nothing";
  }
  int others = 0;
  for (std::size_t i = 1; i < Data::kPattern; ++i)
    others += data.expected(0, i, 9) != data.expected(0, i - 1, 9) ? 1 : 0;
  return others < static_cast<int>(Data::kPattern / 10) ? "results hardly differ from place to place" : "";
}

bool has_averages(const Type& type, int ranks) {
  try {
    static_cast<void>(Data(problem_of(type, Redop::avg, ranks), 1));
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

void check_exactness(Checks& checks) {
  for (const Type& type : kTypes) {
    std::string wrong;
    for (int ranks = 1; ranks <= kMostRanks; ranks = next_count(ranks, 20, 59)) {
      for (const Redop redop : {Redop::sum, Redop::prod, Redop::min, Redop::max, Redop::avg}) {
        if (redop == Redop::avg && !has_averages(type, ranks)) continue;
        std::string found = inexact(type, redop, ranks);
        const bool combines = redop != Redop::min && redop != Redop::max;
        if (found.empty() && combines) found = idle(type, redop, ranks);
        if (wrong.empty() && !found.empty())
          wrong =
              at_rank_count(found.c_str(), ranks) + ", operator " + std::to_string(static_cast<int>(redop));
      }
    }
    checks.that(wrong.empty(), std::string("data of ") + type.name + " are exact, added up in any order",
                wrong);
  }
}

// As NCCL averages real numbers, in the order of ranks or in pairs; without `missing`.
double scaled_average(const Type& type, const std::vector<double>& given, bool in_pairs,
                      std::size_t missing) {
  const double scale = held(type, 1.0 / static_cast<double>(given.size()));
  std::vector<double> parts;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (i != missing) parts.push_back(held(type, given[i] * scale));
  }
  while (parts.size() > 1) {
    std::vector<double> sums;
    const std::size_t pairs = in_pairs ? parts.size() / 2 : 1;
    for (std::size_t i = 0; i < pairs; ++i) sums.push_back(held(type, parts[2 * i] + parts[2 * i + 1]));
    sums.insert(sums.end(), parts.begin() + static_cast<std::ptrdiff_t>(2 * pairs), parts.end());
    parts = std::move(sums);
  }
  return parts.empty() ? 0 : parts[0];
}

void put(const Type& type, double value, std::byte* to) {
  namespace rounding = pibench::kernels::cuda;
  const auto single = static_cast<float>(value);
  if (type.element == Element::float64) {
    std::memcpy(to, &value, sizeof value);
  } else if (type.element == Element::float32) {
    std::memcpy(to, &single, sizeof single);
  } else {
    const std::uint32_t bits = type.element == Element::bfloat16  ? rounding::bfloat16_bits(single)
                               : type.element == Element::float16 ? rounding::float16_bits(single)
                                                                  : rounding::float8_e4m3_bits(single);
    std::memcpy(to, &bits, pibench::collective::bytes_of(type.element));
  }
}

// Right ones are taken for right, and where a rank is missing somewhere that is seen.
void check_averages(Checks& checks) {
  for (const Type& type : kTypes) {
    if (type.digits == 0) continue;
    std::string wrong;
    int counts = 0;
    for (int ranks = 2; ranks <= kMostRanks; ranks = next_count(ranks, 40, 31)) {
      if (!has_averages(type, ranks)) continue;
      ++counts;
      const Data data(problem_of(type, Redop::avg, ranks), 5);
      const bool rounds = !std::has_single_bit(static_cast<unsigned>(ranks));
      std::vector<bool> seen(static_cast<std::size_t>(ranks));
      for (std::size_t i = 0; i < 100; ++i) {
        std::vector<double> given;
        given.reserve(static_cast<std::size_t>(ranks));
        for (int rank = 0; rank < ranks; ++rank) given.push_back(static_cast<double>(data.value(rank, i, 2)));
        const std::int64_t want = data.expected(0, i, 2);
        std::array<std::byte, 8> bytes{};
        for (const bool in_pairs : {false, true}) {
          put(type, scaled_average(type, given, in_pairs, given.size()), bytes.data());
          const double error = data.error(bytes.data(), want);
          if (error > (rounds ? 1 : 0)) wrong = at_rank_count("a right average is refused", ranks);
        }
        for (std::size_t missing = 0; missing < given.size(); ++missing) {
          if (seen[missing]) continue;
          put(type, scaled_average(type, given, true, missing), bytes.data());
          seen[missing] = !data.equals(bytes.data(), want);
        }
      }
      if (std::ranges::find(seen, false) != seen.end())
        wrong = at_rank_count("a missing rank is not seen", ranks);
    }
    checks.that(wrong.empty() && counts > 0,
                std::string("averages of ") + type.name + " that a library rounds, " +
                    std::to_string(counts) + " numbers of ranks",
                wrong);
  }
  checks.that(has_averages(kTypes[4], 16) && !has_averages(kTypes[4], 3) && !has_averages(kTypes[4], 32),
              "float8_e4m3 is averaged over 2, 4, 8 and 16 ranks only");
  checks.that(has_averages(kTypes[2], 10) && !has_averages(kTypes[2], 11) && has_averages(kTypes[3], 31) &&
                  !has_averages(kTypes[3], 33),
              "where averages round, bfloat16 is for 10 ranks and float16 for 31");
}

// Two elements reduced by our kernels, as bits.
std::uint32_t reduced(const pibench::kernels::collective::CollectiveKernels& table, const Type& type,
                      Redop redop, std::uint32_t a, std::uint32_t b) {
  std::array<std::byte, 64> first{}, second{}, output{};
  const std::size_t size = pibench::collective::bytes_of(type.element);
  std::memcpy(first.data(), &a, size);
  std::memcpy(second.data(), &b, size);
  std::array inputs{first.data(), second.data()};
  std::array outputs{output.data()};
  table.reduce[static_cast<int>(type.element)][static_cast<int>(redop)](
      {inputs.data(), 2, outputs.data(), 1, 0, size, 2}, false);
  std::uint32_t bits = 0;
  std::memcpy(&bits, output.data(), size);
  return bits;
}

// Every number of a small type, or pairs of them, and how they round: subnormal ones, ties, and what is too
// large.
void check_roundings(Checks& checks) {
  namespace rounding = pibench::kernels::cuda;
  for (const auto* const table : pibench::test::collective_tables_here()) {
    for (const Type& type : {kTypes[3], kTypes[4]}) {
      const bool half = type.element == Element::float16;
      Problem p;
      p.element = type.element;
      const Data data(p, 1);
      const std::uint32_t numbers = half ? 0x10000 : 0x100;
      const auto number = [&](std::uint32_t bits) {
        std::array<std::byte, 2> bytes{};
        std::memcpy(bytes.data(), &bits, half ? 2 : 1);
        return static_cast<float>(data.decoded(bytes.data()));
      };
      const auto expected = [&](float value) -> std::uint32_t {
        const std::uint32_t sign = std::signbit(value) ? numbers / 2 : 0;
        if (half && std::abs(value) >= 65520) return sign | 0x7c00;
        if (!half && std::abs(value) >= 464) return sign | 0x7e;
        return half ? rounding::float16_bits(value) : rounding::float8_e4m3_bits(value);
      };
      std::string wrong;
      const std::uint32_t pairs = half ? 30'000 : numbers * numbers;
      for (std::uint32_t i = 0; i < pairs; ++i) {
        const auto a = static_cast<std::uint32_t>(half ? draw(1, i) % numbers : i / numbers);
        const auto b = static_cast<std::uint32_t>(half ? draw(2, i) % numbers : i % numbers);
        for (const Redop redop : {Redop::sum, Redop::prod, Redop::avg}) {
          const float x = number(a);
          const float y = number(b);
          const float value = redop == Redop::prod ? x * y : redop == Redop::sum ? x + y : (x + y) / 2;
          const std::uint32_t got = reduced(*table, type, redop, a, b);
          const bool right = std::isnan(value) ? std::isnan(number(got)) : got == expected(value);
          if (!right && wrong.empty())
            wrong = std::to_string(x) + " and " + std::to_string(y) + " give " + std::to_string(number(got)) +
                    ", operator " + std::to_string(static_cast<int>(redop));
        }
      }
      checks.that(wrong.empty(), std::string("roundings of ") + type.name + " with " + table->name, wrong);
    }
  }
}

}  // namespace

int main() {
  Checks checks;
  check_exactness(checks);
  check_averages(checks);
  check_roundings(checks);
  return checks.finish();
}
