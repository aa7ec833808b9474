// Our own products: the kernel's descriptor says how it is launched (kernels/cuda/contract_gemm.h).
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "device_gemm.h"
#include "rates.h"

namespace pibench::cuda {
namespace {

using kernels::cuda::Engine;
using kernels::cuda::Gemm;
using kernels::cuda::GemmArguments;
using kernels::cuda::GemmSize;
using kernels::cuda::Layout;
using kernels::cuda::TensorGemmArguments;

GemmSize size_of(const GemmProblem& problem) { return {problem.m, problem.n, problem.k, problem.batch}; }

const Gemm& choose(const Session& session, const GemmProblem& problem, const std::string& engine) {
  const std::optional<Engine> only = engine_named(engine);
  const Gemm* chosen = nullptr;
  if (only || engine.empty())
    chosen = kernels::cuda::preferred(problem.element, result_of(problem.element), session.capability(),
                                      session.multiprocessors(), size_of(problem), only);
  if (chosen != nullptr) return *chosen;
  throw std::invalid_argument("there is no kernel " + (engine.empty() ? "" : engine + " ") + "for " +
                              name_of(problem.element) + " of this shape on compute capability " +
                              std::to_string(session.capability() / 10) + "." +
                              std::to_string(session.capability() % 10));
}

MapType map_type(Element element) {
  switch (element) {
    case Element::float64:
      return MapType::float64;
    case Element::float32:
    case Element::tf32:
      return MapType::float32;
    case Element::float16:
      return MapType::float16;
    case Element::bfloat16:
      return MapType::bfloat16;
    case Element::int32:
      return MapType::int32;
    case Element::float8_e4m3:
    case Element::int8:
      return MapType::uint8;
  }
  return MapType::uint8;
}

kernels::cuda::TensorMap tensor_map(Address address, Element element, std::int64_t inner, std::int64_t outer,
                                    std::int64_t batch, const kernels::cuda::Box& box) {
  const auto encode = Driver::get().functions().cuTensorMapEncodeTiled;
  if (encode == nullptr)
    throw std::runtime_error(
        "this driver cannot describe tensors to the copy engine: CUDA 12.0 or newer is needed");
  const auto row = static_cast<std::uint64_t>(inner) * kernels::cuda::bytes_of(element);
  const std::uint64_t sizes[] = {static_cast<std::uint64_t>(inner), static_cast<std::uint64_t>(outer),
                                 static_cast<std::uint64_t>(batch)};
  const std::uint64_t strides[] = {row, row * static_cast<std::uint64_t>(outer)};
  const std::uint32_t extents[] = {box.inner, box.outer, 1};
  const std::uint32_t steps[] = {1, 1, 1};
  TensorMap map;
  Driver::get().check(
      encode(&map, map_type(element), 3, pointer<void>(address), static_cast<const std::uint64_t*>(sizes),
             static_cast<const std::uint64_t*>(strides), static_cast<const std::uint32_t*>(extents),
             static_cast<const std::uint32_t*>(steps), kNotInterleaved, kSwizzle128, kPromote256, kNoFill),
      "cuTensorMapEncodeTiled");
  kernels::cuda::TensorMap plain{};
  for (std::size_t i = 0; i < map.opaque.size(); ++i) plain.opaque[i] = map.opaque[i];
  return plain;
}

class OwnGemm final : public DeviceGemm {
 public:
  OwnGemm(Session& session, const GemmProblem& problem, const Gemm& gemm)
      : session_(session),
        problem_(problem),
        gemm_(gemm),
        kernel_(session.kernel(
            gemm_.module, gemm_.symbol,
            static_cast<unsigned>(blocks_of(gemm_, size_of(problem), session.multiprocessors())),
            gemm_.threads, gemm_.shared_bytes)) {}

  [[nodiscard]] bool b_transposed() const noexcept override { return gemm_.b == Layout::transposed; }

  void bind(std::span<const OperandSet> sets) override {
    bound_.clear();
    for (const OperandSet& set : sets) bound_.push_back(arguments(set));
  }

  void enqueue(std::size_t set) noexcept override {
    const Bound& bound = bound_[set];
    if (takes_maps(gemm_))
      session_.launch(kernel_, bound.tensors);
    else
      session_.launch(kernel_, bound.pointers);
  }

  [[nodiscard]] std::string implementation() const override {
    const std::string tile = std::to_string(gemm_.tile_m) + "x" + std::to_string(gemm_.tile_n) + "x" +
                             std::to_string(gemm_.tile_k);
    return std::string(name_of(gemm_.engine)) + " " + tile + (b_transposed() ? ", B transposed" : "") +
           (takes_any_rows(gemm_) ? ", rows of any length" : "");
  }

 private:
  struct Bound {
    GemmArguments pointers;
    TensorGemmArguments tensors;
  };

  [[nodiscard]] Bound arguments(const OperandSet& set) const {
    const auto& [m, n, k, batch, element] = problem_;
    const auto whole = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    Bound bound{};
    bound.pointers = {pointer<const void>(set.a),
                      pointer<const void>(set.b),
                      pointer<void>(set.c),
                      whole(m),
                      whole(n),
                      whole(k),
                      whole(batch)};
    if (!takes_maps(gemm_)) return bound;
    bound.tensors = {tensor_map(set.a, element, k, m, batch, gemm_.a_box),
                     b_transposed() ? tensor_map(set.b, element, k, n, batch, gemm_.b_box)
                                    : tensor_map(set.b, element, n, k, batch, gemm_.b_box),
                     tensor_map(set.c, gemm_.result, n, m, batch, gemm_.c_box),
                     whole(m),
                     whole(n),
                     whole(k),
                     whole(batch)};
    return bound;
  }

  Session& session_;
  GemmProblem problem_;
  const Gemm& gemm_;
  Kernel kernel_;
  std::vector<Bound> bound_;
};

}  // namespace

std::unique_ptr<DeviceGemm> make_own_gemm(Session& session, const GemmProblem& problem, const Gemm& gemm) {
  require_32_bits(problem, "the GPU kernels");
  return std::make_unique<OwnGemm>(session, problem, gemm);
}

std::unique_ptr<DeviceGemm> make_own_gemm(Session& session, const GemmProblem& problem,
                                          const std::string& engine) {
  return make_own_gemm(session, problem, choose(session, problem, engine));
}

}  // namespace pibench::cuda
