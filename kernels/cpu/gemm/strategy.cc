// What is packed and what is read where it lies, beside the partition and the blocks.
#include <algorithm>
#include <array>
#include <cstddef>

#include "../cache_sizes.h"
#include "../cpu_features.h"
#include "instruction_set.h"
#include "joining.h"
#include "loop_nest.h"
#include "operand_bytes.h"

namespace pibench::kernels {
namespace {

// Rows are read in place where they are short, because the copy costs more than it saves: measured, rows of
// 3 KiB gain and rows of 4 KiB lose, each of which is on a page of its own.
constexpr std::int64_t kShortRow = 3 << 10;
// With so few strips or panels, the elements of B or A are used too seldom to pay for a copy.
constexpr std::int64_t kFewStrips = 10;
constexpr std::int64_t kFewPanels = 10;
// How deep a block of such a B may be: each row is on a page of its own.
constexpr std::int64_t kFewPages = 256;

// The same on Intel's cores, in float32 and float64, measured by one thread on a Xeon of the generation that
// brought AMX. Tiles of many rows had better have A packed from fewer panels on. A B that is far away is
// packed from fewer strips on, and read in place in blocks that are not deep: of an eighth of L2 of its rows,
// and at least so many rows. Columns of 512 rows of 4 KiB took twice as long as packed ones, and so did 1024
// rows of 2 KiB; in such blocks they gained. What is packed is better shallow, too; and few rows and columns
// at a time are better than as many as fit: L2 may be shared with another thread of the core, and L3 with
// many.
constexpr std::int64_t kIntelFewPanels = 8;
constexpr std::int64_t kIntelFewStrips = 10;
constexpr std::int64_t kIntelFewStripsOfFar = 4;
constexpr std::int64_t kIntelShareOfL2 = 8;
constexpr std::int64_t kIntelShallowest = 32;
constexpr std::int64_t kIntelDeepestPacked = 512;
constexpr std::int64_t kIntelShallowProduct = 256;
constexpr std::int64_t kIntelFewRows = 56;
constexpr std::int64_t kIntelFewColumns = 1024;

// The same on Zen 5, measured by one thread. Its vector units take twice what Zen 4's do, its caches are
// about as large, and rows of B that meet in one set of L1 cost more than half of the speed: those are packed
// from a few strips on, be they near or far (1024x1024x64: 1.15 of float32's rate before, 1.35 of float64's;
// 136x4096x512: 1.25 and 1.08). Where B has many columns, A had better be packed in float32 (32x4096x1024:
// 1.34), and in float64 beside a near B that is read in place (42x512x256: 1.3), or from more columns on.
// So are rows a multiple of 1 KiB apart where a panel of them is deep: where its lines then fill few sets of
// L2, the rate of one and the same program was one of two, 0.75 to 0.85 of it packed or equal to it, by what
// memory the process had got (256 columns of float32 and 128 of float64, at a depth of 768 and more).
constexpr std::int64_t kPage = 4 << 10;
constexpr std::int64_t kFewRowsOfB = 70;
constexpr std::int64_t kZen5ManyColumns = 2560;  // bytes
constexpr std::int64_t kZen5ManyColumnsOfOneStrip = 1792;
constexpr std::int64_t kZen5ManyColumns64 = 6 << 10;  // of float64

// One strip alone there had better not ask for the next panel of a B that is not much larger than L2
// (7x1000x333: 1.15 in both types), unless each of its rows is on a page of its own (8x1024x512: 0.8).
constexpr std::int64_t kZen5ShareOfL3 = 8;
constexpr std::int64_t kZen5FarRow = 1 << 10;
constexpr std::int64_t kZen5LargePanel = 96 << 10;

// Where A and B are packed, B is copied by the tile that reads it first (1024 to 4096 cubed in both
// types: 1.01 to 1.05 on Zen 5, 1.00 to 1.02 on Zen 4), and but for Intel's cores A's block has few rows. Two
// members then share the columns: those that share rows would pack B before they read it, and wait for each
// other (on Zen 4 float32 1024 cubed 1.07, 300x3000x2000 1.3).
constexpr std::int64_t kRowsOfPackedA = 98;
constexpr std::int64_t kRowsOfShallowA = 294;
constexpr std::int64_t kShallowBlock = 256;

// On Zen 5 one of several blocks in depth has at most so many bytes of a row: with more, neither a strip of A
// nor a panel of B stays near (float64 2048 and 4096 cubed: 1.03 to 1.07 on a quiet machine). Where B's block
// would be more than neighbours leave of L3 it is half as large, A's has as many rows as three eighths of L2
// take, and no block is deep (in turns on a disturbed machine, one thread: float32 4096 cubed 1.044 (1.031 to
// 1.057), float64 4096 cubed 1.039 (1.030 to 1.049), 3000 cubed 1.032, 2400 cubed 1.024; on two float64 4096
// cubed 1.030). A smaller B had better keep its blocks (float32 2400 cubed 0.98, on two threads float64
// 3000 cubed 0.975).
constexpr std::int64_t kZen5DeepestOfSeveral = 4 << 10;
constexpr std::int64_t kZen5LargeBlockOfB = 8 << 20;
constexpr std::int64_t kZen5DepthBesideLargeB = 512;

// A tile of so few steps had better not ask for its rows of C: they come too late (in turns on Zen 4:
// 1024x1024x16 1.1, 600x600x16 1.08, 1024x1024x32 1.05; in float64 1.04, 512x512x32 1.05).
constexpr std::int64_t kShallowestAsking = 48;

// On Zen 4 a single strip asks for a B that is not much larger than L2 with each of its steps (in turns:
// float32 7x1000x333 1.03 and 1.1 on two threads, 8x1024x1024 1.02 and 1.06, 14x1000x1000 1.03 and 1.1;
// float64 alike); for one that comes from memory it does as well or better by several rows at a time
// (10x3000x3000: 0.83).
constexpr std::int64_t kShareAskedEvenly = 4;  // of L3

// Up to so many rows are few beside packing a B that is far away: measured, 128 rows gain a quarter or more.
constexpr std::int64_t kMostRowsByRows = 128;
// So many rows of B are packed at a time: as many streams as CPUs follow.
constexpr int kRowsAtATime = 32;
// On Zen 5 fewer, of longer pieces, where each row is on a page of its own (in turns: int8 20x4096x4096 3.2,
// 100x4096x2048 1.25, bfloat16 20x4096x4096 1.3, 64x8192x1024 1.1). Others are packed panel by panel, in
// blocks that are not too deep, unless there is a lot of B, in bfloat16 (int8 32x3000x4000 1.7,
// 100x2000x4000 1.1, bfloat16 32x1536x1024 1.14, 32x2000x2000 1.08, but 32x3000x4000 0.8).
constexpr int kZen5RowsAtATime = 8;
constexpr std::int64_t kZen5ColumnsOfRows = 2048;
constexpr std::int64_t kZen5DepthOfRows = 512;
constexpr std::int64_t kZen5DepthOfPanels = 1024;
constexpr std::int64_t kZen5DeepRow = 2 << 10;  // bytes of A
constexpr std::int64_t kZen5ShareOfPanels = 4;  // of L3
// Where a kernel packs whole lines by rows: blocks of this depth and so many columns, which stay in L2 (Zen
// 4, in turns with panel by panel: int8 20x4096x4096 2.0, 32x4096x1024 1.3, 70x4096x4096 1.2).
constexpr std::int64_t kDepthOfLines = 512;
constexpr std::int64_t kColumnsOfLines = 1024;

// Rows that meet in few sets of L1 are read in place so many at a time: as many as it has ways.
constexpr int kFewRows = 8;
// On Zen 5, whose L1 has 12 ways: where all meet in one set, and where they do in two (float32 500x500x512:
// 1.08, 100x300x1024: 1.08; float64 100x150x512: 1.07, all in turns with strips of 8).
constexpr int kZen5RowsOfOneSet = 10;
constexpr int kZen5RowsOfTwoSets = 12;

// Whether `rows` rows so far apart find room in L1 at the same time: those at a distance of a multiple of
// 4 KiB meet in the same set of lines.
bool spread_in_l1(std::int64_t rows, std::int64_t row_bytes) {
  constexpr std::int64_t kLine = 64;
  constexpr std::int64_t kSets = 64;
  constexpr int kMost = 4;  // of 8 ways or more, beside B and C
  std::array<int, kSets> lines{};
  for (std::int64_t i = 0; i < rows; ++i) {
    if (++lines.at(static_cast<std::size_t>(i * row_bytes / kLine % kSets)) > kMost) return false;
  }
  return true;
}

// How many rows of A that lie so far apart a strip in place has at most; 0: as many as the kernel has.
int rows_of_strip(const MicroKernel& kernel, std::int64_t row_bytes, bool intel, bool zen5) {
  const bool meet = kernel.row_multiple == 1 && !spread_in_l1(kernel.mr, row_bytes);
  if (meet && zen5) return row_bytes % kPage == 0 ? kZen5RowsOfOneSet : kZen5RowsOfTwoSets;
  if (meet) return kFewRows;
  return intel || zen5 ? 0 : kernel.rows_in_place;
}

bool keeps_type(const MicroKernel& kernel) {
  return kernel.in_place != nullptr && kernel.packing->source_size == kernel.packing->packed_size;
}

// Whether the sums of C had better be kept apart. For kernels that are so fast that reading and writing C
// costs as much as computing it: there, where one member's part of the operands, with B packed, is more than
// L2 holds, and where C is no small part of that.
bool keeps_sums_apart(const MicroKernel& kernel, const GemmShape& part) {
  if (kernel.speed == 1) return false;
  const auto source = static_cast<std::int64_t>(kernel.packing->source_size);
  const std::int64_t c = part.m * part.n * static_cast<std::int64_t>(kernel.result_size);
  const std::int64_t l2 = cache_sizes().l2;
  return c >= l2 / 4 && (part.m + 2 * part.n) * part.k * source + c > l2 * 3 / 2;
}

// Whether few rows use a B that has to be packed.
bool is_bound_by_reading_b(const MicroKernel& kernel, const GemmShape& shape) {
  return !can_read_b_in_place(kernel, shape) && !shape.prepack_b && !shape.transpose_b &&
         shape.m <= kMostRowsByRows;
}

// Whether a B of which each row is on a page of its own is packed by lines: measured on Zen 4 and Zen 5
// (there beside its own blocks, int8 20x4096x4096 and 32x4096x1024 1.5, 48x4096x4096, 64x8192x1024 and
// 100x4096x2048 1.2 to 1.3).
bool packs_by_lines(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  return cores != CoreKind::kIntel && kernel.packing->by_lines != nullptr &&
         source_bytes(kernel, shape.n) % kPage == 0;
}

// How many rows of a B that is far away are packed at a time; 0: it is packed panel by panel. For few rows of
// A that reads a line or less of each of its rows at a time, which takes longer than all the rest: by rows,
// in blocks that stay in L2, it does not.
int rows_at_a_time(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  if (!is_bound_by_reading_b(kernel, shape)) return 0;
  const bool has_trailer = kernel.packing->trailer_of_b > 0;
  if (cores != CoreKind::kZen5)
    return has_trailer && !packs_by_lines(kernel, shape, cores) ? 0 : kRowsAtATime;
  if (source_bytes(kernel, shape.n) % kPage == 0) return kZen5RowsAtATime;
  const bool is_much = source_bytes(kernel, shape.k * shape.n) > cache_sizes().l3 / kZen5ShareOfPanels;
  return is_much && !has_trailer ? kRowsAtATime : 0;
}

// What had better be read where it lies than packed, as far as it can be.
struct InPlace {
  bool a = false;
  bool b = false;
};

bool has_few_panels(const MicroKernel& kernel, const GemmShape& part, std::int64_t few) {
  return !part.transpose_a && part.n <= few * kernel.nr;
}

// By how near the operands are and how long their rows.
InPlace suits(const MicroKernel& kernel, const GemmShape& shape) {
  const std::int64_t l2 = cache_sizes().l2;
  const bool a_near = source_bytes(kernel, shape.m * shape.k) <= l2;
  const bool b_near = source_bytes(kernel, shape.k * shape.n) <= l2;
  const bool b = b_near || source_bytes(kernel, shape.n) <= kShortRow;
  // For a kernel that is faster than vector instructions packing weighs more, but so does waiting for L2.
  if (kernel.speed > 1) return {source_bytes(kernel, shape.m * shape.k) < l2 / 8, b};
  // Transposed, A is read across its rows: only from a near cache.
  if (shape.transpose_a) return {a_near && b_near, b};
  return {source_bytes(kernel, shape.k) <= kShortRow || a_near, b};
}

// The same of one member's part, whose operands may be read a few times only. Measured on Zen 4.
InPlace suits_part(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part,
                   bool sums_apart) {
  const InPlace whole = suits(kernel, shape);
  return {(whole.a && !sums_apart) || has_few_panels(kernel, part, kFewPanels),
          whole.b || part.m <= kFewStrips * kernel.mr};
}

// Whether the rules of a kind of cores are for this kernel: they are for operands that are read as they are,
// Zen 5's for tall tiles.
bool goes_by(CoreKind rules, CoreKind cores, const MicroKernel& kernel) {
  return rules == cores && kernel.speed == 1 && keeps_type(kernel) && kernel.products == 1 &&
         (rules != CoreKind::kZen5 || kernel.mr > kFewRows);
}

// By how often they are read: a B that was packed is read by all members' rows.
InPlace suits_intel(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part) {
  const bool tall = kernel.mr > kFewRows;
  const bool a = tall && !shape.transpose_a
                     ? has_few_panels(kernel, part, kIntelFewPanels)
                     : suits(kernel, shape).a || has_few_panels(kernel, part, kFewPanels);
  const std::int64_t b_bytes = source_bytes(kernel, shape.k * shape.n);
  const std::int64_t l2 = cache_sizes().l2;
  const std::int64_t few_strips = b_bytes <= l2 ? kIntelFewStrips : kIntelFewStripsOfFar;
  return {a, b_bytes <= l2 / kIntelShareOfL2 || shape.m <= few_strips * kernel.mr};
}

InPlace suits_zen5(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part) {
  InPlace in_place = suits_part(kernel, shape, part, false);
  const std::int64_t b_row = source_bytes(kernel, shape.n);
  const bool large_panel = source_bytes(kernel, shape.k * kernel.nr) >= kZen5LargePanel;
  const bool rows_meet = b_row % kPage == 0 || (b_row % kZen5FarRow == 0 && large_panel);
  if (rows_meet && shape.m > kFewRowsOfB) in_place.b = false;
  const bool b_near = shape.k * b_row <= cache_sizes().l2;
  const bool single = kernel.packing->source_size == sizeof(float);
  const std::int64_t my_row = source_bytes(kernel, part.n);
  const std::int64_t most = !single               ? in_place.b && b_near ? kPage : kZen5ManyColumns64
                            : part.m <= kernel.mr ? kZen5ManyColumnsOfOneStrip
                                                  : kZen5ManyColumns;
  if (my_row >= most && !shape.transpose_a) in_place.a = false;
  return in_place;
}

// Whether each row of a B that could be read in place is on a page of its own, and many rows of A use it.
bool meets_in_pages(const MicroKernel& kernel, const GemmShape& shape) {
  return !shape.transpose_a && shape.m > kFewRowsOfB && source_bytes(kernel, shape.n) % kPage == 0 &&
         can_read_b_in_place(kernel, shape);
}

// Of two members, each packs the columns of B that it uses, and none waits for the other (where few rows use
// B, int8 and bfloat16 on two threads: 32x3000x4000 2.6 and 1.1, 64x4096x1024 1.0 and 1.9; int8 on Zen 4
// 32x4096x1024 1.5, 48x4096x4096 2.1).
void share_columns(Partition& partition) {
  if (partition.products == 1 && partition.rows == 2 && partition.columns == 1) partition = {1, 1, 2};
}

std::int64_t result_bytes(const MicroKernel& kernel, const GemmShape& shape) {
  return shape.batch * shape.m * shape.n * static_cast<std::int64_t>(kernel.result_size);
}

// Whether the products of a batch come from L3 or further away. Of wide types each then asks for the operands
// of the next (of 100 products, 128x64x128: float32 1.35, float64 1.45, 16x256x64 1.4 and 2.0; narrow
// types 1.0, and 64 cubed in float32, 5 MB, 0.99).
bool is_far_batch(const MicroKernel& kernel, const GemmShape& shape) {
  const std::int64_t operands = source_bytes(kernel, shape.batch * (shape.m + shape.n) * shape.k);
  return shape.batch > 1 && operands + result_bytes(kernel, shape) > cache_sizes().l3 / 4;
}

// Whether C had better go past the caches, without being read first: what will not stay until it is read
// again, and on AMD's cores the results of a batch that are together with their operands more than a part of
// L3 (1000x64x64, 100 of them: on Zen 4 float32 1.2, bfloat16 1.5, int8 2.1, on Zen 5 1.4, 1.2, 1.5;
// 128x128x64 on Zen 4: 1.14 to 1.2, 40 and 50 of them 1.02 to 1.3) and single ones of half of L3
// (2048x2048x64 on Zen 4: 1.03, int8 1.2).
bool is_too_much_to_stay(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  const std::int64_t c = result_bytes(kernel, shape);
  if (cores == CoreKind::kIntel) return c > cache_sizes().l3;
  return shape.batch > 1 ? is_far_batch(kernel, shape) : c >= cache_sizes().l3 / 2;
}

// How many rows a block has at most whose C goes past the caches in whole lines, on Zen 5; 0: as many as
// else. The panels are inside of the rows: with few of these, what is written one after the other is long
// pieces of few rows, each on pages of its own, and not two lines of each of all rows. The fewer steps a tile
// has, the more of its time is writing (in turns, one thread, 4096x4096xk: k = 8 float32 1.9, float64 1.8,
// bfloat16 and int8 3.2; 16 steps 1.3, 1.3, 1.96, 1.93; 64 steps bfloat16 1.12; on two threads 1.27 and 2.1
// at k = 8; without going past the caches 0.95 to 1.05 from 16 steps on).
std::int64_t rows_beside_streamed_c(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  constexpr std::int64_t kLine = 64;
  constexpr std::int64_t kFewSteps = 10, kSomeSteps = 40;
  constexpr std::int64_t kRowsOfFewSteps = 28, kRowsOfSomeSteps = 56;
  const bool whole_lines = shape.n * static_cast<std::int64_t>(kernel.result_size) % kLine == 0;
  if (cores != CoreKind::kZen5 || kernel.speed > 1 || !whole_lines) return 0;
  const std::int64_t steps = ceil_div(shape.k, kernel.packing->b.unit);
  if (steps <= kFewSteps) return kRowsOfFewSteps;
  return steps <= kSomeSteps ? kRowsOfSomeSteps : kRowsOfPackedA;
}

// How deep a block of the depth may be at most.
std::int64_t deepest(const MicroKernel& kernel, const GemmShape& shape, bool intel, bool b_in_place) {
  const std::int64_t b_row = source_bytes(kernel, shape.n);
  if (intel && !b_in_place) return kIntelDeepestPacked;
  if (intel) return std::max(kIntelShallowest, cache_sizes().l2 / kIntelShareOfL2 / b_row);
  const bool b_near = shape.k * b_row <= cache_sizes().l2;
  return b_in_place && !b_near && b_row > kShortRow ? kFewPages : shape.k;
}

// On Zen 5, where packed operands take several blocks in depth, as deep as `blocks` or less.
Blocking choose_blocking_zen5(const MicroKernel& kernel, const GemmShape& part, Blocking blocks) {
  const std::int64_t most = kZen5DeepestOfSeveral / static_cast<std::int64_t>(kernel.packing->source_size);
  blocks.kc = std::min(blocks.kc, even_piece(part.k, most, 4));
  if (source_bytes(kernel, blocks.kc * part.n) < kZen5LargeBlockOfB) return blocks;
  blocks.kc = std::min(blocks.kc, even_piece(part.k, kZen5DepthBesideLargeB, 4));
  const std::int64_t row = source_bytes(kernel, blocks.kc);
  const std::int64_t strips = std::max<std::int64_t>(1, cache_sizes().l2 * 3 / 8 / row / kernel.mr);
  blocks.mc = std::min(part.m, even_piece(part.m, strips * kernel.mr, kernel.mr));
  blocks.nc = even_piece(part.n, kZen5LargeBlockOfB / 2 / row, kernel.nr);
  return blocks;
}

}  // namespace

bool can_read_a_in_place(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  const Packing& packing = *kernel.packing;
  const bool fills_units = !shape.transpose_a && shape.k % packing.depth_multiple == 0;
  return !kernel.joins_b && keeps_type(kernel) && (packing.a.unit == 1 || fills_units);
}

bool can_read_b_in_place(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  const bool as_it_lies = kernel.joins_b || (keeps_type(kernel) && kernel.packing->b.unit == 1);
  return as_it_lies && !shape.transpose_b && !shape.prepack_b;
}

const MicroKernel& kernel_for(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) noexcept {
  // A transposed A had better be packed in strips of many rows (4096x8x4096: bfloat16 0.84, int8 0.63).
  const bool halves = cores == CoreKind::kOther && kernel.half != nullptr && !shape.transpose_a;
  if (halves && shape.n <= kernel.half->nr) return *kernel.half;
  if (kernel.narrow != nullptr && shape.n <= kernel.narrow->nr) return *kernel.narrow;
  const MicroKernel* const joining = joining_for(kernel, shape, cores);
  return joining != nullptr ? *joining : kernel;
}

Strategy choose_strategy(const MicroKernel& kernel, const GemmShape& shape, int members, CoreKind cores) {
  if (kernel.joins_b) return choose_joining_strategy(kernel, shape, members);
  Strategy strategy;
  const bool intel = goes_by(CoreKind::kIntel, cores, kernel);
  const bool zen5 = goes_by(CoreKind::kZen5, cores, kernel);
  const std::int64_t l2 = cache_sizes().l2;
  const bool can_a = can_read_a_in_place(kernel, shape);
  const bool can_b = can_read_b_in_place(kernel, shape);
  const bool zen = zen5 || (!intel && kernel.copies_b > 0);
  const bool packs_both = zen && !zen5 && meets_in_pages(kernel, shape);
  const InPlace whole = packs_both ? InPlace{}
                        : intel    ? suits_intel(kernel, shape, shape)
                        : zen5     ? suits_zen5(kernel, shape, shape)
                                   : suits(kernel, shape);
  const Packed packed{!(whole.a && can_a), !shape.prepack_b && !(whole.b && can_b)};
  strategy.partition = choose_partition(kernel, shape, packed, members);
  const bool b_near = source_bytes(kernel, shape.k * shape.n) <= l2;
  strategy.b_rows = b_near ? 0 : rows_at_a_time(kernel, shape, cores);
  strategy.by_lines = strategy.b_rows > 0 && packs_by_lines(kernel, shape, cores);
  const bool reads_b = cores == CoreKind::kZen5 && !b_near && is_bound_by_reading_b(kernel, shape);
  if (reads_b || strategy.by_lines || (zen && packed.a && packed.b && shape.n >= shape.m))
    share_columns(strategy.partition);
  const Partition& grid = strategy.partition;
  GemmShape part = shape;
  part.m = ceil_div(shape.m, grid.rows);
  part.n = std::min(shape.n, ceil_div(ceil_div(shape.n, kernel.nr), grid.columns) * kernel.nr);
  const int blocks_of_b = grid.packers() > 1 ? 2 * grid.columns : grid.blocks_of_b();
  strategy.sums_apart = strategy.b_rows == 0 && keeps_sums_apart(kernel, part);
  const InPlace in_place = packs_both ? InPlace{}
                           : intel    ? suits_intel(kernel, shape, part)
                           : zen5     ? suits_zen5(kernel, shape, part)
                                      : suits_part(kernel, shape, part, strategy.sums_apart);
  strategy.a_in_place = in_place.a && can_a;
  strategy.b_in_place = in_place.b && can_b;
  if (strategy.a_in_place && !shape.transpose_a) {
    strategy.strip_rows = rows_of_strip(kernel, source_bytes(kernel, shape.k), intel, zen5);
  }
  strategy.blocking = (strategy.sums_apart ? choose_blocking_apart : choose_blocking)(kernel, cache_sizes(),
                                                                                      part, blocks_of_b);
  strategy.blocking.kc = std::min(strategy.blocking.kc,
                                  even_piece(shape.k, deepest(kernel, shape, intel, strategy.b_in_place), 4));
  if (zen && !strategy.a_in_place && !strategy.b_in_place) {
    const bool shallow = !zen5 && strategy.blocking.kc <= kShallowBlock;
    const std::int64_t most = (shallow ? kRowsOfShallowA : kRowsOfPackedA) / kernel.mr * kernel.mr;
    strategy.blocking.mc = std::min(strategy.blocking.mc, most);
    if (zen5 && strategy.blocking.kc < shape.k)
      strategy.blocking = choose_blocking_zen5(kernel, part, strategy.blocking);
  }
  if (intel && (!strategy.b_in_place || shape.k <= kIntelShallowProduct)) {
    const std::int64_t whole_strips = std::max<std::int64_t>(1, kIntelFewRows / kernel.mr) * kernel.mr;
    strategy.blocking.mc = std::min(strategy.blocking.mc, whole_strips);
    strategy.blocking.nc = std::min(strategy.blocking.nc, round_up(kIntelFewColumns, kernel.nr));
  }
  strategy.b_copied = kernel.copies_b > 0;
  const std::int64_t b_bytes = source_bytes(kernel, shape.k * shape.n);
  const bool asking_is_dearer = zen5 && part.m <= kernel.mr && b_bytes <= cache_sizes().l3 / kZen5ShareOfL3 &&
                                source_bytes(kernel, shape.n) % kPage != 0;
  strategy.b_asked = !b_near && !asking_is_dearer;
  strategy.evenly = zen && !zen5 && b_bytes <= cache_sizes().l3 / kShareAskedEvenly;
  strategy.spreading = zen5;
  strategy.next_asked = cores == CoreKind::kOther && kernel.products == 1 && is_far_batch(kernel, shape);
  strategy.halves = cores == CoreKind::kOther;
  const bool too_shallow = zen && !zen5 && shape.k < kShallowestAsking;
  strategy.c_asked =
      shape.m * shape.n * static_cast<std::int64_t>(kernel.result_size) > l2 / 4 && !too_shallow;
  const std::int64_t unit = std::max(4, kernel.packing->depth_multiple);
  if (strategy.b_rows == kZen5RowsAtATime) {
    strategy.blocking.kc = std::min(strategy.blocking.kc, even_piece(shape.k, kZen5DepthOfRows, unit));
    strategy.blocking.nc = even_piece(part.n, std::min(strategy.blocking.nc, kZen5ColumnsOfRows), kernel.nr);
  } else if (strategy.by_lines) {
    strategy.blocking.kc = std::min(strategy.blocking.kc, even_piece(shape.k, kDepthOfLines, unit));
    strategy.blocking.nc = even_piece(part.n, std::min(strategy.blocking.nc, kColumnsOfLines), kernel.nr);
  } else if (strategy.b_rows > 0) {
    strategy.blocking.kc = std::min(strategy.blocking.kc, even_piece(shape.k, kFewPages, unit));
    const auto packed_row = strategy.blocking.kc * static_cast<std::int64_t>(kernel.packing->packed_size);
    strategy.blocking.nc = even_piece(part.n, std::min(strategy.blocking.nc, l2 / 2 / packed_row), kernel.nr);
  } else if (reads_b && source_bytes(kernel, shape.k) > kZen5DeepRow) {
    strategy.blocking.kc = std::min(strategy.blocking.kc, even_piece(shape.k, kZen5DepthOfPanels, unit));
  }
  const bool written_once = shape.k <= strategy.blocking.kc;
  strategy.stream_c =
      strategy.sums_apart || (!intel && written_once && is_too_much_to_stay(kernel, shape, cores));
  const std::int64_t rows = strategy.stream_c ? rows_beside_streamed_c(kernel, shape, cores) : 0;
  if (rows > 0) strategy.blocking.mc = std::min(strategy.blocking.mc, round_up(rows, kernel.mr));
  return strategy;
}

}  // namespace pibench::kernels
