// The choice among the tables of kernels that instruction sets bring: of memory's passes, of collectives'
// loops.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cpu_features.h"

namespace pibench::kernels {

// `table.needs`: CpuFeature bits.
bool table_runs_here(const auto& table) noexcept { return (table.needs & ~cpu_features()) == 0; }

// Of `tables`, best first, the one of this name; the best that runs here when the name is empty. Throws
// std::invalid_argument, which says of `what`, when it is not part of this build or does not run on this CPU.
template <typename Table>
const Table& table_named(std::span<const Table* const> tables, std::string_view isa, const char* what) {
  bool compiled_in = false;
  for (const Table* const table : tables) {
    if (!isa.empty() && isa != table->name) continue;
    compiled_in = true;
    if (table_runs_here(*table)) return *table;
  }
  throw std::invalid_argument(std::string(what) + " for " + std::string(isa) +
                              (compiled_in ? " do not run on this CPU" : " are not part of this build"));
}

}  // namespace pibench::kernels
