#include "gloo_port.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace pibench::collective::gloo {
namespace {

constexpr std::array<const char*, 4> kOfAllReduce{"default", "ring", "bcube", "halving-doubling"};
constexpr std::array<const char*, 1> kOfReduceScatter{"halving-doubling"};
constexpr std::array<const char*, 1> kOfOthers{"default"};
constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();

// The rank that `rank` sends to; of a ring that is not the one that it gets from.
int destination_of(const Problem& problem, int rank) noexcept {
  return problem.pattern == Pattern::pairs ? rank ^ 1 : (rank + 1) % problem.ranks;
}

}  // namespace

GlooPort::GlooPort(Port& host, const Problem& problem, const Library& library, const Joining& joining,
                   std::span<Trouble> troubles)
    : ForwardingPort(host),
      problem_(problem),
      calls_(library.calls()),
      troubles_(troubles),
      memory_(problem, host.rank()),
      planned_(kNothing) {
  Reason reason{};
  end_ = calls_.join(&joining, &reason);
  if (end_ == nullptr)
    throw std::runtime_error("rank " + std::to_string(rank()) +
                             " was not connected to the others by Gloo: " + reason.text);
}

GlooPort::~GlooPort() { calls_.leave(end_); }

std::span<const char* const> GlooPort::algorithms() const noexcept {
  if (problem_.operation == Operation::all_reduce) return kOfAllReduce;
  if (problem_.operation == Operation::reduce_scatter) return kOfReduceScatter;
  return kOfOthers;
}

void GlooPort::choose(std::size_t algorithm) noexcept {
  if (algorithm == planned_ || abandoned()) return;
  planned_ = algorithm;
  const char* const name = algorithms()[algorithm];
  const Operands operands = memory_.operands();
  const Plan plan{problem_,
                  rank(),
                  destination_of(problem_, rank()),
                  source_of(problem_, rank()),
                  std::strcmp(name, "default") == 0 ? "" : name,
                  operands.input.empty() ? nullptr : operands.input.data(),
                  operands.output.empty() ? nullptr : operands.output.data()};
  Reason reason{};
  if (!calls_.plan(end_, &plan, &reason)) tell(reason);
}

void GlooPort::run() noexcept {
  if (abandoned()) return;
  Reason reason;
  if (!calls_.run(end_, &reason)) tell(reason);
}

// Gloo leaves the result of a reduce-scatter at the beginning of its operand; elsewhere it belongs at the
// rank's own block.
void GlooPort::fetch() noexcept {
  if (problem_.operation != Operation::reduce_scatter) return;
  const auto output = memory_.operands().output;
  std::memmove(output.data(), memory_.input(), output.size());
}

void GlooPort::tell(const Reason& reason) noexcept {
  Trouble& own = troubles_[static_cast<std::size_t>(rank())];
  std::copy(std::begin(reason.text), std::end(reason.text), own.what.begin());
  own.happened.store(true, std::memory_order_release);
}

bool GlooPort::abandoned() const noexcept {
  return ForwardingPort::abandoned() || std::ranges::any_of(troubles_, [](const Trouble& trouble) {
           return trouble.happened.load(std::memory_order_acquire);
         });
}

}  // namespace pibench::collective::gloo
