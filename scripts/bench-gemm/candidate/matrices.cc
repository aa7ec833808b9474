#include "matrices.h"

#include <sys/mman.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <sstream>

namespace bench {
namespace {

constexpr int kPlaces = 48;

struct Sizes {
  std::size_t input;
  std::size_t output;
};

Sizes sizes_of(const std::string& type) {
  if (type == "float32") return {4, 4};
  if (type == "float64") return {8, 8};
  if (type == "bfloat16") return {2, 4};
  return {1, 4};
}

// xorshift: the Mersenne twister would take seconds to fill the largest operands.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
  }
  // in [-1, 1)
  double real() { return static_cast<double>(static_cast<std::int64_t>(bits())) * 0x1p-63; }

 private:
  std::uint64_t state_;
};

void fill(void* memory, std::size_t count, const std::string& type, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    if (type == "float32") {
      static_cast<float*>(memory)[i] = static_cast<float>(random.real());
    } else if (type == "float64") {
      static_cast<double*>(memory)[i] = random.real();
    } else if (type == "bfloat16") {
      static_cast<std::uint16_t*>(memory)[i] =
          static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(random.real())) >> 16U);
    } else {
      static_cast<std::uint8_t*>(memory)[i] = static_cast<std::uint8_t>(random.bits());
    }
  }
}

double input(const void* memory, std::size_t i, const std::string& type, bool left) {
  if (type == "float32") return static_cast<const float*>(memory)[i];
  if (type == "float64") return static_cast<const double*>(memory)[i];
  if (type == "bfloat16") {
    return std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<const std::uint16_t*>(memory)[i])
                                << 16U);
  }
  if (type == "uint8" && left) return static_cast<const std::uint8_t*>(memory)[i];
  return static_cast<const std::int8_t*>(memory)[i];
}

double output(const void* memory, std::size_t i, const std::string& type) {
  if (type == "float64") return static_cast<const double*>(memory)[i];
  if (type == "float32" || type == "bfloat16") return static_cast<const float*>(memory)[i];
  return static_cast<const std::int32_t*>(memory)[i];
}

// Sums of integers are exact. Rounding errors of k terms grow with their root; eight times that is beyond
// chance.
double tolerance(const std::string& type, int k) {
  if (type == "int8" || type == "uint8") return 0;
  const double epsilon = type == "float64" ? std::numeric_limits<double>::epsilon()
                                           : static_cast<double>(std::numeric_limits<float>::epsilon());
  return 8 * epsilon * (1 + std::sqrt(static_cast<double>(k)));
}

}  // namespace

void Matrices::Free::operator()(void* memory) const noexcept { std::free(memory); }

Matrices::Memory Matrices::allocate(std::size_t bytes) {
  constexpr std::size_t kHugePage = 2U << 20U;
  const std::size_t page = bytes >= kHugePage ? kHugePage : 4096;
  const std::size_t size = (bytes + page - 1) / page * page;
  void* memory = std::aligned_alloc(page, size);
  if (memory == nullptr) throw std::bad_alloc();
  if (page == kHugePage) madvise(memory, size, MADV_HUGEPAGE);
  return Memory(memory);
}

Matrices::Matrices(const Product& product) : product_(product), areas_(product) {
  const Sizes sizes = sizes_of(product.type);
  const auto batch = static_cast<std::size_t>(product.batch);
  a_ = allocate(batch * areas_.a * sizes.input);
  b_ = allocate(batch * areas_.b * sizes.input);
  c_ = allocate(batch * areas_.c * sizes.output);
  fill(a_.get(), batch * areas_.a, product.type, 0x9e3779b97f4a7c15U);
  fill(b_.get(), batch * areas_.b, product.type, 0xbf58476d1ce4e5b9U);
  poison();
}

void Matrices::poison() {
  // All ones is not a number, and minus one where the values are integers: odd enough for a check of dozens
  // of places.
  std::memset(c_.get(), 0xff,
              static_cast<std::size_t>(product_.batch) * areas_.c * sizes_of(product_.type).output);
}

std::string Matrices::fault() const {
  const auto n = static_cast<std::size_t>(product_.n);
  const auto k = static_cast<std::size_t>(product_.k);
  const auto ld_a = static_cast<std::size_t>(product_.ld_a());
  const auto ld_b = static_cast<std::size_t>(product_.ld_b());
  const double limit = tolerance(product_.type, product_.k);
  Random random(0x94d049bb133111ebU);
  for (int place = 0; place < kPlaces; ++place) {
    const std::size_t item = random.bits() % static_cast<unsigned>(product_.batch);
    const std::size_t row = random.bits() % static_cast<unsigned>(product_.m);
    const std::size_t column = random.bits() % static_cast<unsigned>(product_.n);
    double sum = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t in_a = item * areas_.a + (product_.transpose_a ? i * ld_a + row : row * ld_a + i);
      const std::size_t in_b =
          item * areas_.b + (product_.transpose_b ? column * ld_b + i : i * ld_b + column);
      const double term =
          input(a_.get(), in_a, product_.type, true) * input(b_.get(), in_b, product_.type, false);
      sum += term;
      magnitude += std::fabs(term);
    }
    const double found = output(c_.get(), item * areas_.c + row * n + column, product_.type);
    if (!(std::fabs(found - sum) <= limit * magnitude)) {
      std::ostringstream text;
      text << '[' << row << ", " << column << "] of product " << item << " is " << found << ", not " << sum;
      return text.str();
    }
  }
  return {};
}

}  // namespace bench
