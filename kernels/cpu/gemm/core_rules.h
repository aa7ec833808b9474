// By the rules of which kind of cores a kernel's products are computed. For strategy.cc and its rules alone:
// nothing here has linkage outside of it.
#pragma once

#include <cstdint>

#include "../cpu_features.h"
#include "instruction_set.h"
#include "low_tiles.h"

namespace pibench::kernels {
namespace {

constexpr std::int64_t kPage = 4 << 10;

struct CoreRules {
  bool intel = false;
  bool zen5 = false;
  // Measured on Zen 4, and for all other cores, where the kernel's tiles can pack the B that they read.
  bool zen4 = false;
  // The same of low tiles, which 16 registers make, measured on Zen 3.
  bool low = false;
};

bool keeps_type(const MicroKernel& kernel) {
  return kernel.in_place != nullptr && kernel.packing->source_size == kernel.packing->packed_size;
}

// The rules of a kind of cores are for operands that are read as they are: Zen 5's and Zen 4's for tall
// tiles, `low` for low ones, Intel's for both.
CoreRules rules_for(const MicroKernel& kernel, CoreKind cores) {
  const bool as_they_are = kernel.speed == 1 && keeps_type(kernel) && kernel.products == 1;
  const bool intel = cores == CoreKind::kIntel && as_they_are;
  const bool low = has_low_tiles(kernel);
  const bool zen5 = cores == CoreKind::kZen5 && as_they_are && !low;
  const bool others = !intel && !zen5 && kernel.copies_b > 0;
  return {intel, zen5, others && !low, others && low};
}

}  // namespace
}  // namespace pibench::kernels
