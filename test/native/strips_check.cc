// Strips of rows: each row is in one of them, whatever the order. And who takes them in which order: a member
// that has another one's rows behind its last does not end with that.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "../../kernels/cpu/cache_sizes.h"
#include "../../kernels/cpu/gemm/gemm.h"
#include "../../kernels/cpu/gemm/instruction_set.h"
#include "../../kernels/cpu/gemm/loop_nest.h"
#include "../../kernels/cpu/gemm/strips.h"
#include "check.h"
#include "instruction_sets.h"

namespace {

using pibench::kernels::ceil_div;
using pibench::kernels::CoreKind;
using pibench::kernels::GemmShape;
using pibench::kernels::StripOrder;
using pibench::kernels::StripRun;
using pibench::kernels::Strips;
using pibench::test::Checks;

struct Strip {
  std::int64_t row, height;
};

std::vector<Strip> taken(const Strips& strips) {
  std::vector<Strip> all;
  for (const StripRun& run : strips) {
    for (std::int64_t i = 0; i < run.count; ++i) all.push_back({run.row + i * run.step, run.height});
  }
  return all;
}

// What is wrong with strips taken in some order, or nothing.
std::string wrong_with(std::int64_t rows, std::int64_t most, std::int64_t multiple, StripOrder order) {
  const Strips strips(rows, most, multiple, order);
  std::vector<Strip> all = taken(strips);
  const auto count = static_cast<std::int64_t>(all.size());
  if (count != strips.count() || count != ceil_div(rows, most)) return "there are " + std::to_string(count);
  if (all[0].row != 0 || strips.height() != all[0].height) return "the first one is not taken first";
  if (static_cast<std::size_t>(strips.end() - strips.begin()) > Strips::kMostRuns)
    return "there are more runs";
  // Down by one half of them, then up from the end: each continues where one was, or jumps to the last.
  for (std::int64_t i = 1; i < count; ++i) {
    const Strip& before = all[static_cast<std::size_t>(i - 1)];
    const Strip& one = all[static_cast<std::size_t>(i)];
    const bool turns = order == StripOrder::to_the_middle && i == count / 2;
    const bool up = order == StripOrder::to_the_middle && i > count / 2;
    const bool follows = up      ? one.row + one.height == before.row
                         : turns ? one.row + one.height == rows
                                 : before.row + before.height == one.row;
    if (!follows) return "strip " + std::to_string(i) + " is at row " + std::to_string(one.row);
  }
  std::ranges::sort(all, {}, &Strip::row);
  std::int64_t covered = 0;
  for (const Strip& strip : all) {
    if (strip.row != covered) return "row " + std::to_string(covered) + " is in none, or in two";
    if (strip.height < 1 || strip.height > most) return "one has " + std::to_string(strip.height) + " rows";
    if (strip.row % multiple != 0) return "one is cut at row " + std::to_string(strip.row);
    if (strip.height + multiple < all[0].height) {
      if (strip.row + strip.height < rows) return "one is low";
    }
    covered += strip.height;
  }
  return covered == rows ? "" : "they end at row " + std::to_string(covered);
}

void check_strips(Checks& checks) {
  std::string why;
  for (const StripOrder order : {StripOrder::down, StripOrder::to_the_middle}) {
    for (const std::int64_t multiple : {1, 4, 16}) {
      for (std::int64_t most = multiple; most <= 2 * multiple + 12; most += multiple) {
        for (std::int64_t rows = 1; rows <= 130 && why.empty(); ++rows) {
          why = wrong_with(rows, most, multiple, order);
          if (!why.empty())
            why += ": " + std::to_string(rows) + " rows by " + std::to_string(most) + " at multiples of " +
                   std::to_string(multiple) + (order == StripOrder::down ? ", down" : ", to the middle");
        }
      }
    }
  }
  checks.that(why.empty(), "strips have each row once, and are taken down, or to the middle from both ends",
              why);
}

// Who ends in the middle, and who does not.
void check_rule(Checks& checks) {
  for (const auto* const set : pibench::test::instruction_sets()) {
    const auto& kernel = set->kernels[0];
    const auto ends_in_the_middle = [&](const GemmShape& shape, int members,
                                        CoreKind cores = CoreKind::kOther) {
      return choose_strategy(kernel, shape, members, cores).to_the_middle;
    };
    const std::string name = std::string(set->name) + ": ";
    checks.that(!ends_in_the_middle({1024, 64, 64}, 1), name + "one thread takes its rows in their order");
    checks.that(ends_in_the_middle({1024, 64, 64}, 2), name + "two end in the middle of their short rows");
    checks.that(!ends_in_the_middle({1024, 64, 64}, 2, CoreKind::kIntel), name + "but not on Intel's cores");
    GemmShape two{64, 64, 64};
    two.batch = 2;
    checks.that(ends_in_the_middle(two, 2), name + "and those that have products beside each other's");
    two.m = 16;
    two.n = 4096;
    checks.that(!ends_in_the_middle(two, 2), name + "but not where steps are long");
    const std::int64_t many = pibench::kernels::cache_sizes().l2 / 64;
    checks.that(!ends_in_the_middle({many, 64, 1}, 2), name + "nor where their rows of C do not stay near");
    checks.that(!ends_in_the_middle({512, 16, 1 << 15}, 2), name + "nor where those of A do not");
  }
}

}  // namespace

int main() {
  Checks checks;
  check_strips(checks);
  check_rule(checks);
  return checks.finish();
}
