// The kernels for NVIDIA GPUs that are no products, run as they are written on a model of a GPU
// (cuda_model.h): passes over memory, the copy engine's copy, filling, fingerprints, comparing, and the peak
// loops.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

// The model's instructions come before the kernels.
#include "cuda_model_hopper.h"
// And then what is checked.
#include "../../kernels/cuda/bulk_copy.h"
#include "../../kernels/cuda/memory_passes.h"
#include "../../kernels/cuda/peak_loops.h"
#include "../../kernels/cuda/peak_wgmma.h"
#include "../../kernels/cuda/support.h"
#include "check.h"

namespace {

using namespace pibench;
using namespace pibench::kernels::cuda;
using test::Checks;

constexpr double kBehind = -77;  // what stands behind an array

// Runs a grid block by block. Returns why it could not, or nothing.
std::string run(std::uint32_t blocks, std::uint32_t threads, std::uint32_t shared,
                const std::function<void()>& kernel) {
  try {
    for (std::uint32_t index = 0; index < blocks; ++index) {
      std::vector<model::Block> block(1);
      block[0].index = index;
      block[0].shared.resize(shared);
      model::device().run(block, threads, blocks, kernel);
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// Room for `elements` numbers that begin at a multiple of 16 bytes, and one behind them.
struct Array {
  explicit Array(std::uint64_t elements) : pairs(elements / 2 + 2) {
    std::fill_n(data(), pairs.size() * 2, kBehind);
  }
  double* data() { return &pairs[0].first; }
  std::vector<Pair> pairs;
};

// As many steps as a long burst has. Numbers that stay what they are need less power than random ones. One
// that turns round may add less than its last bit for a step.
template <typename T>
void check_steps(Checks& checks, const char* name) {
  constexpr int kSteps = 1 << 20;
  constexpr T kMost = 4;
  std::uint64_t still = 0;
  bool bounded = true;
  for (const T ahead : {T{0.26}, T{0.5}, T{0.74}}) {
    T chains[kPeakChains];
    for (std::uint32_t i = 0; i < kPeakChains; ++i)
      chains[i] = static_cast<T>(drawn_value(kPeakStream, i, Element::float64, Values::real, 0));
    for (int step = 0; step < kSteps; ++step) {
      T before[kPeakChains];
      std::memcpy(&before, &chains, sizeof before);
      scalar_step(chains, ahead, T{-0.5});
      for (std::uint32_t i = 0; i < kPeakChains; ++i) {
        if (chains[i] == before[i]) ++still;
        bounded = bounded && chains[i] < kMost && chains[i] > -kMost;
      }
    }
  }
  checks.that(still < kSteps / 10'000, std::string(name) + ": steps change what the chains hold, to the end",
              std::to_string(still) + " steps of a chain left it as it was");
  checks.that(bounded, std::string(name) + ": what the chains hold stays of one size");
}

constexpr std::uint32_t kBlocks = 3;
constexpr Memory kOnce{"", "", Operation::copy, "", {80, false}, 128, 0, 0, 1};
constexpr Memory kFourOnce{"", "", Operation::copy, "", {80, false}, 128, 0, 0, 4};

template <Operation operation>
void check_pass(Checks& checks, const char* name, const std::function<void(const MemoryArguments&)>& pass,
                std::uint32_t blocks, std::uint32_t threads, std::uint32_t shared, std::uint64_t elements) {
  Array a(elements);
  Array b(elements);
  Array out(elements);
  std::uint64_t sum = 0;
  std::uint64_t want_sum = 0;
  for (std::uint64_t i = 0; i < elements; ++i) {
    a.data()[i] = drawn_value(1, i, Element::float64, Values::memory, 0);
    b.data()[i] = drawn_value(2, i, Element::float64, Values::memory, 0);
    want_sum += std::bit_cast<std::uint64_t>(a.data()[i]);
  }
  const MemoryArguments arguments{a.data(), b.data(), out.data(), elements, &sum};
  std::string trouble = run(blocks, threads, shared, [&] { pass(arguments); });
  if (operation == Operation::read) {
    if (sum != want_sum) trouble += " the sum is wrong";
  } else {
    for (std::uint64_t i = 0; i < elements && trouble.empty(); ++i)
      if (out.data()[i] != made_of<operation>(a.data()[i], b.data()[i]))
        trouble = "element " + std::to_string(i) + " is wrong";
    if (out.data()[elements] != kBehind) trouble += " something was written behind the end";
  }
  checks.that(trouble.empty(), std::string(name) + " is right for " + std::to_string(elements) + " elements",
              trouble);
}

template <Operation operation>
void check_operation(Checks& checks, const char* name) {
  for (const std::uint64_t elements : {1, 2, 4095, 4097, 26003}) {
    check_pass<operation>(
        checks, name,
        [](const MemoryArguments& arguments) {
          if constexpr (operation == Operation::read)
            read_pass<false>(arguments);
          else
            memory_pass<operation, true>(arguments);
        },
        kBlocks, kPassThreads, 0, elements);
    if constexpr (operation != Operation::read) {
      check_pass<operation>(checks, name, once_pass<operation, true, kOnce.threads, kOnce.pairs>,
                            blocks_of(kOnce, elements, 1), kOnce.threads, 0, elements);
      check_pass<operation>(checks, name, once_pass<operation, false, kFourOnce.threads, kFourOnce.pairs>,
                            blocks_of(kFourOnce, elements, 1), kFourOnce.threads, 0, elements);
    }
  }
}

void check_bulk(Checks& checks) {
  // Nothing, less than a part, and more parts than the ring has places, with an odd end.
  for (const std::uint64_t elements : {1, 2, 2049, 2048 * 19 + 7})
    check_pass<Operation::copy>(checks, "the copy engine's copy", bulk_copy, kBlocks, 32, kBulkShared,
                                elements);
}

void check_fill(Checks& checks) {
  constexpr std::int64_t kMatrices = 2, kRows = 5, kColumns = 7;
  std::vector<std::uint16_t> plain(kMatrices * kRows * kColumns + 1, 0xbeef);
  std::vector<std::uint16_t> turned = plain;
  const FillArguments arguments{plain.data(), 9,        kMatrices,
                                kRows,        kColumns, static_cast<std::uint32_t>(Element::bfloat16),
                                Values::real, 0,        0};
  FillArguments other = arguments;
  other.data = turned.data();
  other.transposed = 1;
  std::string trouble = run(2, 32, 0, [&] { fill(arguments); }) + run(2, 32, 0, [&] { fill(other); });
  for (std::int64_t matrix = 0; matrix < kMatrices; ++matrix) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t j = 0; j < kColumns; ++j) {
        const std::int64_t number = (matrix * kRows + i) * kColumns + j;
        const std::uint32_t want =
            bits_in(Element::bfloat16,
                    drawn_value(9, static_cast<std::uint64_t>(number), Element::bfloat16, Values::real, 0));
        if (plain[static_cast<std::size_t>(number)] != want ||
            turned[static_cast<std::size_t>((matrix * kColumns + j) * kRows + i)] != want)
          trouble = "element " + std::to_string(number) + " is wrong";
      }
    }
  }
  if (plain.back() != 0xbeef || turned.back() != 0xbeef) trouble = "something was written behind the end";
  checks.that(trouble.empty(), "matrices are filled, by rows and transposed, with the same elements",
              trouble);
}

void check_words(Checks& checks) {
  std::vector<std::uint32_t> left(1000, 0);
  checks.equal(run(2, 64, 0,
                   [&] {
                     pattern({left.data(), 999, 5, 0});
                   })
                   .size(),
               std::size_t{0}, "a pattern is written");
  checks.that(left[0] == 5 && left[998] == 5 && left[999] == 0, "to its end and no further");
  std::vector<std::uint32_t> right = left;
  right[700] = 6;
  right[701] = 6;
  std::uint64_t different = 0;
  std::uint64_t first = ~std::uint64_t{0};
  checks.equal(run(2, 64, 0,
                   [&] {
                     compare({left.data(), right.data(), 1000, &different, &first});
                   })
                   .size(),
               std::size_t{0}, "words are compared");
  checks.that(different == 2 && first == 700, "what differs is counted, and the first place known");
  const auto print = [&](const std::vector<std::uint32_t>& words, std::uint32_t blocks) {
    std::uint64_t sum = 0;
    run(blocks, 64, 0, [&] { fingerprint({words.data(), words.size(), &sum}); });
    return sum;
  };
  std::uint64_t want = 0;
  for (std::uint64_t i = 0; i < left.size(); ++i) want += fingerprint_of(i, left[i]);
  checks.that(print(left, 2) == want && print(left, 5) == want,
              "a fingerprint is the host's, whatever the grid");
  std::swap(right[700], right[2]);
  checks.that(print(right, 2) != print(left, 2), "another place of a word is another fingerprint");
}

// A number of which the model counts the multiply-adds, as it does those of matrix units.
template <typename T>
struct Counted {
  Counted() = default;
  explicit Counted(double x) : value(static_cast<T>(x)) {}
  T value;
};
template <typename T>
struct Product {
  T value;
};
template <typename T>
Product<T> operator*(Counted<T> a, Counted<T> b) {
  return {a.value * b.value};
}
template <typename T>
Counted<T> operator+(Counted<T> sum, Product<T> product) {
  model::device().count_multiply_adds(1);
  return Counted<T>(sum.value + product.value);
}
template <typename T>
Counted<T> operator+(Counted<T> a, Counted<T> b) {
  return Counted<T>(a.value + b.value);
}
template <typename T>
Counted<T> operator-(Counted<T> a, Counted<T> b) {
  return Counted<T>(a.value - b.value);
}
template <typename T>
Counted<T> operator/(Counted<T> a, int b) {
  return Counted<T>(a.value / static_cast<T>(b));
}

struct Loop {
  Element element;
  Engine engine;
  void (*run)(const PeakArguments& arguments);
};

constexpr std::array kLoops{
    Loop{Element::float64, Engine::scalar, peak_scalar<Counted<double>>},
    Loop{Element::float32, Engine::scalar, peak_scalar<Counted<float>>},
    Loop{Element::float64, Engine::mma, peak_mma_double},
    Loop{Element::tf32, Engine::mma, peak_mma<Element::tf32>},
    Loop{Element::float16, Engine::mma, peak_mma<Element::float16>},
    Loop{Element::bfloat16, Engine::mma, peak_mma<Element::bfloat16>},
    Loop{Element::int8, Engine::mma, peak_mma<Element::int8>},
    Loop{Element::float8_e4m3, Engine::mma, peak_mma<Element::float8_e4m3>},
    Loop{Element::tf32, Engine::wgmma, peak_wgmma<Element::tf32>},
    Loop{Element::float16, Engine::wgmma, peak_wgmma<Element::float16>},
    Loop{Element::bfloat16, Engine::wgmma, peak_wgmma<Element::bfloat16>},
    Loop{Element::float8_e4m3, Engine::wgmma, peak_wgmma<Element::float8_e4m3>},
    Loop{Element::int8, Engine::wgmma, peak_wgmma<Element::int8>},
};

// A rate is what the contract says of a loop, divided by the loop's time: only here somebody counts.
void check_peak(Checks& checks, const Peak& peak) {
  const std::string name = peak.symbol;
  const auto* const loop = std::ranges::find_if(
      kLoops, [&](const Loop& one) { return one.element == peak.element && one.engine == peak.engine; });
  if (loop == kLoops.end()) return checks.that(false, name + " is checked");
  constexpr std::uint32_t kTogether = 2;
  const auto sums = [&](std::uint32_t iterations) {
    std::vector<std::uint64_t> found(kTogether, 0);
    const std::uint64_t before = model::device().multiply_adds();
    const std::string trouble = run(kTogether, peak.threads, peak.shared_bytes, [&] {
      loop->run({found.data(), iterations, 0});
    });
    const auto counted = static_cast<double>(2 * (model::device().multiply_adds() - before));
    checks.equal(counted, peak.operations * kTogether * iterations,
                 name + ": operations of " + std::to_string(iterations) + " iterations");
    if (!trouble.empty()) found[0] = 0;
    return found;
  };
  const std::vector<std::uint64_t> one = sums(1);
  const std::vector<std::uint64_t> two = sums(2);
  checks.that(one[0] != 0 && one[0] == one[1] && two[0] == two[1], name + ": all blocks have one sum");
  checks.that(one[0] != two[0], name + ": every iteration changes it");
}

}  // namespace

int main() {
  Checks checks;
  check_operation<Operation::read>(checks, "read");
  check_operation<Operation::write>(checks, "write");
  check_operation<Operation::copy>(checks, "copy");
  check_operation<Operation::scale>(checks, "scale");
  check_operation<Operation::add>(checks, "add");
  check_operation<Operation::triad>(checks, "triad");
  check_bulk(checks);
  check_fill(checks);
  check_words(checks);
  check_steps<double>(checks, "scalar float64");
  check_steps<float>(checks, "scalar float32");
  for (const Peak& peak : kPeaks) check_peak(checks, peak);
  return checks.finish();
}
