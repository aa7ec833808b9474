// oneDNN 2 and 3: the matmul primitive on operands as they lie, or with weights in a layout of its choice
// where B may be packed beforehand. The few types of its C interface that matter are declared here, so that
// no header is needed.
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "../../kernels/cpu/data_type_name.h"
#include "gemm_provider.h"
#include "onednn_descriptors.h"
#include "shared_library.h"
#include "thread_count.h"

namespace pibench::stacks {
namespace {

using kernels::DataType;
using kernels::GemmOperands;
using kernels::GemmShape;
using onednn::check;
using onednn::Descriptors;
using onednn::Descriptors2;
using onednn::Descriptors3;
using onednn::Dimension;
using onednn::Layout;

struct Version {
  int major;
  int minor;
  int patch;
};
struct Argument {
  int index;
  void* memory;
};

constexpr int kCpu = 1;
constexpr unsigned kInOrder = 1;
constexpr int kImplementation = 8;
constexpr int kWeights = 131;
constexpr int kSourceArgument = 1;
constexpr int kDestinationArgument = 17;
constexpr int kWeightsArgument = 33;

struct Types {
  int operand;
  int result;
};

Types types_of(DataType type) {
  constexpr int kBf16 = 2;
  constexpr int kF32 = 3;
  constexpr int kS32 = 4;
  constexpr int kS8 = 5;
  switch (type) {
    case DataType::float32:
      return {kF32, kF32};
    case DataType::bfloat16:
      return {kBf16, kF32};
    case DataType::int8:
      return {kS8, kS32};
    case DataType::float64:
      break;
  }
  throw std::invalid_argument(std::string("oneDNN's matmul does not take ") + kernels::name_of(type) +
                              " on a CPU");
}

class OnednnGemm final : public kernels::Gemm {
 public:
  OnednnGemm(const SharedLibrary& library, int major, DataType type, const GemmShape& shape, int threads)
      : library_(library), types_(types_of(type)), shape_(shape), threads_(threads) {
    if (major == 2)
      descriptors_ = std::make_unique<Descriptors2>(library);
    else
      descriptors_ = std::make_unique<Descriptors3>(library);
    check(library.get<int(void**, int, std::size_t)>("dnnl_engine_create")(&engine_, kCpu, 0), "an engine");
    check(library.get<int(void**, void*, unsigned)>("dnnl_stream_create")(&stream_, engine_, kInOrder),
          "a stream");
  }

  // Builds the primitive for these operands, which every call takes.
  void prepack(const GemmOperands& o) override {
    const auto& [m, n, k, transpose_a, transpose_b, batch, prepack_b] = shape_;
    const int rank = batch > 1 ? 3 : 2;
    const Layout b_layout = layout(k, n, o.ldb, transpose_b, o.stride_b);
    const Descriptors::Handle a =
        descriptors_->matrix(rank, layout(m, k, o.lda, transpose_a, o.stride_a), types_.operand);
    const Descriptors::Handle plain = descriptors_->matrix(rank, b_layout, types_.operand);
    const Descriptors::Handle b = prepack_b ? descriptors_->any(rank, b_layout, types_.operand) : plain;
    const Descriptors::Handle c =
        descriptors_->matrix(rank, layout(m, n, o.ldc, false, o.stride_c), types_.result);
    void* description = descriptors_->product(engine_, a, b, c);
    const char* implementation = nullptr;
    library_.get<int(const void*, int, int, void*)>("dnnl_primitive_desc_query")(
        description, kImplementation, 0, static_cast<void*>(&implementation));
    if (implementation != nullptr) implementation_ = implementation;
    primitive_ = create(description);
    const auto* chosen = library_.get<const void*(const void*, int, int)>("dnnl_primitive_desc_query_md")(
        description, kWeights, 0);
    // The library takes operands that it only reads without const.
    arguments_ = {{{kSourceArgument, memory(a, const_cast<void*>(o.a))},
                   {kWeightsArgument, prepack_b ? reordered(plain, const_cast<void*>(o.b), chosen)
                                                : memory(plain, const_cast<void*>(o.b))},
                   {kDestinationArgument, memory(c, o.c)}}};
    execute_ = library_.get<Execute>("dnnl_primitive_execute");
    wait_ = library_.get<Wait>("dnnl_stream_wait");
    check(execute_(primitive_, stream_, static_cast<int>(arguments_.size()), arguments_.data()), "matmul");
    check(wait_(stream_), "matmul");
  }

  // What could fail has been tried once. A call that fails all the same would be a sample of nothing: it ends
  // the launch.
  void run(const GemmOperands&) noexcept override {
    const int executed =
        execute_(primitive_, stream_, static_cast<int>(arguments_.size()), arguments_.data());
    const int waited = wait_(stream_);
    if (executed != 0 || waited != 0) end(executed != 0 ? executed : waited);
  }

  [[nodiscard]] const char* isa() const noexcept override { return implementation_.c_str(); }
  [[nodiscard]] int members() const noexcept override { return threads_; }

 private:
  using Execute = int(void*, void*, int, const Argument*);
  using Wait = int(void*);

  [[noreturn]] static void end(int status) noexcept {
    std::fprintf(stderr, "oneDNN: a call failed with status %d\n", status);
    std::abort();
  }

  [[nodiscard]] Layout layout(Dimension rows, Dimension columns, Dimension leading, bool transposed,
                              Dimension stride) const {
    const Dimension row = transposed ? 1 : leading;
    const Dimension column = transposed ? leading : 1;
    if (shape_.batch > 1) return {{shape_.batch, rows, columns}, {stride, row, column}};
    return {{rows, columns}, {row, column}};
  }

  void* memory(const void* descriptor, void* data) {
    void* result = nullptr;
    using Create = int(void**, const void*, void*, void*);
    check(library_.get<Create>("dnnl_memory_create")(&result, descriptor, engine_, data), "memory");
    return result;
  }

  void* create(void* description) {
    void* primitive = nullptr;
    check(library_.get<int(void**, const void*)>("dnnl_primitive_create")(&primitive, description),
          "a primitive");
    return primitive;
  }

  void* reordered(const void* from, void* data, const void* to) {
    void* description = nullptr;
    using Describe = int(void**, const void*, void*, const void*, void*, const void*);
    check(library_.get<Describe>("dnnl_reorder_primitive_desc_create")(&description, from, engine_, to,
                                                                       engine_, nullptr),
          "a reorder");
    // Of operands that were prepacked before: two of them may be more than there is memory.
    if (packed_ != nullptr) check(library_.get<int(void*)>("dnnl_memory_destroy")(packed_), "memory");
    // The library's word for "allocate" is all ones.
    void* result = packed_ = memory(to, std::bit_cast<void*>(~std::uintptr_t{0}));
    const std::array<Argument, 2> arguments{
        {{kSourceArgument, memory(from, data)}, {kDestinationArgument, result}}};
    check(library_.get<Execute>("dnnl_primitive_execute")(
              create(description), stream_, static_cast<int>(arguments.size()), arguments.data()),
          "a reorder");
    check(library_.get<Wait>("dnnl_stream_wait")(stream_), "a reorder");
    return result;
  }

  const SharedLibrary& library_;
  std::unique_ptr<Descriptors> descriptors_;
  Types types_;
  GemmShape shape_;
  int threads_;
  void* engine_ = nullptr;
  void* stream_ = nullptr;
  void* primitive_ = nullptr;
  void* packed_ = nullptr;  // B, where it is prepacked
  std::array<Argument, 3> arguments_{};
  Execute* execute_ = nullptr;
  Wait* wait_ = nullptr;
  std::string implementation_;
};

class Onednn final : public GemmProvider {
 public:
  explicit Onednn(const std::string& path)
      : library_(path), version_(*library_.get<const Version*()>("dnnl_version")()) {
    if (version_.major != 2 && version_.major != 3) {
      throw std::runtime_error("oneDNN " + version() + ": pi-bench speaks to versions 2 and 3");
    }
  }

  [[nodiscard]] std::string version() const override {
    return std::to_string(version_.major) + "." + std::to_string(version_.minor) + "." +
           std::to_string(version_.patch);
  }
  [[nodiscard]] std::string chose() const override {
    auto* isa = library_.find<int()>("dnnl_get_effective_cpu_isa");
    auto* name = library_.find<const char*(int)>("dnnl_cpu_isa2str");
    const char* text = isa != nullptr && name != nullptr ? name(isa()) : nullptr;
    return text != nullptr ? text : "";
  }
  [[nodiscard]] std::vector<DataType> types() const override {
    return {DataType::float32, DataType::bfloat16, DataType::int8};
  }
  void set_threads(int threads) override { set_library_threads(library_, threads); }
  [[nodiscard]] std::unique_ptr<kernels::Gemm> make_gemm(DataType type, const GemmShape& shape,
                                                         int threads) const override {
    return std::make_unique<OnednnGemm>(library_, version_.major, type, shape, threads);
  }

 private:
  SharedLibrary library_;
  Version version_;
};

}  // namespace

std::unique_ptr<GemmProvider> open_onednn(const std::string& path) { return std::make_unique<Onednn>(path); }

}  // namespace pibench::stacks
