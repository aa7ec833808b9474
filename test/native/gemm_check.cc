// The GEMM against the definition of the product: every kernel that runs here, random and awkward shapes,
// padded matrices, small blocks, one to three threads. The first argument multiplies the number of shapes,
// for a longer hunt or a shorter one; those after it name instruction sets; none: all.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../kernels/cpu/cpu_features.h"
#include "../../kernels/cpu/gemm/blocking.h"
#include "../../kernels/cpu/gemm/dispatch.h"
#include "../../kernels/cpu/gemm/gemm.h"
#include "../../kernels/cpu/gemm/instruction_set.h"
#include "../../kernels/cpu/gemm/loop_nest.h"
#include "../../kernels/cpu/gemm/thin.h"
#include "../../native/threads/team.h"
#include "check.h"
#include "instruction_sets.h"
#include "peak_loops.h"
#include "products.h"

namespace {

using pibench::Team;
using pibench::kernels::Blocking;
using pibench::kernels::core_kind;
using pibench::kernels::CoreKind;
using pibench::kernels::DataType;
using pibench::kernels::GemmShape;
using pibench::kernels::InstructionSet;
using pibench::kernels::MicroKernel;
using pibench::test::Checks;
using pibench::test::describe;
using pibench::test::Given;
using pibench::test::instruction_sets;
using pibench::test::kLeastThreads;
using pibench::test::pick_given;
using pibench::test::pick_thin;
using pibench::test::Random;
using pibench::test::runs_here;

// Cores with rules of their own for the same kernels.
constexpr std::array kKinds{CoreKind::kOther, CoreKind::kIntel, CoreKind::kZen5};

void check_kernel(Checks& check, const InstructionSet& set, const MicroKernel& kernel, Team& team,
                  int shapes) {
  // The same shapes on every machine.
  Random random(static_cast<std::uint64_t>(kernel.mr) * 1000 + static_cast<std::uint64_t>(kernel.type) * 10 +
                static_cast<std::uint64_t>(team.size()));
  for (const bool own_strategy : {false, true}) {
    std::string why;
    for (int i = 0; i < shapes && why.empty(); ++i) {
      Given given = pick_given(random, set, kernel, team.size(), own_strategy);
      // Most of them as on cores of another kind.
      const CoreKind cores = kKinds.at(static_cast<std::size_t>(i % 3));
      if (!own_strategy && cores != core_kind())
        given.strategy = choose_strategy(kernel, computed_shape(given), team.size(), cores);
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

// A matrix and few vectors, also where it would never be chosen.
void check_thin(Checks& check, const InstructionSet& set, const MicroKernel& kernel, Team& team, int shapes) {
  if (kernel.thin == nullptr) return;
  Random random(static_cast<std::uint64_t>(kernel.type) * 10 + static_cast<std::uint64_t>(team.size()));
  std::string why;
  for (int i = 0; i < shapes && why.empty(); ++i) {
    const Given given = pick_thin(random, set, kernel, team.size());
    if (const auto wrong = wrong_with(given, team, random)) why = describe(given) + ": " + *wrong;
  }
  check.that(why.empty(),
             std::string(set.name) + " " + pibench::test::name_of(kernel.type) + ", few vectors, " +
                 std::to_string(team.size()) + " threads: " + std::to_string(shapes) +
                 " shapes are right, twice, and stay within C",
             why);
}

// A kernel's relative on any product that it can compute, also such as it would never be chosen for.
void check_relative(Checks& check, const InstructionSet& set, const MicroKernel* relative,
                    const std::string& what, Team& team, int shapes) {
  if (relative == nullptr) return;
  Random random(static_cast<std::uint64_t>(relative->mr) * 1000 +
                static_cast<std::uint64_t>(relative->type) * 10 + static_cast<std::uint64_t>(team.size()));
  std::string why;
  for (int i = 0; i < shapes && why.empty(); ++i) {
    const Given given = pick_given(random, set, *relative, team.size(), true);
    if (const auto wrong = wrong_with(given, team, random)) why = describe(given) + ": " + *wrong;
  }
  check.that(why.empty(),
             std::string(set.name) + " " + pibench::test::name_of(relative->type) + " " + what + ", " +
                 std::to_string(team.size()) + " threads: " + std::to_string(shapes) +
                 " shapes are right, twice, and stay within C",
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

// What is packed before the first call is not looked at again: also few columns, which inner products take as
// vectors.
void check_prepacking(Checks& check) {
  Team team(2, {});
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{300, 2, 100}, {64, 200, 50}}) {
    const GemmShape shape{.m = m, .n = n, .k = k, .prepack_b = true};
    const std::vector<float> a(static_cast<std::size_t>(m * k), 1);
    std::vector<float> b(static_cast<std::size_t>(k * n), 2);
    std::vector<float> c(static_cast<std::size_t>(m * n));
    const auto gemm = pibench::kernels::make_gemm(DataType::float32, shape, "", team);
    const pibench::kernels::GemmOperands operands{a.data(), b.data(), c.data(), k, n, n, 0, 0, 0};
    gemm->prepack(operands);
    std::ranges::fill(b, std::nanf(""));
    gemm->run(operands);
    check.that(std::ranges::all_of(c, [want = 2 * static_cast<float>(k)](float x) { return x == want; }),
               std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
                   ": a prepacked B is packed before the first call");
  }
}

void check_packing(Checks& check) {
  // 2 rows of 3 columns, 5 apart, into panels of 4: the last column is zero, whatever was there.
  const std::vector<float> source{1, 2, 3, 9, 9, 4, 5, 6};
  std::vector<float> packed(8, 7);
  const pibench::kernels::Packing& packing = pibench::kernels::kPackFloat32;
  packing.b.along_lanes(source.data(), 5, 3, 2, 4, packed.data());
  check.that(packed == std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0}, "a panel of B is filled up with zeros");
  packed.assign(6, 7);
  packing.a.along_depth(source.data(), 5, 2, 3, 2, packed.data());
  check.that(packed == std::vector<float>{1, 4, 2, 5, 3, 6}, "a strip of A is transposed");

  // Pairs: the third element of each lane has a zero beside it.
  const std::vector<std::int8_t> bytes{1, 2, 3, -4, -5, -128};
  std::vector<std::int16_t> pairs(8, 7);
  pibench::kernels::kPackInt8AsInt16Pairs.a.along_depth(bytes.data(), 3, 2, 3, 2, pairs.data());
  check.that(pairs == std::vector<std::int16_t>{1, 2, -4, -5, 3, 0, -128, 0},
             "pairs of the depth are neighbours, and the depth is filled up with zeros");
}

// Which sets are chosen on which cores, and beside what their loops are ceilings.
void check_choices(Checks& check) {
  for (const InstructionSet* set : instruction_sets()) {
    const std::string name = set->name;
    const bool pairs = name == "avx512_bf16";
    check.that(is_choice(*set, CoreKind::kIntel) == !pairs && is_choice(*set, CoreKind::kZen5) &&
                   is_choice(*set, CoreKind::kOther),
               name + (pairs ? " is no choice" : " is a choice") + " on Intel's cores");
    const bool dots = name == "avx512_vnni" || name == "amx_int8";
    for (const std::uint32_t faster : {pibench::kernels::kCpuAvxVnni, pibench::kernels::kCpuAvx512Bw}) {
      check.that(is_ceiling(*set, DataType::int8, faster) == dots && is_ceiling(*set, DataType::int8, 0) &&
                     is_ceiling(*set, DataType::float32, faster),
                 name + (dots ? " is" : " is not") + " int8's ceiling beside " +
                     (faster == pibench::kernels::kCpuAvxVnni ? "AVX-VNNI" : "pairs of 512 bits"));
    }
    for (const std::uint32_t longer : {pibench::kernels::kCpuWideSve, pibench::kernels::kCpuSme}) {
      check.that(!is_ceiling(*set, DataType::float32, longer) && !is_ceiling(*set, DataType::int8, longer),
                 name + " is no ceiling beside longer vectors of arm64");
    }
  }
}

#if defined(__x86_64__)
// CPUs that differ in what they can execute, and whether our fastest loops for floats, bfloat16 and int8 are
// ceilings there: not where libraries have kernels for instructions that none of these loops uses.
void check_ceilings_of_cpus(Checks& check) {
  using namespace pibench::kernels;
  constexpr std::uint32_t kHaswell = kCpuAvx | kCpuAvx2 | kCpuFma;
  constexpr std::uint32_t kSkylake = kHaswell | kCpuAvx512F | kCpuAvx512Bw | kCpuAvx512Vl | kCpuAvx512Dq;
  constexpr std::uint32_t kCooperLake = kSkylake | kCpuAvx512Vnni | kCpuAvx512Bf16;
  constexpr std::uint32_t kTiles = kCpuAmxTile | kCpuAmxBf16 | kCpuAmxInt8;
  struct Cpu {
    const char* name;
    std::uint32_t features;
    CoreKind cores;
    bool floats, bfloat16, int8;
  };
  constexpr std::array kCpus{
      Cpu{"no AVX (Tremont)", 0, CoreKind::kIntel, true, true, true},
      Cpu{"AVX alone (Sandy Bridge, Bulldozer)", kCpuAvx, CoreKind::kIntel, false, false, false},
      Cpu{"AVX and FMA without AVX2 (Piledriver)", kCpuAvx | kCpuFma, CoreKind::kOther, false, false, false},
      Cpu{"AVX2 (Haswell)", kHaswell, CoreKind::kIntel, true, true, true},
      Cpu{"AVX-VNNI (Alder Lake)", kHaswell | kCpuAvxVnni, CoreKind::kIntel, true, true, false},
      Cpu{"AVX-512 of other parts than ours (Knights Landing)", kHaswell | kCpuAvx512F, CoreKind::kIntel,
          false, false, false},
      Cpu{"AVX-512 (Skylake)", kSkylake, CoreKind::kIntel, true, true, false},
      Cpu{"AVX512-VNNI (Cascade Lake)", kSkylake | kCpuAvx512Vnni, CoreKind::kIntel, true, true, true},
      Cpu{"AVX512-BF16 that is no choice (Cooper Lake)", kCooperLake, CoreKind::kIntel, true, false, true},
      Cpu{"AVX512-BF16 (Zen 4)", kCooperLake, CoreKind::kOther, true, true, true},
      Cpu{"AMX (Sapphire Rapids)", kCooperLake | kTiles, CoreKind::kIntel, true, true, true},
  };
  for (const Cpu& cpu : kCpus) {
    const auto is_known = [&cpu](DataType type) {
      for (const InstructionSet* set : compiled_sets()) {
        if (!is_choice(*set, cpu.cores) || (set->needs & ~cpu.features) != 0) continue;
        for (int i = 0; i < set->peak_count; ++i) {
          if (set->peaks[i].type == type) return is_ceiling(*set, type, cpu.features);
        }
      }
      return false;
    };
    const auto expect = [&](DataType type, bool expected) {
      check.that(
          is_known(type) == expected,
          pibench::test::name_of(type) + (expected ? ": a ceiling with " : ": no ceiling with ") + cpu.name);
    };
    expect(DataType::float32, cpu.floats);
    expect(DataType::float64, cpu.floats);
    expect(DataType::bfloat16, cpu.bfloat16);
    expect(DataType::int8, cpu.int8);
  }
  const auto leaves = [&check](const char* set, DataType type, std::uint32_t features,
                               const std::string& want, const std::string& what) {
    std::string got;
    for (const InstructionSet* one : compiled_sets()) {
      if (one->name != std::string_view(set)) continue;
      for (const std::string& name : unused_instructions(*one, type, features))
        got += (got.empty() ? "" : ", ") + name;
      break;
    }
    check.that(got == want, what + " leaves " + want, got);
  };
  leaves("portable", DataType::float32, kHaswell, "AVX2", "a loop without vectors");
  leaves("portable", DataType::float32, kCpuAvx, "AVX", "one where that is all there is");
  leaves("avx2", DataType::float64, kSkylake, "AVX-512", "one of 256 bits");
  leaves("avx2", DataType::int8, kHaswell | kCpuAvxVnni, "AVX-VNNI", "int8's on Alder Lake");
  leaves("avx512", DataType::bfloat16, kCooperLake, "AVX512-BF16", "bfloat16's on Cooper Lake");
  leaves("avx2", DataType::int8, kCooperLake | kTiles, "AVX-512, AMX-INT8, AVX512-VNNI",
         "int8's beside tiles");
  leaves("portable", DataType::int8, kCpuSme | kCpuI8mm, "SME, I8MM", "a loop of an arm64 CPU");
  check.that((cpu_features() & kCpuAvx2) == 0 || (cpu_features() & kCpuAvx) != 0,
             "a CPU on which AVX2 is found has AVX");
}
#endif

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
          for (const Blocking blocks : {choose_blocking(kernel, caches, shape, 2),
                                        choose_blocking_of_one_strip(kernel, caches, shape, {2, 1}, true),
                                        choose_blocking_of_one_strip(kernel, caches, shape, {4, 16}, false),
                                        choose_blocking_of_packed_strips(kernel, caches, shape, {4, 16})}) {
            fits = fits && blocks.mc >= 1 && blocks.mc <= shape.m && blocks.kc >= 1 && blocks.kc <= shape.k &&
                   blocks.nc >= kernel.nr && blocks.nc % kernel.nr == 0 && blocks.nc < shape.n + kernel.nr;
          }
        }
      }
    }
  }
  check.that(fits, "blocks are never empty and never larger than the shape, whatever the caches");
}

bool goes_by_strips(const MicroKernel& kernel, const GemmShape& shape) {
  return choose_strategy(kernel, shape, 1, CoreKind::kOther).rows_outside;
}

#if defined(__x86_64__)
// What is far larger than the near caches of any CPU goes strip by strip in AMX, and what is far smaller does
// not: choosing executes none of its instructions.
void check_rules_of_amx(Checks& check) {
  for (const InstructionSet* set : {&pibench::kernels::kAmxBf16, &pibench::kernels::kAmxInt8}) {
    const MicroKernel& kernel = set->kernels[0];
    const std::string name = set->name;
    const auto choose = [&](const GemmShape& shape, int members) {
      return choose_strategy(kernel, shape, members, CoreKind::kOther);
    };
    const auto large = choose({8192, 8192, 8192}, 1);
    check.that(large.blocking.mc == kernel.mr && large.a_in_place && large.by_lines && !large.b_ahead,
               name + ": of a large product one strip in place passes a block of B packed by lines");
    const auto transposed = choose({8192, 8192, 8192, true}, 1);
    check.that(!transposed.a_in_place && transposed.blocking.mc > kernel.mr &&
                   transposed.blocking.nc > large.blocking.nc,
               name + ": of a transposed A a block of strips is packed once for many columns");
    const auto few = choose({8, 8192, 1024}, 1);
    const auto many = choose({8192, 8192, 1024}, 1);
    check.that(few.by_lines && !few.b_ahead && few.blocking.nc < many.blocking.nc,
               name + ": few rows have a far B packed by lines, in smaller blocks");
    check.that(choose({64, 64, 64}, 1).b_ahead, name + ": a small product packs panels ahead");
    const auto shared = choose({8192, 8192, 8192}, 2).partition;
    check.that(shared.rows == 1 && shared.columns == 2, name + ": two members pack columns of their own");
  }
}

// On Intel's cores rows pass a panel in small blocks, but for what is near altogether.
void check_rules_of_intel(Checks& check) {
  for (const InstructionSet* set : {&pibench::kernels::kAvx512, &pibench::kernels::kAvx512Float64}) {
    const MicroKernel& kernel = set->kernels[0];
    const std::string name = std::string("avx512 ") + pibench::test::name_of(kernel.type) + " on Intel";
    const auto choose = [&](const GemmShape& shape) {
      return choose_strategy(kernel, shape, 1, CoreKind::kIntel);
    };
    const auto near = choose({64, 64, 64});
    check.that(near.a_in_place && near.b_in_place && near.blocking.mc == 64,
               name + ": 64 cubed is one block");
    const auto wide = choose({1024, 8192, 64});
    check.that(wide.blocking.mc < 1024, name + ": a product that is not near is computed in blocks of rows");
    const std::int64_t columns = 9 * kernel.nr;
    const auto few_rows = choose({40, columns, 64});
    check.that(few_rows.a_in_place && few_rows.b_in_place && !few_rows.rows_outside,
               name + ": what is near is read where it lies");
    check.that(!choose({40, columns + 1, 64}).a_in_place,
               name + ": but A is packed where lines of B are parted");
    // Rows of 2 KiB meet in two sets of an L1, those of 4 KiB in one.
    const auto bytes = static_cast<std::int64_t>(kernel.packing->source_size);
    const auto of_depth = [&](std::int64_t panels, std::int64_t k) {
      return choose({1000, panels * kernel.nr - 1, k});
    };
    check.that(of_depth(6, 2048 / bytes).a_in_place && !of_depth(7, 2048 / bytes).a_in_place &&
                   of_depth(8, 2000 / bytes).a_in_place && !of_depth(9, 2000 / bytes).a_in_place,
               name + ": rows that meet in L1 are packed from fewer columns on");
    if (pibench::kernels::cache_sizes().l1 < (48 << 10)) continue;
    check.that(of_depth(4, 2048 / bytes).strip_rows == 0 && of_depth(4, 4096 / bytes).strip_rows == 10,
               name + ": as many rows are read where they lie as L1 has ways for");
  }
}

// On Zen 4: how deep blocks of a B larger than L2 are, whose columns they have, and what is packed beside it.
void check_blocks_of_zen4(Checks& check, const MicroKernel& kernel, const std::string& name) {
  const pibench::kernels::CacheSizes& caches = pibench::kernels::cache_sizes();
  const auto bytes = static_cast<std::int64_t>(kernel.packing->source_size);
  const auto choose = [&](const GemmShape& shape, int members) {
    return choose_strategy(kernel, shape, members, CoreKind::kOther);
  };
  const std::int64_t columns = (5 << 10) / bytes;  // on pages of their own, but not whole ones
  const std::int64_t row = columns * bytes;
  const std::int64_t rows = std::min({2 * caches.l2 / row, caches.l3 / 4 / row, std::int64_t{1024}});
  if (rows * row > caches.l2)
    check.that(choose({7, columns, rows}, 1).blocking.kc == rows,
               name + ": a B in place is one block in depth, as far as its rows stay within reach");
  const std::int64_t lines = (2 << 10) / bytes;
  const auto halved = choose({5, lines, caches.l2 / 4 * 5 >> 11}, 2);
  check.that(halved.partition.columns == 2 && !halved.b_asked,
             name + ": halves of a B that stay in L2 are not asked for");
  const std::int64_t many = 2 * caches.l3 / row;
  check.that(choose({7, columns, many}, 1).blocking.kc <= 1024 &&
                 choose({7, (32 << 10) / bytes, 4096}, 1).blocking.kc <=
                     std::max<std::int64_t>(256, caches.l3 >> 17),
             name + ": but no deeper block than a share of L3 has rows for");
  const auto far = choose({64, (16 << 10) / bytes, caches.l3 / 2 >> 14}, 2).partition;
  check.that(far.columns == 2 && far.rows == 1,
             name + ": two members share the columns of a B that comes from memory");
  const std::int64_t wide = (4 << 10) / bytes + 3;
  const auto packed = [&](std::int64_t k) {
    const auto strategy = choose({300, wide, k}, 1);
    return std::pair(!strategy.a_in_place, !strategy.b_in_place);
  };
  const std::int64_t deep = std::max(2048 / bytes, caches.l2 / bytes / wide + 1);
  check.that(packed(deep) == std::pair(true, true), name + ": A is packed beside a B that is");
  const auto few = choose({98, (8 << 10) / bytes, 2048}, 1);
  check.that(!few.b_in_place && few.blocking.kc <= 512 && few.blocking.mc <= 56,
             name + ": few rows of a B that is packed go by small blocks");
}

// On Zen 4 near products go by plain tiles, and what fills most of L2 is asked for.
void check_rules_of_zen4(Checks& check) {
  for (const InstructionSet* set : {&pibench::kernels::kAvx512, &pibench::kernels::kAvx512Float64}) {
    const MicroKernel& kernel = set->kernels[0];
    const std::string name = std::string("avx512 ") + pibench::test::name_of(kernel.type) + " on Zen 4";
    const auto bytes = static_cast<std::int64_t>(kernel.packing->source_size);
    const auto choose = [&](const GemmShape& shape) {
      return choose_strategy(kernel, shape, 1, CoreKind::kOther);
    };
    check.that(choose({64, 64, 64}).plain && !choose({64, 64, 4096 / bytes}).plain,
               name + ": tiles are plain, but not where rows of A meet in L1");
    for (const CoreKind others : {CoreKind::kIntel, CoreKind::kZen5})
      check.that(!choose_strategy(kernel, {64, 64, 64}, 1, others).plain, name + ": nobody else's are");
    const std::int64_t columns = 8 * kernel.nr;
    const std::int64_t half = pibench::kernels::cache_sizes().l2 / 2 / (columns * bytes);
    check.that(choose({500, columns, half * 3 / 2}).b_asked && !choose({500, columns, half}).b_asked,
               name + ": a B of three quarters of L2 is asked for, and one of half of it is not");
    check.that(!choose({500, columns, half * 3 / 2, false, false, 100}).b_asked,
               name + ": nor is it in batches, of which the next product is");
    check.that(!choose({2, columns, half * 3 / 2}).b_asked,
               name + ": nor for so few rows that all of the product stays in L2");
    check_blocks_of_zen4(check, kernel, name);
  }
}

// On Intel's cores many rows of what is near go strip by strip, two tiles as one, and nobody writes rows of
// others.
void check_pairs_of_intel(Checks& check) {
  for (const InstructionSet* set : {&pibench::kernels::kAvx512, &pibench::kernels::kAvx512Float64}) {
    const MicroKernel& kernel = set->kernels[0];
    const std::string name = std::string("avx512 ") + pibench::test::name_of(kernel.type) + " on Intel";
    const auto choose = [&](const GemmShape& shape, int members) {
      return choose_strategy(kernel, shape, members, CoreKind::kIntel);
    };
    const auto in_pairs = [&](const GemmShape& shape) {
      const auto strategy = choose(shape, 1);
      return strategy.rows_outside && strategy.in_pairs && strategy.a_in_place && strategy.b_in_place;
    };
    const std::int64_t pair = pibench::kernels::kTilesOfPair * kernel.nr;
    check.that(in_pairs({60, pair, 64}) && in_pairs({100'000, 2 * pair, 8}),
               name + ": rows of a near B in pairs");
    check.that(!in_pairs({59, pair, 64}) && !in_pairs({60, pair - kernel.nr, 64}),
               name + ": but not few of them, or of a single tile's columns");
    check.that(!in_pairs({60, pair + 1, 64}) && !in_pairs({60, pair, 64, true}) &&
                   !in_pairs({60, pair, 64, false, true}),
               name + ": nor of lines that are parted, or of what is transposed");
    const auto bytes = static_cast<std::int64_t>(kernel.packing->source_size);
    const std::int64_t half_of_l2 = pibench::kernels::cache_sizes().l2 / 2;
    check.that(!in_pairs({500, 2 * pair, half_of_l2 / (2 * pair * bytes)}), name + ": nor where B fills L2");
    const auto shared = choose({64, 2 * pair, 64}, 2).partition;
    check.that(shared.rows == 2 && shared.columns == 1, name + ": two members share the rows of pairs");
    const bool single = bytes == sizeof(float);
    check.that(choose({64, 2 * pair, 129}, 2).in_pairs != single && choose({64, 2 * pair, 128}, 2).in_pairs,
               name + ": but not those of deep products in float32");
    const std::int64_t fourth_of_l2 = half_of_l2 / 2;
    const std::int64_t steps = fourth_of_l2 / (8 * pair * bytes);
    check.that(
        in_pairs({512, 8 * pair, steps}) && in_pairs({513, 8 * pair, steps}) == (!single || steps <= 64),
        name + ": nor in float32 many rows, for which packing pays");
    for (const CoreKind others : {CoreKind::kOther, CoreKind::kZen5})
      check.that(!choose_strategy(kernel, {64, pair, 64}, 1, others).in_pairs, name + ": nobody else's do");
  }
}
#endif

// On every CPU few vectors are no product of mostly empty tiles, and a long C is written along its rows.
void check_rules_everywhere(Checks& check) {
  for (int i = 0; i < pibench::kernels::kPortable.kernel_count; ++i) {
    const MicroKernel& kernel = pibench::kernels::kPortable.kernels[i];
    const std::string name = std::string("portable ") + pibench::test::name_of(kernel.type);
    const auto is_thin = [&](const GemmShape& shape) {
      return pibench::kernels::is_thin(kernel, shape, CoreKind::kOther);
    };
    check.that(is_thin({4096, 1, 4096}) && is_thin({1, 4096, 4096}) && is_thin({1, 1, 1'000'000}),
               name + ": a matrix and a vector are thin");
    check.that(!is_thin({1, 3, 1000}) && !is_thin({3, 3, 1000, true}) && !is_thin({64, 64, 64}),
               name + ": what fills no vector is a tile");
    check.that(goes_by_strips(kernel, {4096, 4096, 8}) && !goes_by_strips(kernel, {4096, 4096, 4096}) &&
                   !goes_by_strips(kernel, {20, 4096, 8}),
               name + ": few steps and many rows go by strips");
    check.that(!choose_strategy(kernel, {4096, 4096, 8}, 1, CoreKind::kOther).b_in_place,
               name + ": rows on pages of their own are packed");
  }
}

#if defined(__x86_64__)
// Of a kernel without narrow tiles.
void check_half_empty_tiles(Checks& check) {
  const MicroKernel& kernel = pibench::kernels::kPortableV3.kernels[0];
  const auto is_thin = [&](const GemmShape& shape) {
    return pibench::kernels::is_thin(kernel, shape, CoreKind::kOther);
  };
  check.that(is_thin({4096, kernel.nr / 2, 4096}) && !is_thin({4096, kernel.nr / 2 + 1, 4096}),
             "portable-v3: half of a tile's columns, and no more, are vectors");
  check.that(!is_thin({1000, kernel.nr / 2, 100}), "portable-v3: unless rows are no whole vectors");
}

// Products that are small but for their depth, with AVX2: what would be copied, or written for every few rows
// of the matrix, is as much as what is computed.
void check_small_products(Checks& check) {
  for (const InstructionSet* set : {&pibench::kernels::kAvx2, &pibench::kernels::kAvx2Float64}) {
    const MicroKernel& kernel = set->kernels[0];
    const std::string name = pibench::test::name_of(kernel.type);
    const auto is_thin = [&](GemmShape shape, bool transpose_a, bool transpose_b) {
      shape.transpose_a = transpose_a;
      shape.transpose_b = transpose_b;
      return pibench::kernels::is_thin(kernel, shape, CoreKind::kOther);
    };
    for (const std::int64_t k : {100, 1000, 100'000}) {
      for (const GemmShape shape :
           {GemmShape{2, 2, k}, {4, 4, k}, {4, 2, k}, {8, 2, k}, {2, 8, k}, {3, 3, k}}) {
        const std::string text = name + " " + std::to_string(shape.m) + " x " + std::to_string(shape.n) +
                                 " x " + std::to_string(k);
        check.that(!is_thin(shape, false, false), text + " is a tile");
        check.that(!is_thin(shape, true, false), text + " with a transposed A is a tile");
        check.that(is_thin(shape, false, true), text + " with a transposed B is inner products");
      }
    }
    check.that(is_thin({4096, 4, 1000}, false, false) && is_thin({4096, 1, 1000}, true, false) &&
                   is_thin({1, 4096, 1000}, false, false),
               name + ": few vectors beside many rows are thin");
    check.that(is_thin({8, 1, 1000}, false, false), name + ": one column lies as rows of A do");
    const auto strategy =
        choose_strategy(*kernel.narrow, {4, 4, 1'000'000, true, false}, 1, CoreKind::kOther);
    check.that(strategy.a_in_place && strategy.b_in_place, name + ": what a single tile reads is not packed");
    check.equal(choose_strategy(*kernel.narrow, {8, 2, 1000}, 2, CoreKind::kOther).partition.members(), 1,
                name + ": a near tile of few sums has one member");
  }
}

// One line of each row at a time would be most of what such a product takes.
void check_far_b(Checks& check) {
  for (const InstructionSet* set : {&pibench::kernels::kAvx2, &pibench::kernels::kAvx2Float64,
                                    &pibench::kernels::kPortable, &pibench::kernels::kPortableV3}) {
    for (int i = 0; i < set->kernel_count; ++i) {
      const MicroKernel& kernel = set->kernels[i];
      if (kernel.type != DataType::float32 && kernel.type != DataType::float64) continue;
      const auto by_lines = [&](const GemmShape& shape) {
        return choose_strategy(kernel, shape, 1, CoreKind::kOther).by_lines;
      };
      // A row more of columns than a page has lies on no page of its own.
      check.that(
          by_lines({32, 32'768, 4096}) && !by_lines({32, 32'769, 4096}) && !by_lines({2, 32'768, 4096}) &&
              !by_lines({4096, 32'768, 4096}),
          std::string(set->name) + ' ' + pibench::test::name_of(kernel.type) +
              ": for few rows a far B is packed by lines where each of its rows is on a page of its own");
    }
  }
}
#endif

}  // namespace

// An exception ends the program, which is a check that failed.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  constexpr double kShapes = 40;
  const auto asked = pibench::test::asked_of(argc, argv, 1);
  const int shapes = std::max(1, static_cast<int>(std::lround(kShapes * asked.number)));
  Checks check;
  for (int threads = kLeastThreads; threads <= 3; ++threads) {
    Team team(threads, {});
    for (const InstructionSet* set : instruction_sets()) {
      if (!asked.wants(*set) || !runs_here(*set)) continue;
      for (int i = 0; i < set->kernel_count; ++i) {
        check_kernel(check, *set, set->kernels[i], team, shapes);
        const MicroKernel& kernel = set->kernels[i];
        check_relative(check, *set, kernel.narrow, "for narrow products", team, shapes);
        check_relative(check, *set, kernel.half, "for half a vector", team, shapes);
        check_relative(check, *set, kernel.joining, "joining rows of B", team, shapes);
        check_thin(check, *set, set->kernels[i], team, 4 * shapes);
      }
    }
  }
  check_dispatch(check);
  check_prepacking(check);
  check_packing(check);
  check_peak_loops(check);
  check_choices(check);
  check_blocking(check);
  check_rules_everywhere(check);
#if defined(__x86_64__)
  check_rules_of_amx(check);
  check_rules_of_intel(check);
  check_rules_of_zen4(check);
  check_pairs_of_intel(check);
#endif
#if defined(__x86_64__)
  check_ceilings_of_cpus(check);
  check_half_empty_tiles(check);
  check_small_products(check);
  check_far_b(check);
#endif
  return check.finish();
}
