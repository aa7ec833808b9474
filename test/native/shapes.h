// Every shape up to 70 in each dimension, for one kernel: all that tiles, vectors, pairs and quadruples,
// strips and panels can leave over, and both sides of every edge.
//
// All shapes are top left parts of one product, whose sums grow with the depth: a shape costs one call of the
// GEMM, two copies and one comparison. How its operands lie and how the kernel goes about it, a hash of the
// shape chooses, so that every combination occurs many times.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../../kernels/cpu/cpu_features.h"
#include "check.h"
#include "current_shape.h"
#include "products.h"

namespace pibench::test {

inline constexpr std::int64_t kLargestExtent = 70;

// Pages with one behind them that nobody may touch. It stops also what the address sanitizer does not look
// at, such as the vector instructions with masks, and without a sanitizer.
class GuardedPages {
 public:
  explicit GuardedPages(std::size_t bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        size_((bytes + page_ - 1) / page_ * page_),
        memory_(mmap(nullptr, size_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ != MAP_FAILED && mprotect(end(), page_, PROT_NONE) == 0) return;
    std::perror("guarded pages");
    std::abort();
  }
  ~GuardedPages() { munmap(memory_, size_ + page_); }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  [[nodiscard]] std::byte* end() const { return static_cast<std::byte*>(memory_) + size_; }

 private:
  std::size_t page_, size_;
  void* memory_;
};

// Where the operands and the result lie that are not aligned: room for any of them.
struct Guarded {
  static constexpr std::size_t kMost = sizeof(double) * (kLargestExtent + 1) * (kLargestExtent + 3);
  GuardedPages a{kMost}, b{kMost}, c{kMost};
};

// A matrix beyond whose last element nobody may read or write.
template <typename Element>
class ExactMatrix {
 public:
  // An aligned one begins at a cache line, as do all its rows, and ends with its allocation, which the
  // address sanitizer watches. Any other has an odd distance between its rows and ends with the guarded
  // pages.
  ExactMatrix(std::int64_t rows, std::int64_t columns, bool aligned, std::int64_t more, Element gap,
              const GuardedPages& pages)
      : leading_(aligned ? (columns + kRow - 1) / kRow * kRow + more * kRow : (columns | 1) + 2 * more),
        size_(static_cast<std::size_t>(extent(rows, columns, leading_))),
        owned_(aligned ? static_cast<Element*>(::operator new(size_ * sizeof(Element), kAlignment))
                       : nullptr),
        elements_(aligned ? owned_.get() : reinterpret_cast<Element*>(pages.end()) - size_) {
    std::uninitialized_fill_n(elements_, size_, gap);
  }

  [[nodiscard]] std::int64_t leading() const { return leading_; }
  [[nodiscard]] Element* row(std::int64_t i) { return elements_ + i * leading_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  // Elements to which the rows of an aligned matrix are filled up: whole lines, and no less than 16.
  static constexpr std::int64_t kRow = std::max<std::int64_t>(16, 64 / sizeof(Element));

  struct Free {
    void operator()(Element* elements) const noexcept { ::operator delete(elements, kAlignment); }
  };

  std::int64_t leading_;
  std::size_t size_;
  std::unique_ptr<Element, Free> owned_;
  Element* elements_;
};

// What stands between the rows of an operand: where a kernel uses it, its sums are wrong.
template <typename Element>
constexpr Element gap_of_operand() {
  if constexpr (std::is_floating_point_v<Element>) {
    return std::numeric_limits<Element>::quiet_NaN();
  } else if constexpr (std::is_integral_v<Element>) {
    return 77;
  } else {
    return {0x7fc0};  // bfloat16's NaN
  }
}

// The largest operands of a type, and for each depth the bounds within which the sums of their product may be
// rounded. Made once: every kernel of the type multiplies the same, and they take longer to make than a
// kernel takes for hundreds of shapes.
template <DataType type>
class DeepeningProduct {
 public:
  using E = matmul::Elements<type>;
  using Operand = typename E::Operand;
  using Wide = typename E::Wide;

  static const DeepeningProduct& of_type() {
    static const DeepeningProduct one;
    return one;
  }

  // A copy of the top left part of an operand, as it is to lie in memory.
  void copy_a(ExactMatrix<Operand>& to, std::int64_t rows, std::int64_t columns, bool transposed) const {
    copy(transposed ? a_transposed_ : a_, to, rows, columns);
  }
  void copy_b(ExactMatrix<Operand>& to, std::int64_t rows, std::int64_t columns, bool transposed) const {
    copy(transposed ? b_transposed_ : b_, to, rows, columns);
  }

  // The first element of a row of C that is wrong, or `columns`. Written so that NaN is wrong. Sanitizers
  // leave it out: it asks for every element of every shape, and only reads what was written.
  __attribute__((no_sanitize("address", "thread", "undefined"))) std::int64_t first_wrong(
      const typename E::Result* row, std::int64_t i, std::int64_t columns, std::int64_t depth) const {
    const auto* least = &least_[cell(i, 0, depth)];
    const auto* most = &most_[cell(i, 0, depth)];
    std::int64_t j = 0;
    while (j < columns && static_cast<Wide>(row[j]) >= least[j] && static_cast<Wide>(row[j]) <= most[j]) ++j;
    return j;
  }

  [[nodiscard]] double sum(std::int64_t i, std::int64_t j, std::int64_t depth) const {
    const std::size_t at = cell(i, j, depth);
    return (static_cast<double>(least_[at]) + static_cast<double>(most_[at])) / 2;
  }

 private:
  static constexpr std::size_t kSide = kLargestExtent;
  static constexpr std::size_t kCells = kSide * kSide;

  DeepeningProduct() {
    Random random(static_cast<std::uint64_t>(type));
    for (std::size_t i = 0; i < kCells; ++i) {
      a_[i] = draw(random);
      b_[i] = draw(random);
    }
    for (std::size_t i = 0; i < kSide; ++i) {
      for (std::size_t j = 0; j < kSide; ++j) {
        a_transposed_[j * kSide + i] = a_[i * kSide + j];
        b_transposed_[j * kSide + i] = b_[i * kSide + j];
      }
    }
    std::vector<Wide> sums(kCells);
    std::vector<double> sizes(kCells);
    for (std::size_t depth = 0; depth < kSide; ++depth) {
      add_depth(depth, sums, sizes);
      for (std::size_t at = 0; at < kCells; ++at) {
        // The bound of rounding in any order of summation, which no right kernel can pass (Higham 2002, 3.1).
        const auto limit = static_cast<Wide>(E::kUnit * static_cast<double>(depth + 3) * sizes[at]);
        least_[depth * kCells + at] = sums[at] - limit;
        most_[depth * kCells + at] = sums[at] + limit;
      }
    }
  }

  void add_depth(std::size_t depth, std::vector<Wide>& sums, std::vector<double>& sizes) const {
    for (std::size_t i = 0; i < kSide; ++i) {
      const Wide x = matmul::detail::widen_to<Wide>(a_[i * kSide + depth]);
      for (std::size_t j = 0; j < kSide; ++j) {
        const std::size_t at = i * kSide + j;
        const Wide product = x * matmul::detail::widen_to<Wide>(b_[depth * kSide + j]);
        sums[at] += product;
        sizes[at] += std::abs(static_cast<double>(product));
      }
    }
  }

  // Of a sum of so many products, in the bounds.
  static std::size_t cell(std::int64_t i, std::int64_t j, std::int64_t depth) {
    return static_cast<std::size_t>(((depth - 1) * kLargestExtent + i) * kLargestExtent + j);
  }

  // A quarter of the integers are the extreme ones, whose neighbours' products are the first to overflow.
  static Operand draw(Random& random) {
    if constexpr (std::is_integral_v<Operand>) {
      using Limits = std::numeric_limits<Operand>;
      if (pick(random, 0, 3) == 0) return pick(random, 0, 1) == 0 ? Limits::min() : Limits::max();
    }
    return random_element<Operand>(random);
  }

  static void copy(const std::vector<Operand>& from, ExactMatrix<Operand>& to, std::int64_t rows,
                   std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i) {
      std::copy_n(&from[static_cast<std::size_t>(i) * kSide], columns, to.row(i));
    }
  }

  std::vector<Operand> a_ = std::vector<Operand>(kCells), b_ = a_, a_transposed_ = a_, b_transposed_ = a_;
  std::vector<Wide> least_ = std::vector<Wide>(kSide * kCells), most_ = least_;
};

// How one shape is computed.
struct Manner {
  Given given;
  bool a_aligned, b_aligned, c_aligned;
};

inline std::string describe(const Manner& manner) {
  const auto word = [](bool aligned) { return aligned ? "aligned" : "unaligned"; };
  return describe(manner.given) + ", A " + word(manner.a_aligned) + ", B " + word(manner.b_aligned) + ", C " +
         word(manner.c_aligned);
}

// Numbers that the kernel and the shape determine, drawn one after the other (SplitMix64).
class ShapeHash {
 public:
  ShapeHash(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape) {
    for (const char* letter = set.name; *letter != '\0'; ++letter) absorb(*letter);
    absorb(static_cast<std::int64_t>(kernel.type));
    absorb(kernel.nr);
    absorb((shape.m * 128 + shape.n) * 128 + shape.k);
  }

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }
  bool coin() { return below(2) == 1; }

 private:
  void absorb(std::int64_t value) {
    state_ ^= static_cast<std::uint64_t>(value);
    state_ = next();
  }
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_ = 0;
};

// By few vectors, in small blocks, asking ahead or not.
inline Manner choose_thin_manner(const InstructionSet& set, const MicroKernel& kernel, GemmShape shape) {
  ShapeHash hash(set, kernel, shape);
  shape.transpose_a = hash.coin();
  shape.transpose_b = hash.coin();
  Manner manner{{&set, &kernel, shape, std::nullopt, 0, 0, 0}, hash.coin(), hash.coin(), hash.coin()};
  manner.given.thin = {1, 1 + hash.below(100), 1 + hash.below(100), hash.coin()};
  return manner;
}

// Half of the shapes are computed by small blocks and what can be read in place or not, a quarter as the
// product chooses by itself, and a quarter as it would on cores of another maker.
inline Manner choose_manner(const InstructionSet& set, const MicroKernel& kernel, GemmShape shape) {
  ShapeHash hash(set, kernel, shape);
  shape.transpose_a = hash.coin();
  shape.transpose_b = hash.coin() && !kernel.joins_b;
  shape.prepack_b = hash.below(4) == 0 && !kernel.joins_b;
  Manner manner{{&set, &kernel, shape, std::nullopt, 0, 0, 0}, hash.coin(), hash.coin(), hash.coin()};
  if (hash.coin()) {
    auto& strategy = manner.given.strategy.emplace();
    strategy.blocking.mc = 1 + hash.below(40);
    strategy.blocking.kc = 1 + hash.below(40);
    strategy.blocking.nc = kernel.nr * (1 + hash.below(3));
    strategy.a_in_place = hash.coin() && can_read_a_in_place(kernel, shape);
    strategy.b_in_place = (hash.coin() || kernel.joins_b) && can_read_b_in_place(kernel, shape);
    strategy.b_rows = hash.coin() ? 1 + static_cast<int>(hash.below(40)) : 0;
    strategy.by_lines = hash.coin();
    if (strategy.b_rows > 0) strategy.blocking.kc = 1 + hash.below(kLargestExtent);
    strategy.b_ahead = hash.coin();
    strategy.b_copied = hash.coin() && !kernel.joins_b;
    if (strategy.b_copied) {
      strategy.a_in_place = strategy.a_in_place && kernel.copies_in_place;
      strategy.b_in_place = false;
      strategy.b_rows = 0;
    }
    strategy.b_asked = hash.coin();
    strategy.evenly = hash.coin();
    strategy.rows_outside = hash.below(3) == 0;
    strategy.in_pairs = hash.coin();
    strategy.c_asked = hash.coin();
    strategy.halves = hash.coin();
    strategy.spreading = hash.coin();
    strategy.plain = hash.coin();
    strategy.to_the_middle = hash.coin();
    strategy.stream_c = hash.coin() && shape.k <= strategy.blocking.kc;
    if (kernel.row_multiple == 1) strategy.strip_rows = static_cast<int>(hash.below(kernel.mr + 1));
  } else {
    // By the rules for cores of any kind.
    const auto cores = static_cast<kernels::CoreKind>(hash.below(3));
    if (cores != kernels::core_kind()) manner.given.strategy = choose_strategy(kernel, shape, 1, cores);
  }
  return manner;
}

// Computes one shape. What is wrong with it, or nothing.
template <DataType type>
std::optional<std::string> wrong_with(Manner& manner, const DeepeningProduct<type>& product, Team& team,
                                      const Guarded& memory) {
  using E = matmul::Elements<type>;
  using Operand = typename E::Operand;
  auto& given = manner.given;
  const auto& shape = given.shape;
  const auto more = (shape.m + shape.n + shape.k) % 2;
  const auto operand = [more](std::int64_t rows, std::int64_t columns, bool aligned, const auto& pages) {
    return ExactMatrix<Operand>(rows, columns, aligned, more, gap_of_operand<Operand>(), pages);
  };
  const auto [a_rows, a_columns] =
      shape.transpose_a ? std::pair{shape.k, shape.m} : std::pair{shape.m, shape.k};
  const auto [b_rows, b_columns] =
      shape.transpose_b ? std::pair{shape.n, shape.k} : std::pair{shape.k, shape.n};
  auto a = operand(a_rows, a_columns, manner.a_aligned, memory.a);
  auto b = operand(b_rows, b_columns, manner.b_aligned, memory.b);
  ExactMatrix<typename E::Result> c(shape.m, shape.n, manner.c_aligned, more, E::poison(), memory.c);
  product.copy_a(a, a_rows, a_columns, shape.transpose_a);
  product.copy_b(b, b_rows, b_columns, shape.transpose_b);
  given.lda = a.leading();
  given.ldb = b.leading();
  given.ldc = c.leading();

  // By this kernel, whether or not it would be chosen.
  const auto gemm = given.thin || given.strategy
                        ? gemm_of(given, team)
                        : make_blocked_gemm(*given.set, *given.kernel, given.shape, team);
  const kernels::GemmOperands operands{a.row(0), b.row(0), c.row(0), given.lda, given.ldb, given.ldc};
  const CurrentShape current(given);
  gemm->prepack(operands);
  gemm->run(operands);

  const typename E::Result* gap = c.row(0);
  for (std::int64_t i = 0; i < shape.m; ++i) {
    const auto* row = c.row(i);
    if (!std::all_of(gap, row, is_poison<typename E::Result>)) return "written between the rows of C";
    gap = row + shape.n;
    const std::int64_t j = product.first_wrong(row, i, shape.n, shape.k);
    if (j < shape.n)
      return matmul::detail::place(i, j, static_cast<double>(row[j]), product.sum(i, j, shape.k));
  }
  return std::nullopt;
}

// Every `stride`-th depth of each m and n, beginning at another for each: up to a stride of 70 no m and n is
// left out. `thin`: those of few rows or columns, as a matrix and few vectors; of so few as a kernel takes at
// a time, ten times as many.
template <DataType type>
void check_shapes(Checks& check, const InstructionSet& set, const MicroKernel& kernel, std::int64_t stride,
                  bool thin) {
  const auto begin = std::chrono::steady_clock::now();
  Team team(1, {});
  const auto& product = DeepeningProduct<type>::of_type();
  const Guarded memory;
  // Few enough to leave none out where a tenth of the others is looked at.
  const std::int64_t stride_of_few = std::max<std::int64_t>(1, stride / 10);
  std::int64_t shapes = 0;
  std::string why;
  for (std::int64_t k = 1; k <= kLargestExtent; ++k) {
    for (std::int64_t m = 1; m <= kLargestExtent && why.empty(); ++m) {
      for (std::int64_t n = 1; n <= kLargestExtent && why.empty(); ++n) {
        const bool few = thin && std::min(m, n) <= kernels::kThinVectors;
        const std::int64_t step = few ? stride_of_few : stride;
        const std::int64_t first = ShapeHash(set, kernel, {m, n, 0}).below(step);
        if ((k + first) % step != 0) continue;
        Manner manner =
            thin ? choose_thin_manner(set, kernel, {m, n, k}) : choose_manner(set, kernel, {m, n, k});
        if (thin && !can_be_thin(kernel, manner.given.shape)) continue;
        ++shapes;
        if (const auto wrong = wrong_with(manner, product, team, memory))
          why = describe(manner) + ": " + *wrong;
      }
    }
  }
  const std::string name = std::string(set.name) + " " + name_of(type) + " by " +
                           (thin ? "few vectors" : std::to_string(kernel.nr) + " columns") +
                           (kernel.joins_b ? " of B as it lies" : "");
  check.that(why.empty() && shapes > 0, name + ": shapes up to 70 x 70 x 70 are right and stay within C",
             why);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  Checks::progress(name + ": " + std::to_string(shapes) + " shapes, " + std::to_string(seconds.count()) +
                   " s");
}

inline void check_shapes(Checks& check, const InstructionSet& set, const MicroKernel& kernel,
                         std::int64_t stride, bool thin) {
  for_each_type([&](auto type) {
    if (type.value == kernel.type) check_shapes<type.value>(check, set, kernel, stride, thin);
  });
}

}  // namespace pibench::test
