#include "problem.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace pibench::collective {
namespace {

constexpr std::array<std::pair<const char*, Operation>, 10> kOperations{
    {{"all-reduce", Operation::all_reduce},
     {"all-gather", Operation::all_gather},
     {"reduce-scatter", Operation::reduce_scatter},
     {"broadcast", Operation::broadcast},
     {"reduce", Operation::reduce},
     {"gather", Operation::gather},
     {"scatter", Operation::scatter},
     {"all-to-all", Operation::all_to_all},
     {"send-recv", Operation::send_recv},
     {"barrier", Operation::barrier}}};
constexpr std::array<std::pair<const char*, Element>, 11> kElementNames{
    {{"float32", Element::float32},
     {"float64", Element::float64},
     {"bfloat16", Element::bfloat16},
     {"float16", Element::float16},
     {"float8_e4m3", Element::float8_e4m3},
     {"int8", Element::int8},
     {"uint8", Element::uint8},
     {"int32", Element::int32},
     {"uint32", Element::uint32},
     {"int64", Element::int64},
     {"uint64", Element::uint64}}};
constexpr std::array<std::pair<const char*, Redop>, 5> kRedopNames{{{"sum", Redop::sum},
                                                                    {"prod", Redop::prod},
                                                                    {"min", Redop::min},
                                                                    {"max", Redop::max},
                                                                    {"avg", Redop::avg}}};
constexpr std::array<std::pair<const char*, Pattern>, 2> kPatterns{
    {{"ring", Pattern::ring}, {"pairs", Pattern::pairs}}};

template <typename Table>
auto named(const Table& table, const std::string& name, const char* what) {
  for (const auto& [known, value] : table) {
    if (name == known) return value;
  }
  throw std::invalid_argument("unknown " + std::string(what) + " " + name);
}

std::size_t rounded(std::size_t bytes) noexcept { return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes; }

// Where only the root gives, or only the root gets.
bool root_gives(Operation operation) noexcept {
  return operation == Operation::broadcast || operation == Operation::scatter;
}
bool root_gets(Operation operation) noexcept {
  return operation == Operation::reduce || operation == Operation::gather;
}

}  // namespace

Operation operation_named(const std::string& name) { return named(kOperations, name, "collective"); }
Element element_named(const std::string& name) { return named(kElementNames, name, "data type"); }
Redop redop_named(const std::string& name) { return named(kRedopNames, name, "reduction"); }
Pattern pattern_named(const std::string& name) { return named(kPatterns, name, "pattern"); }

std::size_t bytes_of(Element element) noexcept {
  switch (element) {
    case Element::int8:
    case Element::uint8:
    case Element::float8_e4m3:
      return 1;
    case Element::bfloat16:
    case Element::float16:
      return 2;
    case Element::float32:
    case Element::int32:
    case Element::uint32:
      return 4;
    case Element::float64:
    case Element::int64:
    case Element::uint64:
      break;
  }
  return 8;
}

bool reduces(Operation operation) noexcept {
  return operation == Operation::all_reduce || operation == Operation::reduce ||
         operation == Operation::reduce_scatter;
}

std::size_t given(const Problem& problem, int rank) noexcept {
  if (problem.operation == Operation::barrier) return 0;
  if (root_gives(problem.operation) && rank != problem.root) return 0;
  const bool block_for_each = problem.operation == Operation::reduce_scatter ||
                              problem.operation == Operation::scatter ||
                              problem.operation == Operation::all_to_all;
  return problem.count * (block_for_each ? static_cast<std::size_t>(problem.ranks) : 1);
}

std::size_t gotten(const Problem& problem, int rank) noexcept {
  if (problem.operation == Operation::barrier) return 0;
  if (root_gets(problem.operation) && rank != problem.root) return 0;
  const bool block_of_each = problem.operation == Operation::all_gather ||
                             problem.operation == Operation::gather ||
                             problem.operation == Operation::all_to_all;
  return problem.count * (block_of_each ? static_cast<std::size_t>(problem.ranks) : 1);
}

bool shares_memory(const Problem& problem, int rank) noexcept {
  if (!problem.in_place || problem.operation == Operation::send_recv) return false;
  return given(problem, rank) > 0 && gotten(problem, rank) > 0 &&
         ((!root_gives(problem.operation) && !root_gets(problem.operation)) || rank == problem.root);
}

int source_of(const Problem& problem, int rank) noexcept {
  if (problem.pattern == Pattern::pairs) return rank ^ 1;
  return (rank + problem.ranks - 1) % problem.ranks;
}

Layout layout_of(const Problem& problem, int rank) noexcept {
  const std::size_t element = bytes_of(problem.element);
  const std::size_t input = given(problem, rank) * element;
  const std::size_t output = gotten(problem, rank) * element;
  if (!shares_memory(problem, rank)) return {0, rounded(input), rounded(input) + rounded(output)};
  // The smaller of the two is one block of the larger, or they are the same.
  const std::size_t block = static_cast<std::size_t>(rank) * problem.count * element;
  return {input < output ? block : 0, output < input ? block : 0, rounded(std::max(input, output))};
}

Part part_of(std::size_t count, std::size_t element_bytes, int ranks, int rank) noexcept {
  const std::size_t per_line = kLineBytes / element_bytes;
  const std::size_t lines = (count + per_line - 1) / per_line;
  const auto n = static_cast<std::size_t>(ranks);
  const auto r = static_cast<std::size_t>(rank);
  const auto first_line = [&](std::size_t i) { return lines / n * i + std::min(i, lines % n); };
  return {std::min(count, first_line(r) * per_line), std::min(count, first_line(r + 1) * per_line)};
}

}  // namespace pibench::collective
