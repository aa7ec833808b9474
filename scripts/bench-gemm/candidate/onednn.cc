// oneDNN 2 and 3: its gemm function, and its matmul primitive with plain or with prepacked weights.
#include <array>
#include <bit>
#include <memory>

#include "../../../native/stacks/onednn_descriptors.h"
#include "../../../native/stacks/shared_library.h"
#include "product.h"

namespace bench {
namespace {

namespace onednn = pibench::stacks::onednn;
using onednn::check;
using onednn::Dimension;
using onednn::Layout;
using pibench::stacks::SharedLibrary;

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

const Version& version_in(const SharedLibrary& library) {
  return *library.get<const Version*()>("dnnl_version")();
}

std::string version_of(const SharedLibrary& library) {
  const Version& version = version_in(library);
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

std::unique_ptr<onednn::Descriptors> descriptors_for(const SharedLibrary& library) {
  switch (version_in(library).major) {
    case 2:
      return std::make_unique<onednn::Descriptors2>(library);
    case 3:
      return std::make_unique<onednn::Descriptors3>(library);
    default:
      throw std::runtime_error("oneDNN " + version_of(library) + ": this program speaks to versions 2 and 3");
  }
}

class OnednnGemm : public Library {
 public:
  explicit OnednnGemm(const std::string& path) : library_(path) {}
  std::string version() override { return version_of(library_); }
  std::string kernel() override { return "gemm"; }

  Call prepare(const Product& p, const Operands& o) override {
    if (p.type == "float32") {
      using Gemm = int(char, char, Dimension, Dimension, Dimension, float, const float*, Dimension,
                       const float*, Dimension, float, float*, Dimension);
      auto* gemm = library_.get<Gemm>("dnnl_sgemm");
      return each<float, float, float>(
          p, o, [=, call = Arguments(p)](const float* a, const float* b, float* c) {
            gemm(call.t_a, call.t_b, call.m, call.n, call.k, 1.0F, a, call.lda, b, call.ldb, 0.0F, c, call.n);
          });
    }
    if (p.type == "int8") return integer<std::int8_t>("dnnl_gemm_s8s8s32", p, o);
    if (p.type == "uint8") return integer<std::uint8_t>("dnnl_gemm_u8s8s32", p, o);
    throw Unsupported("no gemm function for " + p.type);
  }

 private:
  // As its functions take them.
  struct Arguments {
    explicit Arguments(const Product& p)
        : t_a(p.transpose_a ? 'T' : 'N'),
          t_b(p.transpose_b ? 'T' : 'N'),
          m(p.m),
          n(p.n),
          k(p.k),
          lda(p.ld_a()),
          ldb(p.ld_b()) {}
    char t_a;
    char t_b;
    Dimension m;
    Dimension n;
    Dimension k;
    Dimension lda;
    Dimension ldb;
  };

  // The functions know no batches.
  template <typename A, typename B, typename C, typename Multiply>
  static Call each(const Product& p, const Operands& o, Multiply multiply) {
    const auto* a = static_cast<const A*>(o.a);
    const auto* b = static_cast<const B*>(o.b);
    auto* c = static_cast<C*>(o.c);
    return [=, areas = Areas(p), batch = static_cast<std::size_t>(p.batch)] {
      for (std::size_t i = 0; i < batch; ++i) multiply(a + i * areas.a, b + i * areas.b, c + i * areas.c);
    };
  }

  template <typename A>
  Call integer(const char* name, const Product& p, const Operands& o) {
    using Gemm =
        int(char, char, char, Dimension, Dimension, Dimension, float, const A*, Dimension, A,
            const std::int8_t*, Dimension, std::int8_t, float, std::int32_t*, Dimension, const std::int32_t*);
    auto* gemm = library_.get<Gemm>(name);
    return each<A, std::int8_t, std::int32_t>(
        p, o, [=, call = Arguments(p)](const A* a, const std::int8_t* b, std::int32_t* c) {
          const std::int32_t none = 0;
          gemm(call.t_a, call.t_b, 'F', call.m, call.n, call.k, 1.0F, a, call.lda, 0, b, call.ldb, 0, 0.0F, c,
               call.n, &none);
        });
  }

  SharedLibrary library_;
};

struct Types {
  int a;
  int b;
  int c;
};

Types types_of(const std::string& type) {
  constexpr int kBf16 = 2;
  constexpr int kF32 = 3;
  constexpr int kS32 = 4;
  constexpr int kS8 = 5;
  constexpr int kU8 = 6;
  if (type == "float32") return {kF32, kF32, kF32};
  if (type == "bfloat16") return {kBf16, kBf16, kF32};
  if (type == "int8") return {kS8, kS8, kS32};
  if (type == "uint8") return {kU8, kS8, kS32};
  throw Unsupported("matmul does not take " + type);
}

class OnednnMatmul : public Library {
 public:
  OnednnMatmul(const std::string& path, bool prepacked)
      : library_(path), descriptors_(descriptors_for(library_)), prepacked_(prepacked) {
    check(library_.get<int(void**, int, std::size_t)>("dnnl_engine_create")(&engine_, kCpu, 0), "an engine");
    check(library_.get<int(void**, void*, unsigned)>("dnnl_stream_create")(&stream_, engine_, kInOrder),
          "a stream");
  }
  std::string version() override { return version_of(library_); }
  std::string kernel() override { return implementation_; }

  Call prepare(const Product& p, const Operands& o) override {
    // What an earlier product left is kept to the end: some kilobytes each, and its packed weights.
    const Types types = types_of(p.type);
    const int rank = p.batch > 1 ? 3 : 2;
    const Layout of_b = layout(p.batch, p.k, p.n, p.transpose_b);
    const void* a = descriptors_->matrix(rank, layout(p.batch, p.m, p.k, p.transpose_a), types.a);
    const void* plain = descriptors_->matrix(rank, of_b, types.b);
    const void* asked = prepacked_ ? descriptors_->any(rank, of_b, types.b) : plain;
    const void* c = descriptors_->matrix(rank, layout(p.batch, p.m, p.n, false), types.c);
    void* description = describe(a, asked, c);
    const char* implementation = nullptr;
    library_.get<int(const void*, int, int, void*)>("dnnl_primitive_desc_query")(
        description, kImplementation, 0, static_cast<void*>(&implementation));
    implementation_ = implementation != nullptr ? implementation : "";
    void* primitive = create(description);
    const void* weights = library_.get<const void*(const void*, int, int)>("dnnl_primitive_desc_query_md")(
        description, kWeights, 0);
    void* packed = prepacked_ ? reorder(plain, o.b, weights) : memory(plain, o.b);
    const std::array<Argument, 3> arguments{{{kSourceArgument, memory(a, o.a)},
                                             {kWeightsArgument, packed},
                                             {kDestinationArgument, memory(c, o.c)}}};
    auto* execute = library_.get<int(void*, void*, int, const Argument*)>("dnnl_primitive_execute");
    auto* wait = library_.get<int(void*)>("dnnl_stream_wait");
    return [execute, wait, primitive, arguments, stream = stream_] {
      execute(primitive, stream, static_cast<int>(arguments.size()), arguments.data());
      wait(stream);
    };
  }

 private:
  // Dense, one item of the batch behind the other.
  static Layout layout(Dimension batch, Dimension rows, Dimension columns, bool transposed) {
    const Dimension row = transposed ? 1 : columns;
    const Dimension column = transposed ? rows : 1;
    if (batch > 1) return {{batch, rows, columns}, {rows * columns, row, column}};
    return {{rows, columns}, {row, column}};
  }

  void* describe(const void* a, const void* b, const void* c) {
    try {
      return descriptors_->product(engine_, a, b, c);
    } catch (const onednn::NotImplemented& error) {
      throw Unsupported(error.what());
    }
  }

  // `data` nullptr: of its own.
  void* memory(const void* descriptor, void* data) {
    void* result = nullptr;
    using Create = int(void**, const void*, void*, void*);
    // The library's word for "allocate" is all ones.
    void* handle = data != nullptr ? data : std::bit_cast<void*>(~std::uintptr_t{0});
    check(library_.get<Create>("dnnl_memory_create")(&result, descriptor, engine_, handle), "memory");
    return result;
  }

  void* create(void* description) {
    void* primitive = nullptr;
    check(library_.get<int(void**, const void*)>("dnnl_primitive_create")(&primitive, description),
          "a primitive");
    return primitive;
  }

  void* reorder(const void* from, void* data, const void* to) {
    void* description = nullptr;
    using Describe = int(void**, const void*, void*, const void*, void*, const void*);
    check(library_.get<Describe>("dnnl_reorder_primitive_desc_create")(&description, from, engine_, to,
                                                                       engine_, nullptr),
          "a reorder");
    void* result = memory(to, nullptr);
    const std::array<Argument, 2> arguments{
        {{kSourceArgument, memory(from, data)}, {kDestinationArgument, result}}};
    check(library_.get<int(void*, void*, int, const Argument*)>("dnnl_primitive_execute")(
              create(description), stream_, static_cast<int>(arguments.size()), arguments.data()),
          "a reorder");
    check(library_.get<int(void*)>("dnnl_stream_wait")(stream_), "a reorder");
    return result;
  }

  SharedLibrary library_;
  std::unique_ptr<onednn::Descriptors> descriptors_;
  bool prepacked_;
  void* engine_ = nullptr;
  void* stream_ = nullptr;
  std::string implementation_;
};

}  // namespace

std::unique_ptr<Library> open_onednn_gemm(const std::string& path) {
  return std::make_unique<OnednnGemm>(path);
}
std::unique_ptr<Library> open_onednn_matmul(const std::string& path, bool prepacked) {
  return std::make_unique<OnednnMatmul>(path, prepacked);
}

}  // namespace bench
