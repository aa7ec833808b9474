// The AMX kernels on a model of the tile registers: the code of kernels/cpu/gemm/amx_kernel.h, which machines
// with AMX execute, here on any machine; and their packing, where AVX-512 runs. (Where AMX runs, gemm_check
// runs the kernels themselves.) An argument multiplies the number of shapes.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "../../kernels/cpu/cpu_features.h"
#include "../../kernels/cpu/gemm/amx_kernel.h"
#include "check.h"
#include "products.h"
#include "shapes.h"
#include "tile_model.h"

namespace {

using pibench::Team;
using pibench::kernels::Bfloat16Dot;
using pibench::kernels::DataType;
using pibench::kernels::InstructionSet;
using pibench::kernels::Int8Dot;
using pibench::kernels::MicroKernel;
using pibench::kernels::Packing;
using pibench::test::check_shapes;
using pibench::test::Checks;
using pibench::test::Given;
using pibench::test::kLeastThreads;
using pibench::test::name_of;
using pibench::test::pick;
using pibench::test::pick_given;
using pibench::test::Random;
using pibench::test::TileModel;

// packing.h's formula, as it stands there.
template <typename Element, int unit, bool along_depth>
void pack_plainly(const void* source, std::int64_t ld, std::int64_t lanes, std::int64_t depth,
                  std::int64_t width, void* packed) noexcept {
  constexpr std::int64_t kDepth = 64 / sizeof(Element);
  const auto* from = static_cast<const Element*>(source);
  auto* to = static_cast<Element*>(packed);
  for (std::int64_t p = 0; p < (depth + kDepth - 1) / kDepth * kDepth; ++p) {
    for (std::int64_t i = 0; i < width; ++i) {
      const bool exists = p < depth && i < lanes;
      to[p / unit * width * unit + i * unit + p % unit] =
          exists ? from[along_depth ? i * ld + p : p * ld + i] : Element{};
    }
  }
}

// Two panels and more at a time, as long as they are whole.
template <typename Element>
std::int64_t pack_lines_plainly(const void* source, std::int64_t ld, std::int64_t columns, std::int64_t depth,
                                std::int64_t width, std::int64_t panel_bytes, void* packed) noexcept {
  constexpr int kWord = 4 / sizeof(Element);
  const std::int64_t panels = columns / width;
  for (std::int64_t i = 0; i < panels; ++i)
    pack_plainly<Element, kWord, false>(static_cast<const Element*>(source) + i * width, ld, width, depth,
                                        width, static_cast<char*>(packed) + i * panel_bytes);
  return panels * width;
}

template <typename Element>
constexpr Packing plain_packing() {
  constexpr int kDepth = 64 / sizeof(Element);
  constexpr int kWord = 4 / sizeof(Element);
  return {sizeof(Element),
          sizeof(Element),
          kDepth,
          0,
          0,
          {pack_plainly<Element, kDepth, true>, pack_plainly<Element, kDepth, false>, kDepth},
          {pack_plainly<Element, kWord, true>, pack_plainly<Element, kWord, false>, kWord},
          nullptr,
          nullptr,
          pack_lines_plainly<Element>};
}

// The same of B as it is, a few groups of rows at a time.
template <typename Element>
struct PackPlainly {
  static void pack(pibench::kernels::PanelAhead& panel, std::int64_t groups) noexcept {
    constexpr std::int64_t kWord = 4 / sizeof(Element);
    constexpr std::int64_t kColumns = pibench::kernels::kPanelColumns;
    const std::int64_t now = std::min(groups, panel.groups);
    const auto* from = static_cast<const char*>(panel.from);
    auto* to = static_cast<Element*>(panel.to);
    for (std::int64_t p = 0; p < now * kWord; ++p, from += panel.row_bytes) {
      const auto* row = reinterpret_cast<const Element*>(from);
      for (std::int64_t i = 0; i < kColumns; ++i)
        to[p / kWord * kColumns * kWord + i * kWord + p % kWord] = row[i];
    }
    panel.from = from;
    panel.to = to + now * kWord * kColumns;
    panel.groups -= now;
  }
};

constexpr Packing kPlainBfloat16 = plain_packing<std::uint16_t>();
constexpr Packing kPlainInt8 = plain_packing<std::int8_t>();

InstructionSet set_of(const char* name, const MicroKernel& kernel) {
  return {name, 0, &kernel, 1, nullptr, 0};
}

// Nothing was misused, and every thread has let go of its tiles.
std::optional<std::string> misuse() {
  if (const char* what = TileModel::take_misuse()) return what;
  if (TileModel::configured_threads() != 0) return "a thread keeps its tiles";
  return std::nullopt;
}

std::optional<std::string> wrong_on_model(const Given& given, Team& team, Random& random) {
  auto wrong = pibench::test::wrong_with(given, team, random);
  const auto misused = misuse();
  return misused ? misused : wrong;
}

void finish_given(Given& given, Random& random, int members) {
  // Half of the depths are whole rows of tiles, which alone can be read in place.
  auto& shape = given.shape;
  const std::int64_t multiple = given.kernel->packing->depth_multiple;
  if (pick(random, 0, 1) == 0) {
    const std::int64_t more = (shape.k + multiple - 1) / multiple * multiple - shape.k;
    shape.k += more;
    if (!shape.transpose_a) given.lda += more;
    if (shape.transpose_b) given.ldb += more;
  }
  if (given.strategy) {
    given.strategy->a_in_place = pick(random, 0, 1) == 0 && can_read_a_in_place(*given.kernel, shape);
    if (pick(random, 0, 1) == 0) given.strategy->blocking.kc = multiple * pick(random, 1, 3);
  } else {
    given.strategy = choose_strategy(*given.kernel, shape, members);
  }
}

// Every m and n up to a little over two strips and panels.
void check_every_shape(Checks& check, const InstructionSet& set) {
  const MicroKernel& kernel = set.kernels[0];
  Team team(1, {});
  Random random(1);
  std::string why;
  for (std::int64_t m = 1; m <= 70 && why.empty(); ++m) {
    for (std::int64_t n = 1; n <= 70 && why.empty(); ++n) {
      Given given = pick_given(random, set, kernel, 1, (m + n) % 2 == 0);
      given.by_transpose = false;
      auto& shape = given.shape;
      shape.m = m;
      shape.n = n;
      shape.k = pick(random, 1, 70);
      shape.batch = 1;
      given.lda = (shape.transpose_a ? m : shape.k) + pick(random, 0, 2);
      given.ldb = (shape.transpose_b ? shape.k : n) + pick(random, 0, 2);
      given.ldc = n + pick(random, 0, 2);
      if (given.strategy) {
        given.strategy->partition = {};
        given.strategy->b_in_place = false;
      }
      finish_given(given, random, 1);
      if (const auto wrong = wrong_on_model(given, team, random)) why = describe(given) + ": " + *wrong;
    }
  }
  check.that(why.empty(), std::string(set.name) + ": every m and n up to 70", why);
}

void check_random_shapes(Checks& check, const InstructionSet& set, int shapes) {
  for (int threads = kLeastThreads; threads <= 3; ++threads) {
    Team team(threads, {});
    Random random(static_cast<std::uint64_t>(threads));
    std::string why;
    for (int i = 0; i < shapes && why.empty(); ++i) {
      Given given = pick_given(random, set, set.kernels[0], threads, i % 2 == 0);
      given.by_transpose = false;
      finish_given(given, random, threads);
      if (const auto wrong = wrong_on_model(given, team, random)) why = describe(given) + ": " + *wrong;
    }
    check.that(why.empty(),
               std::string(set.name) + ": " + std::to_string(shapes) + " random products, " +
                   std::to_string(threads) + " threads",
               why);
  }
}

// How often a call on so many rows, in blocks of at most 96, configures the tiles; nothing where its result
// is wrong.
std::optional<std::uint64_t> configurations(const InstructionSet& set, std::int64_t m, Team& team,
                                            Random& random) {
  constexpr std::int64_t kMostRows = 96;
  constexpr std::uint64_t kCalls = 3;  // of a product that is checked
  const MicroKernel& kernel = set.kernels[0];
  Given given{&set, &kernel, {m, 200, 64}, std::nullopt, 64, 200, 200};
  given.strategy = choose_strategy(kernel, given.shape, 1);
  const std::int64_t unit = m > kMostRows ? kernel.mr : kernel.row_multiple;
  given.strategy->blocking.mc = std::min(m, pibench::kernels::even_piece(m, kMostRows, unit));
  const std::uint64_t before = TileModel::configurations();
  if (wrong_on_model(given, team, random)) return std::nullopt;
  return (TileModel::configurations() - before) / kCalls;
}

// Setting up tiles costs as much as some of their arithmetic.
void check_configurations(Checks& check, const InstructionSet& set) {
  Team team(1, {});
  Random random(2);
  bool once = true;
  for (std::int64_t m = 1; m <= 96; ++m) once = once && configurations(set, m, team, random) == 1;
  check.that(once, std::string(set.name) + ": a call on one block of rows configures the tiles once");
  bool twice_more = true;
  // Three blocks of 96 rows, and the last.
  for (std::int64_t last = 1; last <= 96; ++last) {
    const std::uint64_t expected = last < 16 ? 3 : 1;
    twice_more = twice_more && configurations(set, 288 + last, team, random) == expected;
  }
  check.that(twice_more, std::string(set.name) + ": a last block of few rows configures them twice more");
}

template <typename Dot>
void check_peak(Checks& check) {
  const auto run = pibench::kernels::peak<TileModel, Dot>;
  const std::uint64_t once = run(1);
  const std::uint64_t operations = std::uint64_t{6} * 2 * 16 * 16 * 64 / sizeof(typename Dot::Operand);
  check.equal(once, operations, name_of(Dot::kType) + ": a round of the peak loop counts its operations");
  check.equal(run(9), 9 * operations, name_of(Dot::kType) + ": nine rounds are nine times as many");
  const auto misused = misuse();
  check.that(!misused, name_of(Dot::kType) + ": the peak loop uses its tiles as it may",
             misused.value_or(""));
}

// The model sees what a CPU would not do.
void check_model(Checks& check) {
  using pibench::kernels::make_config;
  std::vector<char> memory(2048);
  const auto notes = [&check](const auto& action, const std::string& what) {
    action();
    check.that(TileModel::take_misuse() != nullptr, "the model notes " + what);
  };
  notes([] { TileModel::zero<0>(); }, "tiles before any configuration");
  auto wrong = make_config(17);
  notes([&wrong] { TileModel::configure(wrong); }, "a configuration of too many rows");
  wrong = make_config(16);
  wrong.rows[3] = 0;
  notes([&wrong] { TileModel::configure(wrong); }, "a configuration of no rows but some bytes");
  TileModel::configure(make_config(3));
  notes([] { TileModel::dot_int8<4, 6, 7>(); }, "factors that do not fit");
  notes([] { TileModel::dot_bfloat16<0, 0, 6>(); }, "a factor that is the sum");
  notes([&memory] { TileModel::load<6>(memory.data(), 32); }, "rows that overlap");
  notes([&memory] { TileModel::store<6>(memory.data(), 0); }, "a store of all rows to one place");
  TileModel::release();
  notes([] { TileModel::dot_int8<0, 4, 6>(); }, "tiles after their release");
}

#if defined(__x86_64__)

// One operand, both ways, against the formula; nothing is read beyond the source or written beyond the strip.
template <typename Element>
std::optional<std::string> wrong_packing(const Packing& fast, const Packing& plain, bool of_a,
                                         bool along_depth, Random& random) {
  const auto& operand = of_a ? fast.a : fast.b;
  const auto& reference = of_a ? plain.a : plain.b;
  const std::int64_t lanes = pick(random, 1, 32);
  const std::int64_t width = of_a ? lanes : 32;
  const std::int64_t depth = pick(random, 1, 200);
  const std::int64_t ld = (along_depth ? depth : lanes) + pick(random, 0, 3);
  const std::int64_t rows = along_depth ? lanes : depth;
  const std::int64_t columns = along_depth ? depth : lanes;
  std::vector<Element> source(static_cast<std::size_t>(pibench::test::extent(rows, columns, ld)));
  for (auto& x : source) x = static_cast<Element>(pick(random, 1, 100));
  const std::int64_t whole = (depth + fast.depth_multiple - 1) / fast.depth_multiple * fast.depth_multiple;
  std::vector<Element> packed(static_cast<std::size_t>(whole * width), Element{101});
  auto right = packed;
  (along_depth ? operand.along_depth : operand.along_lanes)(source.data(), ld, lanes, depth, width,
                                                            packed.data());
  (along_depth ? reference.along_depth : reference.along_lanes)(source.data(), ld, lanes, depth, width,
                                                                right.data());
  if (packed == right && operand.unit == reference.unit) return std::nullopt;
  return std::to_string(lanes) + " lanes, depth " + std::to_string(depth) + ", leading " + std::to_string(ld);
}

// Of columns that are no whole panels, too, which are left.
template <typename Element>
std::optional<std::string> wrong_lines(const Packing& fast, const Packing& plain, Random& random) {
  constexpr std::int64_t kWidth = 32;
  const std::int64_t columns = pick(random, 1, 200);
  const std::int64_t depth = fast.depth_multiple * pick(random, 1, 4);
  const std::int64_t ld = columns + pick(random, 0, 3);
  std::vector<Element> source(static_cast<std::size_t>(pibench::test::extent(depth, columns, ld)));
  for (auto& x : source) x = static_cast<Element>(pick(random, 1, 100));
  const std::int64_t step = kWidth * (depth + pick(random, 0, 1) * fast.depth_multiple);
  const std::int64_t panels = (columns + kWidth - 1) / kWidth;
  std::vector<Element> packed(static_cast<std::size_t>(panels * step), Element{101});
  auto right = packed;
  const auto pack = [&](const Packing& packing, std::vector<Element>& to) {
    return packing.by_lines(source.data(), ld, columns, depth, kWidth,
                            step * static_cast<std::int64_t>(sizeof(Element)), to.data());
  };
  const std::int64_t done = pack(fast, packed);
  if (done == pack(plain, right) && done == columns / kWidth * kWidth && packed == right) return std::nullopt;
  return std::to_string(columns) + " columns, depth " + std::to_string(depth) + ", leading " +
         std::to_string(ld);
}

template <typename Element>
void check_packing(Checks& check, const std::string& name, const Packing& fast, const Packing& plain) {
  for (const bool of_a : {true, false}) {
    for (const bool along_depth : {true, false}) {
      Random random(3);
      std::string why;
      for (int i = 0; i < 500 && why.empty(); ++i) {
        why = wrong_packing<Element>(fast, plain, of_a, along_depth, random).value_or("");
      }
      check.that(why.empty(),
                 name + ": " + (of_a ? "A" : "B") + " is packed by the formula, along its " +
                     (along_depth ? "depth" : "lanes"),
                 why);
    }
  }
  Random random(4);
  std::string why;
  for (int i = 0; i < 500 && why.empty(); ++i) why = wrong_lines<Element>(fast, plain, random).value_or("");
  check.that(why.empty(), name + ": whole panels of B are packed by lines as one by one", why);
}

#endif

#if defined(__x86_64__)
template <typename Dot>
const InstructionSet& compiled_for() {
  return Dot::kType == DataType::int8 ? pibench::kernels::kAmxInt8 : pibench::kernels::kAmxBf16;
}

// As the compiled kernels pack a panel, with AVX-512.
template <typename Dot>
struct PackAsCompiled {
  static void pack(pibench::kernels::PanelAhead& panel, std::int64_t groups) noexcept {
    compiled_for<Dot>().kernels[0].pack_ahead(panel, groups);
  }
};
#endif

template <typename Dot>
void check_type(Checks& check, const Packing& plain, int factor) {
  // One depth of each m and n: a model is slow.
  constexpr int kModelStride = 70;
  constexpr int kShapes = 60;
  const int shapes = kShapes * factor;
  const MicroKernel modelled =
      pibench::kernels::amx_kernel<TileModel, Dot, PackPlainly<typename Dot::Operand>>(plain, 16);
  const std::string name = "modelled AMX, " + name_of(Dot::kType);
  const InstructionSet set = set_of(name.c_str(), modelled);
  if (kLeastThreads == 1) {
    check_every_shape(check, set);
    check_shapes(check, set, modelled, std::max(1, kModelStride / factor), false);
    const auto misused = misuse();
    check.that(!misused, name + ": these shapes use their tiles as they may", misused.value_or(""));
    check_configurations(check, set);
  }
  check_random_shapes(check, set, shapes);
  check_peak<Dot>(check);
#if defined(__x86_64__)
  const InstructionSet& compiled = compiled_for<Dot>();
  // Of its packing: what multiplies, and its thin kernels, take more.
  const std::uint32_t vectors =
      compiled.needs &
      ~(pibench::kernels::kCpuAmxTile | pibench::kernels::kCpuAmxBf16 | pibench::kernels::kCpuAmxInt8 |
        pibench::kernels::kCpuFma | pibench::kernels::kCpuAvx512Vnni);
  if ((vectors & ~pibench::kernels::cpu_features()) != 0) {
    Checks::inform("the packing of " + std::string(compiled.name) + " does not run here");
    return;
  }
  const Packing& fast = *compiled.kernels[0].packing;
  check_packing<typename Dot::Operand>(check, compiled.name, fast, plain);
  const MicroKernel mixed = pibench::kernels::amx_kernel<TileModel, Dot, PackAsCompiled<Dot>>(fast, 16);
  const std::string mixed_name = name + ", its own packing";
  check_random_shapes(check, set_of(mixed_name.c_str(), mixed), shapes);
#endif
}

}  // namespace

// An exception ends the program, which is a check that failed.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  const int factor = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  Checks check;
  check_model(check);
  check_type<Bfloat16Dot>(check, kPlainBfloat16, factor);
  check_type<Int8Dot>(check, kPlainInt8, factor);
  return check.finish();
}
