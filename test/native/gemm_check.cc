// The GEMM against the definition of the product: every kernel that runs here, random and awkward shapes,
// padded matrices, small blocks, one to three threads. An argument multiplies the number of shapes, for a
// longer hunt.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "../../kernels/cpu/blocking.h"
#include "../../kernels/cpu/cpu_features.h"
#include "../../kernels/cpu/gemm.h"
#include "../../kernels/cpu/instruction_set.h"
#include "../../kernels/cpu/loop_nest.h"
#include "../../native/threads/team.h"
#include "check.h"
#include "matrices.h"

namespace {

using pibench::Team;
using pibench::kernels::Blocking;
using pibench::kernels::DataType;
using pibench::kernels::GemmShape;
using pibench::kernels::InstructionSet;
using pibench::kernels::MicroKernel;
using pibench::test::Checks;

using Random = std::mt19937_64;

std::int64_t pick(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution(least, most)(random);
}

// Extents about the edges of tiles, vectors and the steps of packing, and primes.
std::int64_t pick_extent(Random& random) {
  constexpr std::array<std::int64_t, 18> kAwkward{1,  2,  3,  4,  5,  7,  13, 14, 15,
                                                  16, 17, 29, 31, 32, 33, 61, 97, 127};
  if (pick(random, 0, 1) == 0) return pick(random, 1, 90);
  return kAwkward.at(static_cast<std::size_t>(pick(random, 0, std::ssize(kAwkward) - 1)));
}

GemmShape pick_shape(Random& random) {
  GemmShape shape{pick_extent(random), pick_extent(random), pick_extent(random)};
  switch (pick(random, 0, 8)) {  // skinny in one direction
    case 0:
      shape = {pick(random, 500, 1500), pick(random, 1, 9), pick(random, 1, 40)};
      break;
    case 1:
      shape = {pick(random, 1, 9), pick(random, 500, 1500), pick(random, 1, 40)};
      break;
    case 2:
      shape = {pick(random, 1, 9), pick(random, 1, 40), pick(random, 500, 1500)};
      break;
    default:
      break;
  }
  return shape;
}

struct Given {
  const InstructionSet* set;
  const MicroKernel* kernel;
  GemmShape shape;
  std::optional<Blocking> blocking;  // none: chosen from the caches, through the public entry
  std::int64_t lda, ldb, ldc;
};

std::string describe(const Given& given) {
  const auto [m, n, k] = given.shape;
  std::string text = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
                     ", leading " + std::to_string(given.lda) + ", " + std::to_string(given.ldb) + ", " +
                     std::to_string(given.ldc);
  if (given.blocking) {
    text += ", blocks " + std::to_string(given.blocking->mc) + ", " + std::to_string(given.blocking->nc) +
            ", " + std::to_string(given.blocking->kc);
  }
  return text;
}

Given pick_given(Random& random, const InstructionSet& set, const MicroKernel& kernel, bool small_blocks) {
  Given given{&set, &kernel, pick_shape(random), std::nullopt, 0, 0, 0};
  const auto padding = [&random] { return pick(random, 0, 1) * pick(random, 0, 9); };
  given.lda = given.shape.k + padding();
  given.ldb = given.shape.n + padding();
  given.ldc = given.shape.n + padding();
  if (small_blocks)
    given.blocking = Blocking{pick(random, 1, 40), pick(random, 1, 40), kernel.nr * pick(random, 1, 3)};
  return given;
}

template <typename Element>
Element random_element(Random& random) {
  if constexpr (std::is_integral_v<Element>) {
    return static_cast<Element>(
        pick(random, std::numeric_limits<Element>::min(), std::numeric_limits<Element>::max()));
  } else {
    const auto x = std::uniform_real_distribution<double>(-1, 1)(random);
    if constexpr (std::is_floating_point_v<Element>) {
      return static_cast<Element>(x);
    } else {
      return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16U)};
    }
  }
}

// Matrices that end with their last element, so that the address sanitizer sees what reads or writes beyond.
template <typename Element>
std::vector<Element> random_matrix(Random& random, std::int64_t rows, std::int64_t columns,
                                   std::int64_t leading) {
  std::vector<Element> elements(static_cast<std::size_t>((rows - 1) * leading + columns));
  for (Element& element : elements) element = random_element<Element>(random);
  return elements;
}

// Whether nobody has written here.
template <typename Result>
bool is_poison(Result x) {
  if constexpr (std::is_floating_point_v<Result>) {
    return std::isnan(x);
  } else {
    return x == pibench::matmul::Elements<DataType::int8>::poison();
  }
}

// The first thing that is wrong with one product, or nothing.
template <DataType type>
std::optional<std::string> wrong_with(const Given& given, Team& team, Random& random) {
  using E = pibench::matmul::Elements<type>;
  using Wide = typename E::Wide;
  using Result = typename E::Result;
  const auto [m, n, k] = given.shape;
  const auto a = random_matrix<typename E::Operand>(random, m, k, given.lda);
  const auto b = random_matrix<typename E::Operand>(random, k, n, given.ldb);
  std::vector<Result> c(static_cast<std::size_t>((m - 1) * given.ldc + n), E::poison());

  const auto gemm = given.blocking
                        ? make_blocked_gemm(*given.set, *given.kernel, given.shape, team, &*given.blocking)
                        : make_gemm(type, given.shape, given.set->name, team);
  if (std::string(gemm->isa()) != given.set->name)
    return "another instruction set: " + std::string(gemm->isa());
  const pibench::kernels::GemmOperands operands{a.data(),  b.data(),  c.data(),
                                                given.lda, given.ldb, given.ldc};
  gemm->run(operands);
  const auto first = c;
  gemm->run(operands);
  if (std::memcmp(first.data(), c.data(), c.size() * sizeof(Result)) != 0) return "not the same twice";

  std::vector<Wide> sums(static_cast<std::size_t>(n));
  std::vector<double> sizes(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < m; ++i) {
    std::fill(sums.begin(), sums.end(), Wide{0});
    std::fill(sizes.begin(), sizes.end(), 0.0);
    for (std::int64_t p = 0; p < k; ++p) {
      const auto x = pibench::matmul::detail::widen_to<Wide>(a[static_cast<std::size_t>(i * given.lda + p)]);
      for (std::size_t j = 0; j < sums.size(); ++j) {
        const Wide product =
            x * pibench::matmul::detail::widen_to<Wide>(b[static_cast<std::size_t>(p * given.ldb) + j]);
        sums[j] += product;
        sizes[j] += std::abs(static_cast<double>(product));
      }
    }
    const Result* row = &c[static_cast<std::size_t>(i * given.ldc)];
    for (std::size_t j = 0; j < sums.size(); ++j) {
      // The bound of rounding in any order of summation, which no right kernel can pass (Higham 2002, 3.1).
      const double limit = E::kUnit * static_cast<double>(k + 2) * sizes[j];
      const auto difference = static_cast<double>(static_cast<Wide>(row[j]) - sums[j]);
      if (!(std::abs(difference) <= limit)) {
        return pibench::matmul::detail::place(i, static_cast<std::int64_t>(j), static_cast<double>(row[j]),
                                              static_cast<double>(sums[j]));
      }
    }
    for (std::int64_t j = n; i < m - 1 && j < given.ldc; ++j) {
      if (!is_poison(row[j])) return "written between the rows of C";
    }
  }
  return std::nullopt;
}

std::optional<std::string> wrong_with(const Given& given, Team& team, Random& random) {
  std::optional<std::string> wrong;
  pibench::test::for_each_type([&](auto type) {
    if (type.value == given.kernel->type) wrong = wrong_with<type.value>(given, team, random);
  });
  return wrong;
}

std::vector<const InstructionSet*> instruction_sets() {
  std::vector<const InstructionSet*> all{&pibench::kernels::kPortable};
#if defined(__x86_64__)
  all.push_back(&pibench::kernels::kAvx2);
  all.push_back(&pibench::kernels::kAvx512);
#endif
  return all;
}

void check_kernel(Checks& check, const InstructionSet& set, const MicroKernel& kernel, Team& team,
                  int shapes) {
  // The same shapes on every machine.
  Random random(static_cast<std::uint64_t>(kernel.mr) * 1000 + static_cast<std::uint64_t>(kernel.type) * 10 +
                static_cast<std::uint64_t>(team.size()));
  for (const bool small_blocks : {false, true}) {
    std::string why;
    for (int i = 0; i < shapes && why.empty(); ++i) {
      const Given given = pick_given(random, set, kernel, small_blocks);
      if (const auto wrong = wrong_with(given, team, random)) why = describe(given) + ": " + *wrong;
    }
    check.that(why.empty(),
               std::string(set.name) + " " + pibench::test::name_of(kernel.type) + ", " +
                   std::to_string(team.size()) + (small_blocks ? " threads, small blocks: " : " threads: ") +
                   std::to_string(shapes) + " shapes are right, twice, and stay within C",
               why);
  }
  std::string why;
  for (std::int64_t rows = 1; rows <= kernel.mr + 1 && why.empty(); ++rows) {
    const Given given{
        &set, &kernel, {rows, kernel.nr + rows - 1, 3}, std::nullopt, 3, kernel.nr + rows, kernel.nr + rows};
    if (const auto wrong = wrong_with(given, team, random)) why = describe(given) + ": " + *wrong;
  }
  check.that(
      why.empty(),
      std::string(set.name) + " " + pibench::test::name_of(kernel.type) + ": every height of a tile is right",
      why);
}

void check_dispatch(Checks& check) {
  Team team(1, {});
  check.throws<std::invalid_argument>(
      [&team] {
        static_cast<void>(pibench::kernels::make_gemm(DataType::float32, {1, 1, 1}, "sse9", team));
      },
      "an unknown instruction set is refused");
  check.throws<std::invalid_argument>(
      [&team] {
        static_cast<void>(pibench::kernels::make_gemm(DataType::float64, {1, 1, 1}, "avx2", team));
      },
      "a kernel that was not built is refused");
  for (const GemmShape shape :
       {GemmShape{0, 1, 1}, GemmShape{1, 0, 1}, GemmShape{1, 1, 0}, GemmShape{-1, 1, 1}}) {
    check.throws<std::invalid_argument>(
        [&] { static_cast<void>(pibench::kernels::make_gemm(DataType::float32, shape, "", team)); },
        "an empty shape is refused");
  }
  pibench::test::for_each_type([&](auto type) {
    const auto best = pibench::kernels::make_gemm(type.value, {5, 5, 5}, nullptr, team);
    std::string first;
    for (const auto& kernel : pibench::kernels::kernel_list()) {
      if (kernel.type == type.value && kernel.runs_here && first.empty()) first = kernel.isa;
    }
    check.that(first == best->isa(),
               pibench::test::name_of(type.value) + ": the best kernel is the first of the list", first);
  });
}

void check_packing(Checks& check) {
  // 2 rows of 3 columns, 5 apart, into panels of 4: the last column is zero, whatever was there.
  const std::vector<float> source{1, 2, 3, 9, 9, 4, 5, 6};
  std::vector<float> packed(8, 7);
  pibench::kernels::kPackFloat32.pack_b(source.data(), 5, 2, 3, 4, packed.data());
  check.that(packed == std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0}, "a panel of B is filled up with zeros");
  packed.assign(6, 7);
  pibench::kernels::kPackFloat32.pack_a(source.data(), 5, 2, 3, packed.data());
  check.that(packed == std::vector<float>{1, 4, 2, 5, 3, 6}, "a strip of A is transposed");
}

void check_peak_loops(Checks& check) {
  using pibench::kernels::run_peak_loop;
  for (const InstructionSet* set : instruction_sets()) {
    if ((set->needs & ~pibench::kernels::cpu_features()) != 0) continue;
    for (int i = 0; i < set->peak_count; ++i) {
      const DataType type = set->peaks[i].type;
      const std::uint64_t once = run_peak_loop(type, set->name, 1);
      check.that(once > 0 && run_peak_loop(type, set->name, 1000) == 1000 * once,
                 std::string(set->name) + " " + pibench::test::name_of(type) +
                     ": the peak loop counts its operations");
    }
  }
  check.equal(run_peak_loop(DataType::float32, "sse9", 10), std::uint64_t{0}, "no loop, no operations");
}

void check_blocking(Checks& check) {
  bool covers = true;
  for (std::int64_t extent = 1; extent <= 200; ++extent) {
    for (std::int64_t most = 1; most <= 40; ++most) {
      for (const std::int64_t unit : {1, 4, 6}) {
        const std::int64_t piece = pibench::kernels::even_piece(extent, most, unit);
        const std::int64_t limit = (std::max(most, unit) + unit - 1) / unit * unit;
        covers = covers && piece > 0 && piece % unit == 0 && piece <= limit;
      }
    }
  }
  check.that(covers, "pieces of an extent are whole units and not larger than asked");

  bool fits = true;
  for (const InstructionSet* set : instruction_sets()) {
    for (int i = 0; i < set->kernel_count; ++i) {
      const MicroKernel& kernel = set->kernels[i];
      for (const GemmShape shape : {GemmShape{1, 1, 1}, GemmShape{1, 100'000, 1}, GemmShape{100'000, 1, 7},
                                    GemmShape{3, 5, 1'000'000}, GemmShape{30'000, 30'000, 30'000}}) {
        for (const pibench::kernels::CacheSizes caches :
             {pibench::kernels::CacheSizes{1, 1, 1}, {32 << 10, 1 << 20, 1 << 25}}) {
          const Blocking blocks = choose_blocking(kernel, caches, shape, 2);
          fits = fits && blocks.mc >= 1 && blocks.mc <= shape.m && blocks.kc >= 1 && blocks.kc <= shape.k &&
                 blocks.nc >= kernel.nr && blocks.nc % kernel.nr == 0 && blocks.nc < shape.n + kernel.nr;
        }
      }
    }
  }
  check.that(fits, "blocks are never empty and never larger than the shape, whatever the caches");
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kShapes = 40;
  const int shapes = kShapes * (argc > 1 ? std::max(1, std::atoi(argv[1])) : 1);
  Checks check;
  for (int threads = 1; threads <= 3; ++threads) {
    Team team(threads, {});
    for (const InstructionSet* set : instruction_sets()) {
      if ((set->needs & ~pibench::kernels::cpu_features()) != 0) {
        Checks::inform(std::string(set->name) + " does not run here");
        continue;
      }
      for (int i = 0; i < set->kernel_count; ++i) check_kernel(check, *set, set->kernels[i], team, shapes);
    }
  }
  check_dispatch(check);
  check_packing(check);
  check_peak_loops(check);
  check_blocking(check);
  return check.finish();
}
