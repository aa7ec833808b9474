// Which operands are read where they lie, and by how many rows at a time. For strategy.cc alone: nothing here
// has linkage outside of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "../cache_sizes.h"
#include "core_rules.h"
#include "gemm.h"
#include "instruction_set.h"
#include "loop_nest.h"
#include "operand_bytes.h"
#include "strip_rules.h"

namespace pibench::kernels {
namespace {

// How deep a block may be of a far B whose long rows are read where they lie: each is on a page of its own.
constexpr std::int64_t kFewPages = 256;
// And of low tiles (on Zen 3 float64 8x4096x4096 1.16, 16x4096x1024 1.2; 7x1000x333 1.01 and 1.04 of 128).
constexpr std::int64_t kLowFewPages = 168;

// Rows are read in place where they are short, because the copy costs more than it saves: measured, rows of
// 3 KiB gain and rows of 4 KiB lose, each of which is on a page of its own.
constexpr std::int64_t kShortRow = 3 << 10;
// With so few strips or panels, the elements of B or A are used too seldom to pay for a copy.
constexpr std::int64_t kFewStrips = 10;
constexpr std::int64_t kFewPanels = 10;

// On Zen 4, beside a B that is packed, rows of A from so many bytes on had better be packed, too, whether or
// not they are near (in turns, one thread and two, float32: 300x2000x700 1.06 and 1.07, 500x3000x700 1.05 and
// 1.08, 145x900x1536 1.13 and 1.05, 400x1000x400 1.02 and 1.09; float64 200x1000x512 1.07 and 1.13; but
// float32 1000x800x384 1.00 and 0.97).
constexpr std::int64_t kZen4LongRow = 1600;

// The same on Intel's cores, in float32 and float64, measured by one thread on a Xeon of the generation that
// brought AMX. Tiles of many rows had better have A packed from fewer panels on. A B that is far away is
// packed from fewer strips on, and read in place in blocks that are not deep.
constexpr std::int64_t kIntelFewPanels = 8;
// Where its rows meet in few sets of L1 (in turns on two threads, 512 cubed in float32: 1.0 while the host
// was quiet, 1.15 while it was busy; of half as many columns 0.95 and 1.09). Busy: a tile on each thread,
// which needs nothing but its L1, ran slower, too; the register loop did not.
constexpr std::int64_t kIntelFewPanelsOfMeetingRows = 6;
constexpr std::int64_t kIntelFewStrips = 10;
constexpr std::int64_t kIntelFewStripsOfFar = 4;
constexpr std::int64_t kIntelShareOfL2 = 8;
// Where both operands are near, of few rows, and the vectors of B are whole lines, neither is packed, also
// where they do not go in pairs, with which these figures were not (in turns, while the host was quiet and
// while it was busy: float64 192 cubed 1.09 and 1.01, 256 cubed 1.11 and 0.99, 128x256x256 1.05 and 1.03,
// 256x128x512 1.17 and 0.93, float32 256x512x256 1.06 and 0.97, 320 cubed 1.05 and 0.97; but of more rows
// 512x512x256 1.01 and 0.90, and of lines that are parted 360 cubed 1.03 and 0.94).
constexpr std::int64_t kIntelShareOfNearOperand = 4;
constexpr std::int64_t kIntelFewStripsOfNear = 24;
constexpr std::int64_t kLine = 64;

// The same on Zen 5, measured by one thread. Its vector units take twice what Zen 4's do, its caches are
// about as large, and rows of B that meet in one set of L1 cost more than half of the speed: those are packed
// from a few strips on, be they near or far (1024x1024x64: 1.15 of float32's rate before, 1.35 of float64's;
// 136x4096x512: 1.25 and 1.08). Where B has many columns, A had better be packed in float32 (32x4096x1024:
// 1.34), and in float64 beside a near B that is read in place (42x512x256: 1.3), or from more columns on.
// So are rows a multiple of 1 KiB apart where a panel of them is deep: where its lines then fill few sets of
// L2, the rate of one and the same program was one of two, 0.75 to 0.85 of it packed or equal to it, by what
// memory the process had got (256 columns of float32 and 128 of float64, at a depth of 768 and more).
constexpr std::int64_t kFewRowsOfB = 70;
constexpr std::int64_t kZen5ManyColumns = 2560;  // bytes
constexpr std::int64_t kZen5ManyColumnsOfOneStrip = 1792;
constexpr std::int64_t kZen5ManyColumns64 = 6 << 10;  // of float64
constexpr std::int64_t kZen5FarRow = 1 << 10;
constexpr std::int64_t kZen5LargePanel = 96 << 10;

// Low tiles are so many that a B of which a panel does not stay in L2, or in L1 where many rows use it, had
// better be packed. Measured on Zen 3, of which L2 is half as large as Zen 4's (one thread, in turns, both
// packed against both in place: float32 512 cubed 1.15, 128x256x1024 1.12, 256x128x1024 1.07,
// 32x4096x1024 1.3, 32x512x1024 1.19, 48x1536x256 1.18, but 128x512x128 0.98; float64 512 cubed 1.75, 256
// cubed and 300 cubed 1.1, but 128 cubed 0.97). Where it has very few panels, of float64 one, it stays as it
// is (1000x64x1000 and 1000x48x512 1.02, 64x64x4096 1.14, 200x64x8192 1.07).
constexpr std::int64_t kLowFewStrips = 3;
constexpr std::int64_t kLowFewPanels = 4;
constexpr std::int64_t kLowSomeRows = 60;
constexpr std::int64_t kLowManyRows = 250;
// Tiles of packed operands are some percent faster, which pays for packing where each element is used often:
// A's as often as there are columns, B's as there are rows, so m n / (m + n) counts, which is 125 where both
// are 250 (one thread, in turns, both packed against both in place, float32 and float64: 1000x1000x128 1.09
// and 1.02, 1000x500x128 1.09 and 1.07, 600x600x100 1.06, 1000x700x64 1.04 and 1.19, 2000x200x100 1.02 and
// 1.04, 256x256x64 1.01 and 1.02; but 240x200x200 0.97 and 1.0, 200 cubed 0.94 and 1.0, 300x200x64 0.92).
// Batches and a transposed A were not measured and are left out.
constexpr std::int64_t kLowUses = 125;

// Rows that meet in few sets of L1 are read in place so many at a time: as many as it has ways.
constexpr int kFewRows = 8;
// On Zen 5, whose L1 has 12 ways: where all meet in one set, and where they do in two (float32 500x500x512:
// 1.08, 100x300x1024: 1.08; float64 100x150x512: 1.07, all in turns with strips of 8).
constexpr int kZen5RowsOfOneSet = 10;
constexpr int kZen5RowsOfTwoSets = 12;
// On Intel's cores with as many: as many rows as there are of two sets (float32 512x256x512 on two
// threads: 1.0 while the host was quiet, 1.08 while it was busy; of 12 rows 1.07), and of one.
constexpr std::int64_t kTwelveWays = 48 << 10;
constexpr int kIntelRowsOfOneSet = 10;

// Whether `rows` rows so far apart find room in L1 at the same time: those at a distance of a multiple of
// 4 KiB meet in the same set of lines.
bool spread_in_l1(std::int64_t rows, std::int64_t row_bytes) {
  constexpr std::int64_t kSets = 64;
  constexpr int kMost = 4;  // of 8 ways or more, beside B and C
  std::array<int, kSets> lines{};
  for (std::int64_t i = 0; i < rows; ++i) {
    if (++lines.at(static_cast<std::size_t>(i * row_bytes / kLine % kSets)) > kMost) return false;
  }
  return true;
}

// Whether so many of the rows that a tile reads where they lie meet in few sets of L1.
bool rows_meet_in_l1(const MicroKernel& kernel, std::int64_t row_bytes) {
  return kernel.row_multiple == 1 && !spread_in_l1(kernel.mr, row_bytes);
}

// How many rows of A that lie so far apart a strip in place has at most; 0: as many as the kernel has.
int rows_of_strip(const MicroKernel& kernel, std::int64_t row_bytes, const CoreRules& rules) {
  const bool meet = rows_meet_in_l1(kernel, row_bytes);
  const bool one_set = row_bytes % kPage == 0;
  if (meet && rules.zen5) return one_set ? kZen5RowsOfOneSet : kZen5RowsOfTwoSets;
  if (meet && rules.intel && cache_sizes().l1 >= kTwelveWays) return one_set ? kIntelRowsOfOneSet : 0;
  if (meet) return kFewRows;
  return rules.intel || rules.zen5 ? 0 : kernel.rows_in_place;
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
InPlace suits_part(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part) {
  const InPlace whole = suits(kernel, shape);
  return {whole.a || has_few_panels(kernel, part, kFewPanels), whole.b || part.m <= kFewStrips * kernel.mr};
}

// Whether a member's operands had better stay as they are, both of them.
bool stays_on_intel(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part) {
  const std::int64_t most = cache_sizes().l2 / kIntelShareOfNearOperand;
  return !shape.transpose_a && source_bytes(kernel, shape.n) % kLine == 0 &&
         part.m <= kIntelFewStripsOfNear * kernel.mr && source_bytes(kernel, part.m * shape.k) <= most &&
         source_bytes(kernel, shape.k * shape.n) <= most;
}

// Whether a product goes strip by strip, two tiles as one, of operands where they lie: of enough rows, of a B
// that stays in L2 and of which vectors are whole lines (on a Xeon, in turns with what was chosen without, by
// one thread and by two, float32 and float64: 64 cubed 1.05 and 1.04, 0.98 and 1.01, 256 cubed 1.01 and 1.07,
// on two threads float64 1.11, 2048x64x64 1.03 and 1.21, 1.09 and 1.12, 256x512x128 1.06 and 1.26, 1.04
// and 1.29, 2048x2048x32 1.22 and 1.11, 1.24 and 1.16, 1000x192x16 1.39 and 1.35, 1.26 and 1.33,
// 4096x4096x16 1.45 and 1.88, 1.43 and 1.89; but 56x256x256 0.99 and 0.99, 28x128x128 0.95 and 0.96, of lines
// that are parted 300 cubed in float32 0.84, 70 cubed in float64 0.92, of 1.4 MB of B 416 cubed in float64 on
// two threads 0.54).
constexpr std::int64_t kIntelFewestRowsOfPairs = 60;
constexpr std::int64_t kIntelPartsOfL2 = 5;
constexpr std::int64_t kIntelPartsOfB = 2;
// In float32 not deep products that members share (256 cubed on two threads 0.95 while the host was busy, 384
// cubed 0.97), or of so many rows that packing pays (1000x320x320 0.92 and 0.96, 1000x1024x128 0.93 and 0.91;
// but 300x448x448 1.07, 1000x1024x64 1.15 and 1.10, and float64 1.00 to 1.25).
constexpr std::int64_t kIntelDeepestShared = 128;
constexpr std::int64_t kIntelManyRows = 512;
constexpr std::int64_t kIntelFewSteps = 64;
bool suits_singles_in_pairs(const MicroKernel& kernel, const GemmShape& shape, int members) {
  const bool small = source_bytes(kernel, shape.k * shape.n) <= cache_sizes().l2 / kIntelShareOfL2;
  const bool many = shape.m > kIntelManyRows && shape.k > kIntelFewSteps && !small;
  return !many && (members == 1 || shape.k <= kIntelDeepestShared);
}

bool goes_in_pairs(const MicroKernel& kernel, const GemmShape& shape, int members, const CoreRules& rules) {
  const bool single = kernel.packing->source_size == sizeof(float);
  return rules.intel && kernel.flat != nullptr && can_read_a_in_place(kernel, shape) &&
         can_read_b_in_place(kernel, shape) && !shape.transpose_a && shape.m >= kIntelFewestRowsOfPairs &&
         shape.n >= kTilesOfPair * kernel.nr && source_bytes(kernel, shape.n) % kLine == 0 &&
         source_bytes(kernel, shape.k * shape.n) <= cache_sizes().l2 / kIntelPartsOfL2 * kIntelPartsOfB &&
         (!single || suits_singles_in_pairs(kernel, shape, members));
}

// By how often they are read: a B that was packed is read by all members' rows.
InPlace suits_intel(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part) {
  const bool tall = kernel.mr > kFewRows;
  if (tall && stays_on_intel(kernel, shape, part)) return {true, true};
  const bool meet = rows_meet_in_l1(kernel, source_bytes(kernel, shape.k));
  const bool a = tall && !shape.transpose_a
                     ? has_few_panels(kernel, part, meet ? kIntelFewPanelsOfMeetingRows : kIntelFewPanels)
                     : suits(kernel, shape).a || has_few_panels(kernel, part, kFewPanels);
  const std::int64_t b_bytes = source_bytes(kernel, shape.k * shape.n);
  const std::int64_t l2 = cache_sizes().l2;
  const std::int64_t few_strips = b_bytes <= l2 ? kIntelFewStrips : kIntelFewStripsOfFar;
  return {a, b_bytes <= l2 / kIntelShareOfL2 || shape.m <= few_strips * kernel.mr};
}

InPlace suits_zen5(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part) {
  InPlace in_place = suits_part(kernel, shape, part);
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

InPlace suits_low(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part) {
  const CacheSizes& caches = cache_sizes();
  const std::int64_t b_row = source_bytes(kernel, shape.n);
  const bool b_near = shape.k * b_row <= caches.l2;
  const bool few_strips = part.m <= kLowFewStrips * kernel.mr;
  const bool single = kernel.packing->source_size == sizeof(float);
  const bool few_panels = part.n <= (single ? kLowFewPanels : 1) * kernel.nr;
  const auto stays = [&](std::int64_t rows) { return 2 * rows <= lines_kept(caches.l2, b_row); };
  const bool used_often =
      !shape.transpose_a && shape.batch == 1 && part.m * part.n > kLowUses * (part.m + part.n);
  const bool near = b_near && !used_often && stays(shape.k) &&
                    (2 * shape.k <= lines_kept(caches.l1, b_row) || part.m <= kLowManyRows);
  const bool by_strips =
      !used_often && can_read_b_in_place(kernel, shape) && depth_by_strips_in_place(kernel, shape, part) > 0;
  const bool b = few_strips || few_panels || near || by_strips ||
                 (part.m <= kLowSomeRows && stays(std::min(shape.k, kLowFewPages)));
  const bool a_near = source_bytes(kernel, shape.m * shape.k) <= caches.l2;
  // Beside a packed B, A had better be packed, too, but for few panels (in turns: 256 cubed 1.01, 512 and 700
  // cubed 1.0 to 1.05, 1000x1000x128 1.03 and 1.08, 2048x2048x256 1.05; 1000x128x1000 0.98, 1000x64x1000
  // 0.9).
  const bool shallow = goes_by_strips_packed(shape, part) && shape.k <= kShallowBesideStrips;
  if (!shape.transpose_a) return {b || has_few_panels(kernel, part, kFewPanels) || shallow, b};
  // Packed for B's sake, a transposed A is read more often.
  return {b && a_near, b && (a_near || few_strips)};
}

// Whether each row of a B that could be read in place is on a page of its own, and many rows of A use it: on
// Zen 4, and of the portable kernels, which have no rules of their own (4096x4096x8 on Zen 3 2.2 and 1.2).
bool meets_in_pages(const MicroKernel& kernel, const GemmShape& shape, const CoreRules& rules) {
  const bool portable = kernel.beside && !kernel.any_columns;
  return (rules.zen4 || portable) && !shape.transpose_a && shape.m > kFewRowsOfB &&
         source_bytes(kernel, shape.n) % kPage == 0 && can_read_b_in_place(kernel, shape);
}

// One tile: no element is used twice, and a copy would be read no more often than what it is of. (Of low
// tiles and their narrow relatives, which compute others beside and below them; measured on Zen 3.)
bool is_one_tile(const MicroKernel& kernel, const GemmShape& part) {
  return kernel.beside && kernel.any_columns && part.m <= kernel.mr && part.n <= kernel.nr;
}

// One of which the sums are so few that a step takes as long as its multiply-adds wait for each other: half
// of its rows would take as long. From memory two members read faster than one.
bool is_better_alone(const MicroKernel& kernel, const GemmShape& shape) {
  constexpr std::int64_t kFewSums = 8;
  const std::int64_t vectors = kernel.narrow == nullptr ? 1 : kernel.nr / kernel.narrow->nr;
  return is_one_tile(kernel, shape) && shape.m * vectors <= kFewSums &&
         source_bytes(kernel, (shape.m + shape.n) * shape.k) <= cache_sizes().l3 / 2;
}

// On Zen 4: A's long rows are packed where B is packed from where it lies.
InPlace with_b(const MicroKernel& kernel, const GemmShape& shape, InPlace in_place) {
  const bool packs_b = !in_place.b && can_read_b_in_place(kernel, shape);
  return {in_place.a && !(packs_b && source_bytes(kernel, shape.k) >= kZen4LongRow), in_place.b};
}

// Of a whole product, before it is known who computes which part of it.
InPlace suits_whole(const MicroKernel& kernel, const GemmShape& shape, const CoreRules& rules) {
  if (is_one_tile(kernel, shape)) return {true, true};
  if (meets_in_pages(kernel, shape, rules)) return {};
  if (rules.low) return suits_low(kernel, shape, shape);
  if (rules.intel) return suits_intel(kernel, shape, shape);
  if (rules.zen5) return suits_zen5(kernel, shape, shape);
  return rules.zen4 ? with_b(kernel, shape, suits(kernel, shape)) : suits(kernel, shape);
}

InPlace suits_member(const MicroKernel& kernel, const GemmShape& shape, const GemmShape& part,
                     const CoreRules& rules) {
  if (is_one_tile(kernel, part)) return {true, true};
  if (meets_in_pages(kernel, shape, rules)) return {};
  if (rules.low) return suits_low(kernel, shape, part);
  if (rules.intel) return suits_intel(kernel, shape, part);
  if (rules.zen5) return suits_zen5(kernel, shape, part);
  const InPlace in_place = suits_part(kernel, shape, part);
  return rules.zen4 ? with_b(kernel, shape, in_place) : in_place;
}

}  // namespace
}  // namespace pibench::kernels
