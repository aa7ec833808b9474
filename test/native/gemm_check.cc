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
using pibench::kernels::Strategy;
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
  std::optional<Strategy> strategy;  // none: chosen from the caches, through the public entry
  std::int64_t lda, ldb, ldc;
};

std::string describe(const Given& given) {
  const auto& shape = given.shape;
  std::string text = std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
                     std::to_string(shape.k) + (shape.transpose_a ? ", A transposed" : "") +
                     (shape.transpose_b ? ", B transposed" : "") + (shape.prepack_b ? ", prepacked" : "") +
                     ", batch " + std::to_string(shape.batch) + ", leading " + std::to_string(given.lda) +
                     ", " + std::to_string(given.ldb) + ", " + std::to_string(given.ldc);
  if (given.strategy) {
    const auto& [partition, blocking, a_in_place, b_in_place] = *given.strategy;
    text += ", grid " + std::to_string(partition.products) + ", " + std::to_string(partition.rows) + ", " +
            std::to_string(partition.columns) + ", blocks " + std::to_string(blocking.mc) + ", " +
            std::to_string(blocking.nc) + ", " + std::to_string(blocking.kc) +
            (a_in_place ? ", A in place" : "") + (b_in_place ? ", B in place" : "");
  }
  return text;
}

bool coin(Random& random) { return pick(random, 0, 1) == 1; }

// Any grid that so many members can form.
pibench::kernels::Partition pick_partition(Random& random, const GemmShape& shape, int members) {
  pibench::kernels::Partition partition;
  partition.products = static_cast<int>(pick(random, 1, std::min<std::int64_t>(members, shape.batch)));
  if (partition.products > 1) return partition;
  partition.rows = static_cast<int>(pick(random, 1, members));
  partition.columns = static_cast<int>(pick(random, 1, members / partition.rows));
  return partition;
}

Strategy pick_strategy(Random& random, const MicroKernel& kernel, const GemmShape& shape, int members) {
  Strategy strategy;
  strategy.partition = pick_partition(random, shape, members);
  strategy.blocking = {pick(random, 1, 40), pick(random, 1, 40), kernel.nr * pick(random, 1, 3)};
  if (kernel.in_place != nullptr) {
    strategy.a_in_place = coin(random);
    strategy.b_in_place = coin(random) && !shape.transpose_b && !shape.prepack_b;
  }
  return strategy;
}

Given pick_given(Random& random, const InstructionSet& set, const MicroKernel& kernel, int members,
                 bool own_strategy) {
  Given given{&set, &kernel, pick_shape(random), std::nullopt, 0, 0, 0};
  GemmShape& shape = given.shape;
  shape.transpose_a = coin(random);
  shape.transpose_b = coin(random);
  shape.prepack_b = pick(random, 0, 3) == 0;
  if (pick(random, 0, 3) == 0) shape.batch = pick(random, 2, 5);
  const auto padding = [&random] { return pick(random, 0, 1) * pick(random, 0, 9); };
  given.lda = (shape.transpose_a ? shape.m : shape.k) + padding();
  given.ldb = (shape.transpose_b ? shape.k : shape.n) + padding();
  given.ldc = shape.n + padding();
  if (own_strategy) given.strategy = pick_strategy(random, kernel, shape, members);
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
std::vector<Element> random_matrices(Random& random, std::int64_t count, std::int64_t stride,
                                     std::int64_t last) {
  std::vector<Element> elements(static_cast<std::size_t>((count - 1) * stride + last));
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

// Elements from the first of a matrix to its last.
std::int64_t extent(std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  return (rows - 1) * leading + columns;
}

// The first element that is wrong in one product of a batch, or nothing.
template <DataType type>
std::optional<std::string> wrong_in(const pibench::matmul::Product<type>& p, std::int64_t ldc,
                                    std::int64_t written) {
  using E = pibench::matmul::Elements<type>;
  using Wide = typename E::Wide;
  std::vector<Wide> sums(static_cast<std::size_t>(p.n));
  std::vector<double> sizes(static_cast<std::size_t>(p.n));
  for (std::int64_t i = 0; i < p.m; ++i) {
    std::fill(sums.begin(), sums.end(), Wide{0});
    std::fill(sizes.begin(), sizes.end(), 0.0);
    for (std::int64_t l = 0; l < p.k; ++l) {
      const auto x = pibench::matmul::detail::widen_to<Wide>(p.a.at(i, l));
      for (std::size_t j = 0; j < sums.size(); ++j) {
        const Wide product =
            x * pibench::matmul::detail::widen_to<Wide>(p.b.at(l, static_cast<std::int64_t>(j)));
        sums[j] += product;
        sizes[j] += std::abs(static_cast<double>(product));
      }
    }
    const auto* row = p.c + i * ldc;
    for (std::size_t j = 0; j < sums.size(); ++j) {
      // The bound of rounding in any order of summation, which no right kernel can pass (Higham 2002, 3.1).
      const double limit = E::kUnit * static_cast<double>(p.k + 2) * sizes[j];
      const auto difference = static_cast<double>(static_cast<Wide>(row[j]) - sums[j]);
      if (!(std::abs(difference) <= limit)) {
        return pibench::matmul::detail::place(i, static_cast<std::int64_t>(j), static_cast<double>(row[j]),
                                              static_cast<double>(sums[j]));
      }
    }
    for (std::int64_t j = p.n; j < ldc && i * ldc + j < written; ++j) {
      if (!is_poison(row[j])) return "written between the rows of C";
    }
  }
  return std::nullopt;
}

// The first thing that is wrong with one call, or nothing.
template <DataType type>
std::optional<std::string> wrong_with(const Given& given, Team& team, Random& random) {
  using E = pibench::matmul::Elements<type>;
  using Result = typename E::Result;
  const auto& shape = given.shape;
  const std::int64_t a_extent =
      shape.transpose_a ? extent(shape.k, shape.m, given.lda) : extent(shape.m, shape.k, given.lda);
  const std::int64_t b_extent =
      shape.transpose_b ? extent(shape.n, shape.k, given.ldb) : extent(shape.k, shape.n, given.ldb);
  const std::int64_t c_extent = extent(shape.m, shape.n, given.ldc);
  // One element between two products.
  const auto a = random_matrices<typename E::Operand>(random, shape.batch, a_extent + 1, a_extent);
  const auto b = random_matrices<typename E::Operand>(random, shape.batch, b_extent + 1, b_extent);
  std::vector<Result> c(static_cast<std::size_t>(shape.batch * (c_extent + 1) - 1), E::poison());

  const auto gemm = given.strategy
                        ? make_blocked_gemm(*given.set, *given.kernel, shape, team, &*given.strategy)
                        : make_gemm(type, shape, given.set->name, team);
  if (std::string(gemm->isa()) != given.set->name)
    return "another instruction set: " + std::string(gemm->isa());
  const pibench::kernels::GemmOperands operands{a.data(),  b.data(),     c.data(),     given.lda,   given.ldb,
                                                given.ldc, a_extent + 1, b_extent + 1, c_extent + 1};
  gemm->prepack(operands);
  gemm->run(operands);
  const auto first = c;
  gemm->run(operands);
  if (std::memcmp(first.data(), c.data(), c.size() * sizeof(Result)) != 0) return "not the same twice";

  for (std::int64_t i = 0; i < shape.batch; ++i) {
    const auto view = [](const auto* data, std::int64_t leading, bool transposed) {
      return pibench::matmul::Matrix{data, transposed ? 1 : leading, transposed ? leading : 1};
    };
    const pibench::matmul::Product<type> product{
        shape.m,
        shape.n,
        shape.k,
        view(a.data() + i * (a_extent + 1), given.lda, shape.transpose_a),
        view(b.data() + i * (b_extent + 1), given.ldb, shape.transpose_b),
        c.data() + i * (c_extent + 1)};
    const std::int64_t written = i + 1 < shape.batch ? c_extent + 1 : c_extent;
    if (const auto wrong = wrong_in(product, given.ldc, written)) return wrong;
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
  all.push_back(&pibench::kernels::kAvx512Bf16);
  all.push_back(&pibench::kernels::kAvx512Vnni);
#endif
  return all;
}

void check_kernel(Checks& check, const InstructionSet& set, const MicroKernel& kernel, Team& team,
                  int shapes) {
  // The same shapes on every machine.
  Random random(static_cast<std::uint64_t>(kernel.mr) * 1000 + static_cast<std::uint64_t>(kernel.type) * 10 +
                static_cast<std::uint64_t>(team.size()));
  for (const bool own_strategy : {false, true}) {
    std::string why;
    for (int i = 0; i < shapes && why.empty(); ++i) {
      const Given given = pick_given(random, set, kernel, team.size(), own_strategy);
      if (const auto wrong = wrong_with(given, team, random)) why = describe(given) + ": " + *wrong;
    }
    check.that(why.empty(),
               std::string(set.name) + " " + pibench::test::name_of(kernel.type) + ", " +
                   std::to_string(team.size()) + (own_strategy ? " threads, any strategy: " : " threads: ") +
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
        static_cast<void>(pibench::kernels::make_gemm(DataType::float64, {1, 1, 1}, "avx512_vnni", team));
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
  const auto& [source_size, packed_size, multiple, trailer, pack_a, pack_b] = pibench::kernels::kPackFloat32;
  pack_b.along_lanes(source.data(), 5, 3, 2, 4, packed.data());
  check.that(packed == std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0}, "a panel of B is filled up with zeros");
  packed.assign(6, 7);
  pack_a.along_depth(source.data(), 5, 2, 3, 2, packed.data());
  check.that(packed == std::vector<float>{1, 4, 2, 5, 3, 6}, "a strip of A is transposed");

  // Pairs: the third element of each lane has a zero beside it.
  const std::vector<std::int8_t> bytes{1, 2, 3, -4, -5, -128};
  std::vector<std::int16_t> pairs(8, 7);
  pibench::kernels::kPackInt8AsInt16Pairs.a.along_depth(bytes.data(), 3, 2, 3, 2, pairs.data());
  check.that(pairs == std::vector<std::int16_t>{1, 2, -4, -5, 3, 0, -128, 0},
             "pairs of the depth are neighbours, and the depth is filled up with zeros");
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
