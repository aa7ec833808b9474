// The matrix products for NVIDIA GPUs, run as they are written on a model of a GPU (cuda_model.h): every
// kernel of the contract, on shapes with edges, batches and several rounds, with operands whose sums are
// exact. Every element has to be right and nothing beside the result may be written.
#include <bit>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

// The model's instructions come before the kernels.
#include "cuda_model_hopper.h"
// And then what is checked.
#include "../../kernels/cuda/contract.h"
#include "../../kernels/cuda/mma_gemm.h"
#include "../../kernels/cuda/scalar_gemm.h"
#include "../../kernels/cuda/wgmma_gemm.h"
#include "check.h"

namespace {

using namespace pibench;
using namespace pibench::kernels::cuda;

constexpr std::uint32_t kLimit = 3;
constexpr std::size_t kGuard = 4096;  // around the result
constexpr std::uint64_t kStreamA = 11, kStreamB = 22;

double value_of(Element element, std::uint64_t stream, std::int64_t i) {
  return drawn_value(stream, static_cast<std::uint64_t>(i), element, Values::integers, kLimit);
}

void put(Element element, std::byte* place, double value) {
  if (element == Element::float64) {
    std::memcpy(place, &value, 8);
    return;
  }
  const std::uint32_t bits = bits_in(element, value);
  std::memcpy(place, &bits, bytes_of(element));
}

struct Buffer {
  explicit Buffer(std::size_t bytes) : words((bytes + 15) / 16) {}
  std::byte* data() { return reinterpret_cast<std::byte*>(words.data()); }
  std::vector<Words> words;
};

TensorMap map_of(model::Tensor& tensor) {
  TensorMap map{};
  map.opaque[0] = std::bit_cast<std::uintptr_t>(&tensor);
  return map;
}

// Everything about one product, filled, run and compared.
class Run {
 public:
  Run(const Gemm& gemm, const GemmSize& size)
      : gemm_(gemm),
        size_(size),
        a_(static_cast<std::size_t>(size.batch * size.m * size.k) * bytes_of(gemm.operand)),
        b_(static_cast<std::size_t>(size.batch * size.n * size.k) * bytes_of(gemm.operand)),
        c_(result_bytes() + 2 * kGuard) {
    for (std::int64_t i = 0; i < size.batch * size.m * size.k; ++i)
      put(gemm.operand, a_.data() + i * bytes_of(gemm.operand), value_of(gemm.operand, kStreamA, i));
    for (std::int64_t matrix = 0; matrix < size.batch; ++matrix) {
      for (std::int64_t l = 0; l < size.k; ++l) {
        for (std::int64_t j = 0; j < size.n; ++j) {
          const std::int64_t at = gemm.b == Layout::rows ? l * size.n + j : j * size.k + l;
          put(gemm.operand, b_.data() + (matrix * size.n * size.k + at) * bytes_of(gemm.operand),
              b_at(matrix, l, j));
        }
      }
    }
    std::memset(c_.data(), model::kSpoilt, result_bytes() + 2 * kGuard);
  }

  template <std::size_t index>
  void launch(std::int64_t multiprocessors) {
    model::Tensor a{a_.data(),
                    {size_.k, size_.m, size_.batch},
                    gemm_.a_box.inner,
                    gemm_.a_box.outer,
                    bytes_of(gemm_.operand)};
    model::Tensor b{b_.data(),
                    {size_.n, size_.k, size_.batch},
                    gemm_.b_box.inner,
                    gemm_.b_box.outer,
                    bytes_of(gemm_.operand)};
    if (gemm_.b == Layout::transposed) std::swap(b.extent[0], b.extent[1]);
    model::Tensor c{result(),
                    {size_.n, size_.m, size_.batch},
                    gemm_.c_box.inner,
                    gemm_.c_box.outer,
                    bytes_of(gemm_.result)};
    const auto m = static_cast<std::int32_t>(size_.m);
    const auto n = static_cast<std::int32_t>(size_.n);
    const auto k = static_cast<std::int32_t>(size_.k);
    const auto batch = static_cast<std::int32_t>(size_.batch);
    const TensorGemmArguments tensors{map_of(a), map_of(b), map_of(c), m, n, k, batch};
    const GemmArguments plain{a_.data(), b_.data(), result(), m, n, k, batch};
    const auto blocks = static_cast<std::uint32_t>(blocks_of(gemm_, size_, multiprocessors));
    for (std::uint32_t first = 0; first < blocks; first += gemm_.cluster) {
      std::vector<model::Block> cluster(gemm_.cluster);
      for (std::uint32_t rank = 0; rank < gemm_.cluster; ++rank) {
        cluster[rank].index = first + rank;
        cluster[rank].rank = rank;
        cluster[rank].shared.resize(gemm_.shared_bytes);
      }
      model::device().run(cluster, gemm_.threads, blocks, [&] {
        constexpr Gemm gemm = kGemms[index];
        if constexpr (gemm.engine == Engine::wgmma)
          wgmma_gemm<gemm.operand, gemm.result, gemm.tile_n>(tensors);
        else if constexpr (gemm.engine == Engine::mma)
          mma_gemm<gemm.operand, gemm.result, gemm.alignment == 16>(plain);
        else
          scalar_gemm<gemm.alignment == 16>(plain);
      });
    }
  }

  // Empty where all is right.
  std::string wrong() {
    for (std::int64_t matrix = 0; matrix < size_.batch; ++matrix) {
      // Each drawn once, so that a column of B lies as a row of A does.
      std::vector<double> row(static_cast<std::size_t>(size_.k));
      std::vector<double> columns(static_cast<std::size_t>(size_.n * size_.k));
      for (std::int64_t j = 0; j < size_.n; ++j)
        for (std::int64_t l = 0; l < size_.k; ++l)
          columns[static_cast<std::size_t>(j * size_.k + l)] = b_at(matrix, l, j);
      for (std::int64_t i = 0; i < size_.m; ++i) {
        for (std::int64_t l = 0; l < size_.k; ++l)
          row[static_cast<std::size_t>(l)] =
              value_of(gemm_.operand, kStreamA, (matrix * size_.m + i) * size_.k + l);
        for (std::int64_t j = 0; j < size_.n; ++j) {
          const double* const column = columns.data() + j * size_.k;
          const double sum = std::inner_product(column, column + size_.k, row.data(), 0.0);
          std::byte want[8] = {};
          put(gemm_.result, want, sum);
          const std::byte* got = result() + ((matrix * size_.m + i) * size_.n + j) * bytes_of(gemm_.result);
          if (std::memcmp(got, want, bytes_of(gemm_.result)) != 0)
            return "C[" + std::to_string(i) + "][" + std::to_string(j) + "] of product " +
                   std::to_string(matrix) + " is " + std::to_string(model::number_in(gemm_.result, got)) +
                   ", expected " + std::to_string(sum);
        }
      }
    }
    for (std::size_t i = 0; i < 2 * kGuard; ++i) {
      const std::size_t at = i < kGuard ? i : result_bytes() + i;
      if (c_.data()[at] != static_cast<std::byte>(model::kSpoilt)) return "something was written beside C";
    }
    return "";
  }

 private:
  [[nodiscard]] double b_at(std::int64_t matrix, std::int64_t l, std::int64_t j) const {
    return value_of(gemm_.operand, kStreamB, (matrix * size_.k + l) * size_.n + j);
  }
  [[nodiscard]] std::size_t result_bytes() const {
    return static_cast<std::size_t>(size_.batch * size_.m * size_.n) * bytes_of(gemm_.result);
  }
  std::byte* result() { return c_.data() + kGuard; }

  const Gemm& gemm_;
  GemmSize size_;
  Buffer a_, b_, c_;
};

// Shapes that a kernel has to get right: one element or a little, and several tiles with edges.
std::vector<GemmSize> sizes_of(const Gemm& gemm) {
  const std::int64_t each = 16 / bytes_of(gemm.operand);
  const std::int64_t depth = gemm.tile_k;
  if (gemm.engine == Engine::wgmma) {
    // Several tiles with edges, one after the other; and more steps along k than the ring has stages.
    const std::int64_t depth = gemm.tile_k;
    return {
        {1, 16, each, 1}, {gemm.tile_m + 3, gemm.tile_n + 16, depth + each, 2}, {5, 16, depth * 8 + each, 1}};
  }
  if (gemm.alignment == 16)
    return {{1, 16, each, 1}, {gemm.tile_m + 9, gemm.tile_n + 16, depth * 5 + each, 2}};
  return {{1, 1, 1, 1}, {gemm.tile_m + 1, 7, depth + 3, 2}, {5, gemm.tile_n + 3, 2 * depth + 1, 1}};
}

template <std::size_t index>
void check_gemm(test::Checks& checks, const std::string& asked) {
  const Gemm& gemm = kGemms[index];
  if (std::string(gemm.symbol).find(asked) == std::string::npos) return;
  for (const GemmSize& size : sizes_of(gemm)) {
    std::string trouble;
    try {
      if (!fits(gemm, gemm.target.least, size)) throw model::Failure("the shape does not fit the kernel");
      Run run(gemm, size);
      model::device().set_patient(size.batch == 1);
      run.launch<index>(2);
      trouble = run.wrong();
    } catch (const std::exception& error) {
      trouble = error.what();
    }
    checks.that(trouble.empty(),
                std::string(gemm.symbol) + " is right for " + std::to_string(size.m) + " x " +
                    std::to_string(size.n) + " x " + std::to_string(size.k) + ", batch " +
                    std::to_string(size.batch),
                trouble);
  }
}

}  // namespace

// With an argument: only the kernels whose names contain it.
int main(int count, char** arguments) {
  test::Checks checks;
  const std::string asked = count > 1 ? arguments[1] : "";
  [&]<std::size_t... index>(std::index_sequence<index...>) { (check_gemm<index>(checks, asked), ...); }
  (std::make_index_sequence<kGemms.size()>{});
  return checks.finish();
}
