// Flushing the caches: the data survive, whatever the range. And what cannot be flushed is refused.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "../../native/cache_flush.h"
#include "../../native/matmul/elements.h"
#include "../../native/matmul/matmul_workload.h"
#include "check.h"

namespace {

bool measures_cold(bool can_flush) {
  try {
    pibench::require_flush(can_flush);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

int main() {
  pibench::test::Checks check;
  constexpr std::size_t kBytes = std::size_t{3} << 20U;
  std::vector<std::uint8_t> memory(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) memory[i] = static_cast<std::uint8_t>(pibench::draw(1, i));
  const std::vector<std::uint8_t> before = memory;

  pibench::flush(memory.data(), kBytes);
  check.that(memory == before, "data survive a flush");
  for (const std::size_t offset : {1U, 31U, 63U, 64U, 4095U}) {
    for (const std::size_t length : {0U, 1U, 63U, 64U, 65U, 5000U}) {
      memory[offset] = static_cast<std::uint8_t>(~memory[offset]);
      pibench::flush(memory.data() + offset, length);
      memory[offset] = static_cast<std::uint8_t>(~memory[offset]);
    }
  }
  check.that(memory == before, "so do data that were just written, at any address and of any length");
  pibench::flush(nullptr, 0);
  check.that(true, "nothing can be flushed");

  const auto workload =
      pibench::matmul::make_workload({{33, 50, 40}, pibench::kernels::DataType::float32, 2, {}, "", 7});
  const auto output = [&workload] {
    const auto bytes = workload->output().bytes;
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  workload->prepare();
  workload->run();
  const auto hot = output();
  workload->evict();
  check.that(output() == hot, "a matmul's result survives its eviction");
  workload->run();
  check.that(output() == hot, "and so do its operands");
  check.that(workload->verify().passed, "which give the right result");
  workload->poison();
  check.that(output() != hot && !workload->verify().passed, "until it is poisoned");
  check.that(!measures_cold(false), "a CPU that cannot flush measures nothing with cold caches");
  check.that(measures_cold(true), "one that can does");
  pibench::test::Checks::inform(pibench::kCanFlush ? "this CPU flushes" : "this CPU has no way to flush");
  return check.finish();
}
