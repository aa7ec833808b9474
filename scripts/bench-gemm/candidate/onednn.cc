// oneDNN 2: its gemm function, and its matmul primitive with plain or with prepacked weights. The few types
// of its C interface that matter here are declared here, so that no header is needed; descriptors are larger
// in no version 2.
#include <array>
#include <bit>

#include "../../../native/stacks/shared_library.h"
#include "product.h"

namespace bench {
namespace {

using pibench::stacks::SharedLibrary;

using Dimension = std::int64_t;
using Dimensions = std::array<Dimension, 12>;
struct alignas(16) Descriptor {
  std::array<unsigned char, 16384> bytes{};
};
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
constexpr int kAny = 1;
constexpr int kRowMajor = 3;
constexpr int kImplementation = 8;
constexpr int kWeights = 131;
constexpr int kSourceArgument = 1;
constexpr int kDestinationArgument = 17;
constexpr int kWeightsArgument = 33;

void check(int status, const char* what) {
  constexpr int kInvalidArguments = 2;
  constexpr int kUnimplemented = 3;
  if (status == kUnimplemented || status == kInvalidArguments)
    throw Unsupported(std::string(what) + ": not for this product");
  if (status != 0) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(status));
}

std::string version_of(const SharedLibrary& library) {
  const auto* version = library.get<const Version*()>("dnnl_version")();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

void require_version_2(const SharedLibrary& library) {
  if (library.get<const Version*()>("dnnl_version")()->major != 2) {
    throw std::runtime_error("oneDNN " + version_of(library) + ": this program speaks to version 2");
  }
}

class OnednnGemm : public Library {
 public:
  explicit OnednnGemm(const std::string& path) : library_(path) {}
  std::string version() override { return version_of(library_); }
  std::string kernel() override { return "gemm"; }

  Call prepare(const Product& p, const Operands& o) override {
    const auto m = static_cast<Dimension>(p.m);
    const auto n = static_cast<Dimension>(p.n);
    const auto k = static_cast<Dimension>(p.k);
    if (p.type == "float32") {
      using Gemm = int(char, char, Dimension, Dimension, Dimension, float, const float*, Dimension,
                       const float*, Dimension, float, float*, Dimension);
      auto* gemm = library_.get<Gemm>("dnnl_sgemm");
      return [=] {
        gemm('N', 'N', m, n, k, 1.0F, static_cast<const float*>(o.a), k, static_cast<const float*>(o.b), n,
             0.0F, static_cast<float*>(o.c), n);
      };
    }
    if (p.type == "int8") return integer<std::int8_t>("dnnl_gemm_s8s8s32", m, n, k, o);
    if (p.type == "uint8") return integer<std::uint8_t>("dnnl_gemm_u8s8s32", m, n, k, o);
    throw Unsupported("no gemm function for " + p.type);
  }

 private:
  template <typename A>
  Call integer(const char* name, Dimension m, Dimension n, Dimension k, const Operands& o) {
    using Gemm =
        int(char, char, char, Dimension, Dimension, Dimension, float, const A*, Dimension, A,
            const std::int8_t*, Dimension, std::int8_t, float, std::int32_t*, Dimension, const std::int32_t*);
    auto* gemm = library_.get<Gemm>(name);
    return [=] {
      const std::int32_t none = 0;
      gemm('N', 'N', 'F', m, n, k, 1.0F, static_cast<const A*>(o.a), k, 0,
           static_cast<const std::int8_t*>(o.b), n, 0, 0.0F, static_cast<std::int32_t*>(o.c), n, &none);
    };
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
  OnednnMatmul(const std::string& path, bool prepacked) : library_(path), prepacked_(prepacked) {
    require_version_2(library_);
    check(library_.get<int(void**, int, std::size_t)>("dnnl_engine_create")(&engine_, kCpu, 0), "engine");
    check(library_.get<int(void**, void*, unsigned)>("dnnl_stream_create")(&stream_, engine_, 1), "stream");
  }
  std::string version() override { return version_of(library_); }
  std::string kernel() override { return implementation_; }

  Call prepare(const Product& p, const Operands& o) override {
    // What an earlier product left is kept to the end: some kilobytes each, and its packed weights.
    const Types types = types_of(p.type);
    const Descriptor a = matrix(p.m, p.k, types.a, kRowMajor);
    const Descriptor plain = matrix(p.k, p.n, types.b, kRowMajor);
    const Descriptor asked = matrix(p.k, p.n, types.b, prepacked_ ? kAny : kRowMajor);
    const Descriptor c = matrix(p.m, p.n, types.c, kRowMajor);
    Descriptor operation;
    using Init = int(Descriptor*, const Descriptor*, const Descriptor*, const Descriptor*, const Descriptor*);
    check(library_.get<Init>("dnnl_matmul_desc_init")(&operation, &a, &asked, nullptr, &c), "matmul");
    void* description = nullptr;
    using Describe = int(void**, const Descriptor*, const void*, void*, const void*);
    check(library_.get<Describe>("dnnl_primitive_desc_create")(&description, &operation, nullptr, engine_,
                                                               nullptr),
          "matmul");
    const char* implementation = nullptr;
    library_.get<int(const void*, int, int, void*)>("dnnl_primitive_desc_query")(
        description, kImplementation, 0, static_cast<void*>(&implementation));
    implementation_ = implementation != nullptr ? implementation : "";
    void* primitive = create(description);
    const auto* weights = library_.get<const Descriptor*(const void*, int, int)>(
        "dnnl_primitive_desc_query_md")(description, kWeights, 0);
    void* packed = prepacked_ ? reorder(plain, o.b, weights) : memory(&plain, o.b);
    const std::array<Argument, 3> arguments{{{kSourceArgument, memory(&a, o.a)},
                                             {kWeightsArgument, packed},
                                             {kDestinationArgument, memory(&c, o.c)}}};
    auto* execute = library_.get<int(void*, void*, int, const Argument*)>("dnnl_primitive_execute");
    auto* wait = library_.get<int(void*)>("dnnl_stream_wait");
    return [execute, wait, primitive, arguments, stream = stream_] {
      execute(primitive, stream, static_cast<int>(arguments.size()), arguments.data());
      wait(stream);
    };
  }

 private:
  Descriptor matrix(int rows, int columns, int type, int format) {
    Descriptor descriptor;
    const Dimensions dimensions{rows, columns};
    using Init = int(Descriptor*, int, const Dimension*, int, int);
    check(library_.get<Init>("dnnl_memory_desc_init_by_tag")(&descriptor, 2, dimensions.data(), type, format),
          "layout");
    return descriptor;
  }

  // `data` nullptr: of its own.
  void* memory(const Descriptor* descriptor, void* data) {
    void* result = nullptr;
    using Create = int(void**, const Descriptor*, void*, void*);
    // The library's word for "allocate" is all ones.
    void* handle = data != nullptr ? data : std::bit_cast<void*>(~std::uintptr_t{0});
    check(library_.get<Create>("dnnl_memory_create")(&result, descriptor, engine_, handle), "memory");
    return result;
  }

  void* create(void* description) {
    void* primitive = nullptr;
    check(library_.get<int(void**, const void*)>("dnnl_primitive_create")(&primitive, description),
          "primitive");
    return primitive;
  }

  void* reorder(const Descriptor& from, void* data, const Descriptor* to) {
    void* description = nullptr;
    using Describe = int(void**, const Descriptor*, void*, const Descriptor*, void*, const void*);
    check(library_.get<Describe>("dnnl_reorder_primitive_desc_create")(&description, &from, engine_, to,
                                                                       engine_, nullptr),
          "reorder");
    void* result = memory(to, nullptr);
    const std::array<Argument, 2> arguments{
        {{kSourceArgument, memory(&from, data)}, {kDestinationArgument, result}}};
    check(library_.get<int(void*, void*, int, const Argument*)>("dnnl_primitive_execute")(
              create(description), stream_, static_cast<int>(arguments.size()), arguments.data()),
          "reorder");
    check(library_.get<int(void*)>("dnnl_stream_wait")(stream_), "reorder");
    return result;
  }

  SharedLibrary library_;
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
