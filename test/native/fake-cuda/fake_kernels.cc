#include "fake_kernels.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "../../../kernels/cpu/memory/memory_kernels.h"
#include "../../../kernels/cuda/contract.h"
#include "../../../native/cuda/elements.h"
#include "settings.h"

namespace pibench::fake {
namespace {

using kernels::cuda::bytes_of;
using kernels::cuda::Element;

template <typename Argument>
std::function<void()> call(const void* argument, void (*body)(const Argument&, unsigned), unsigned blocks) {
  Argument copy;
  std::memcpy(&copy, argument, sizeof copy);
  return [copy, body, blocks] { body(copy, blocks); };
}

double loaded(const std::byte* memory, std::int64_t i, Element element) {
  const std::byte* at = memory + i * bytes_of(element);
  const auto read = [at]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (element) {
    case Element::float64:
      return read(double{});
    case Element::float32:
    case Element::tf32:
      return read(float{});
    case Element::int32:
      return read(std::int32_t{});
    case Element::int8:
      return read(std::int8_t{});
    case Element::bfloat16:
      return std::bit_cast<float>(std::uint32_t{read(std::uint16_t{})} << 16U);
    case Element::float16:
      return cuda::decoded(read(std::uint16_t{}), 5, 10);
    case Element::float8_e4m3:
      return cuda::decoded(read(std::uint8_t{}), 4, 3);
  }
  return 0;
}

void store(std::byte* memory, std::int64_t i, Element element, double value) {
  std::byte* at = memory + i * bytes_of(element);
  const auto write = [at](auto stored) { std::memcpy(at, &stored, sizeof stored); };
  if (element == Element::float64) return write(value);
  const std::uint32_t bits = kernels::cuda::bits_in(element, value);
  if (bytes_of(element) == 4) return write(bits);
  if (bytes_of(element) == 2) return write(static_cast<std::uint16_t>(bits));
  write(static_cast<std::uint8_t>(bits));
}

// Whether there was a product, and operands were filled after one.
bool multiplied = false;
bool filled_again = false;

void multiply(const kernels::cuda::Gemm& gemm, const kernels::cuda::GemmArguments& p) {
  const bool transposed = gemm.b == kernels::cuda::Layout::transposed;
  const std::int64_t m = p.m;
  const std::int64_t n = p.n;
  const std::int64_t k = p.k;
  std::vector<double> a(static_cast<std::size_t>(m * k));
  std::vector<double> b(static_cast<std::size_t>(k * n));
  for (std::int64_t matrix = 0; matrix < p.batch; ++matrix) {
    for (std::int64_t i = 0; i < m * k; ++i)
      a[static_cast<std::size_t>(i)] =
          loaded(static_cast<const std::byte*>(p.a), matrix * m * k + i, gemm.operand);
    for (std::int64_t i = 0; i < k * n; ++i)
      b[static_cast<std::size_t>(i)] =
          loaded(static_cast<const std::byte*>(p.b), matrix * k * n + i, gemm.operand);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < k; ++l)
          sum += a[static_cast<std::size_t>(i * k + l)] *
                 b[static_cast<std::size_t>(transposed ? j * k + l : l * n + j)];
        store(static_cast<std::byte*>(p.c), matrix * m * n + i * n + j, gemm.result, sum);
      }
    }
  }
  // A device whose arithmetic is wrong in one place.
  if (setting("wrong", 0) != 0) store(static_cast<std::byte*>(p.c), m * n / 2, gemm.result, 12345);
  multiplied = true;
  // One that puts an element into its neighbour's place, until its operands are filled again.
  if (setting("wrong-until-filled", 0) == 0 || filled_again) return;
  const std::size_t bytes = bytes_of(gemm.result);
  std::byte* const middle = static_cast<std::byte*>(p.c) + static_cast<std::size_t>(m * n / 2) * bytes;
  std::memcpy(middle, middle - bytes, bytes);
}

RememberedTensor remembered(const kernels::cuda::TensorMap& map) {
  RememberedTensor tensor{};
  std::memcpy(&tensor, &map, sizeof tensor);
  return tensor;
}

// Of so many rows and columns of elements of this size, through this box.
bool describes(const RememberedTensor& map, std::int32_t rows, std::int32_t columns, std::int32_t batch,
               Element element, const kernels::cuda::Box& box) {
  const auto row = static_cast<std::uint64_t>(columns) * bytes_of(element);
  return map.inner == static_cast<std::uint64_t>(columns) && map.outer == static_cast<std::uint64_t>(rows) &&
         map.batch == static_cast<std::uint64_t>(batch) && map.row_bytes == row &&
         map.box_inner == box.inner && map.box_outer == box.outer;
}

bool describe_the_product(const kernels::cuda::Gemm& gemm, const kernels::cuda::TensorGemmArguments& p) {
  const bool transposed = gemm.b == kernels::cuda::Layout::transposed;
  return describes(remembered(p.a), p.m, p.k, p.batch, gemm.operand, gemm.a_box) &&
         describes(remembered(p.b), transposed ? p.n : p.k, transposed ? p.k : p.n, p.batch, gemm.operand,
                   gemm.b_box) &&
         describes(remembered(p.c), p.m, p.n, p.batch, gemm.result, gemm.c_box);
}

std::optional<std::function<void()>> gemm_call(const kernels::cuda::Gemm& gemm, const void* argument,
                                               unsigned blocks) {
  kernels::cuda::GemmArguments plain{};
  if (takes_maps(gemm)) {
    kernels::cuda::TensorGemmArguments tensors;
    std::memcpy(&tensors, argument, sizeof tensors);
    if (!describe_the_product(gemm, tensors)) return std::nullopt;
    plain = {pointer<const void>(remembered(tensors.a).address),
             pointer<const void>(remembered(tensors.b).address),
             pointer<void>(remembered(tensors.c).address),
             tensors.m,
             tensors.n,
             tensors.k,
             tensors.batch};
  } else {
    std::memcpy(&plain, argument, sizeof plain);
  }
  // Fewer would leave some tiles as they were, and more compute what is not there.
  if (blocks != blocks_of(gemm, {plain.m, plain.n, plain.k, plain.batch}, kMultiprocessors))
    return std::nullopt;
  return [&gemm, plain] { multiply(gemm, plain); };
}

void spin_gate(const kernels::cuda::SpinGateArguments& p, unsigned) {
  auto& flag = const_cast<std::uint32_t&>(*p.flag);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::nanoseconds(p.limit_ns);
  while (std::atomic_ref(flag).load(std::memory_order_acquire) == 0) {
    if (std::chrono::steady_clock::now() > limit) {
      *p.gave_up = 1;
      return;
    }
    std::this_thread::yield();
  }
}

void fill(const kernels::cuda::FillArguments& p, unsigned) {
  filled_again = filled_again || multiplied;
  const auto element = static_cast<Element>(p.element);
  for (std::int64_t i = 0; i < p.matrices; ++i) {
    for (std::int64_t r = 0; r < p.rows; ++r) {
      for (std::int64_t c = 0; c < p.columns; ++c) {
        const std::int64_t number = (i * p.rows + r) * p.columns + c;
        const std::int64_t place = p.transposed != 0 ? (i * p.columns + c) * p.rows + r : number;
        const double value = kernels::cuda::drawn_value(p.stream, static_cast<std::uint64_t>(number), element,
                                                        p.values, p.limit);
        store(static_cast<std::byte*>(p.data), place, element, value);
      }
    }
  }
}

void pattern(const kernels::cuda::PatternArguments& p, unsigned) {
  for (std::uint64_t i = 0; i < p.words; ++i) p.data[i] = p.value;
}

void fingerprint(const kernels::cuda::FingerprintArguments& p, unsigned) {
  // Kernels of several streams may add to one sum.
  for (std::uint64_t i = 0; i < p.words; ++i)
    std::atomic_ref(*p.sum).fetch_add(kernels::cuda::fingerprint_of(i, p.data[i]));
}

void compare(const kernels::cuda::CompareArguments& p, unsigned) {
  for (std::uint64_t i = 0; i < p.words; ++i) {
    if (p.left[i] == p.right[i]) continue;
    ++*p.different;
    if (i < *p.first) *p.first = i;
  }
}

void peak(const kernels::cuda::PeakArguments& p, unsigned blocks) {
  // Some time for some iterations, so that twice as many take twice as long.
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(200) * p.iterations;
  while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
  for (unsigned block = 0; block < blocks; ++block) p.sums[block] += 0x5eedULL + p.iterations;
  if (setting("wrong", 0) != 0) ++p.sums[blocks / 2];
}

// A device whose first passes are slow, as of one that was at rest, and on which always that kernel is
// fastest that comes first.
void linger(const kernels::cuda::Memory& memory) {
  static long passes = 0;
  const long waking = setting("passes-wake", 0);
  if (waking == 0) return;
  const auto* const first = std::ranges::find(kernels::cuda::kMemories, memory.operation,
                                              [](const auto& one) { return one.operation; });
  constexpr int kAwake = 2;
  constexpr int kAtRest = 20;
  const int milliseconds = ++passes <= waking ? kAtRest : &memory == first ? 0 : kAwake;
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

template <kernels::cuda::Operation operation>
void pass(const kernels::cuda::MemoryArguments& p, unsigned) {
  using kernels::cuda::Operation;
  constexpr double kFactor = kernels::memory::kFactor;
  // A device that reads only a part of what it should.
  const std::uint64_t most =
      operation == Operation::read && setting("half-read", 0) != 0 ? p.elements / 2 : p.elements;
  for (std::uint64_t i = 0; i < most; ++i) {
    if constexpr (operation == Operation::read) *p.sum += std::bit_cast<std::uint64_t>(p.a[i]);
    if constexpr (operation == Operation::write) p.out[i] = kernels::memory::kWritten;
    if constexpr (operation == Operation::copy) p.out[i] = p.a[i];
    if constexpr (operation == Operation::scale) p.out[i] = kFactor * p.a[i];
    if constexpr (operation == Operation::add) p.out[i] = p.a[i] + p.b[i];
    if constexpr (operation == Operation::triad) p.out[i] = p.a[i] + kFactor * p.b[i];
  }
}

std::function<void()> memory_call(kernels::cuda::Operation operation, const void* argument) {
  using kernels::cuda::Operation;
  switch (operation) {
    case Operation::read:
      return call(argument, pass<Operation::read>, 0);
    case Operation::write:
      return call(argument, pass<Operation::write>, 0);
    case Operation::copy:
      return call(argument, pass<Operation::copy>, 0);
    case Operation::scale:
      return call(argument, pass<Operation::scale>, 0);
    case Operation::add:
      return call(argument, pass<Operation::add>, 0);
    case Operation::triad:
      return call(argument, pass<Operation::triad>, 0);
  }
  return [] {};
}

}  // namespace

std::optional<std::function<void()>> kernel_call(std::string_view symbol, const void* argument,
                                                 const Grid& grid) {
  // The measured ones say how much shared memory they take.
  const auto is = [&](const auto& kernel) {
    return symbol == kernel.symbol && grid.threads == kernel.threads &&
           grid.shared_bytes == kernel.shared_bytes;
  };
  for (const auto& gemm : kernels::cuda::kGemms) {
    if (is(gemm)) return gemm_call(gemm, argument, grid.blocks);
  }
  for (const auto& loop : kernels::cuda::kPeaks) {
    if (is(loop)) return call(argument, peak, grid.blocks);
  }
  for (const auto& memory : kernels::cuda::kMemories) {
    if (!is(memory)) continue;
    const std::uint64_t elements = static_cast<const kernels::cuda::MemoryArguments*>(argument)->elements;
    // Too few would leave a part of the array as it was.
    if (memory.blocks_per_multiprocessor == 0 && grid.blocks != blocks_of(memory, elements, 1))
      return std::nullopt;
    return [&memory, pass = memory_call(memory.operation, argument)] {
      linger(memory);
      pass();
    };
  }
  const auto supports = [&](const kernels::cuda::Support& kernel) {
    return symbol == kernel.symbol && grid.threads == kernel.threads && grid.shared_bytes == 0;
  };
  if (supports(kernels::cuda::kEmpty)) return [] {};
  if (supports(kernels::cuda::kSpinGate)) return call(argument, spin_gate, grid.blocks);
  if (supports(kernels::cuda::kFill)) return call(argument, fill, grid.blocks);
  if (supports(kernels::cuda::kPattern)) return call(argument, pattern, grid.blocks);
  if (supports(kernels::cuda::kFingerprint)) return call(argument, fingerprint, grid.blocks);
  if (supports(kernels::cuda::kCompare)) return call(argument, compare, grid.blocks);
  return std::nullopt;
}

}  // namespace pibench::fake
