// What versions 2 and 3 of oneDNN do differently: describe a matrix, and a product of three of them. Version
// 2 has descriptors by value, larger in none of its releases than those here; version 3 has handles.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "shared_library.h"

namespace pibench::stacks::onednn {

using Dimension = std::int64_t;
using Dimensions = std::array<Dimension, 12>;

inline constexpr int kAny = 1;  // a layout of the library's choice

// What the library has no code for on this CPU.
struct NotImplemented : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(int status, const char* what) {
  constexpr int kUnimplemented = 3;
  if (status == 0) return;
  const std::string asked = std::string("oneDNN: ") + what;
  if (status == kUnimplemented)
    throw NotImplemented(asked + " is not implemented for this product on this CPU");
  throw std::runtime_error(asked + " failed with status " + std::to_string(status));
}

// How the elements of operands lie: strides of batch, rows and columns.
struct Layout {
  Dimensions lengths{};
  Dimensions strides{};
};

class Descriptors {
 public:
  using Handle = const void*;
  Descriptors() = default;
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  virtual ~Descriptors() = default;
  virtual Handle matrix(int rank, const Layout& layout, int type) = 0;
  virtual Handle any(int rank, const Layout& layout, int type) = 0;
  virtual void* product(void* engine, Handle a, Handle b, Handle c) = 0;
};

class Descriptors2 final : public Descriptors {
 public:
  explicit Descriptors2(const SharedLibrary& library) : library_(library) {}

  Handle matrix(int rank, const Layout& layout, int type) override {
    using Init = int(void*, int, const Dimension*, int, const Dimension*);
    void* bytes = room();
    check(library_.get<Init>("dnnl_memory_desc_init_by_strides")(bytes, rank, layout.lengths.data(), type,
                                                                 layout.strides.data()),
          "a layout");
    return bytes;
  }
  Handle any(int rank, const Layout& layout, int type) override {
    using Init = int(void*, int, const Dimension*, int, int);
    void* bytes = room();
    check(library_.get<Init>("dnnl_memory_desc_init_by_tag")(bytes, rank, layout.lengths.data(), type, kAny),
          "a layout");
    return bytes;
  }
  void* product(void* engine, Handle a, Handle b, Handle c) override {
    void* operation = room();
    using Init = int(void*, Handle, Handle, Handle, Handle);
    check(library_.get<Init>("dnnl_matmul_desc_init")(operation, a, b, nullptr, c), "matmul");
    void* description = nullptr;
    using Describe = int(void**, const void*, const void*, void*, const void*);
    check(library_.get<Describe>("dnnl_primitive_desc_create")(&description, operation, nullptr, engine,
                                                               nullptr),
          "matmul");
    return description;
  }

 private:
  struct alignas(16) Descriptor {
    std::array<unsigned char, 16384> bytes{};
  };
  void* room() { return descriptors_.emplace_back(std::make_unique<Descriptor>()).get(); }

  const SharedLibrary& library_;
  std::vector<std::unique_ptr<Descriptor>> descriptors_;
};

// What the library made for these is kept to the end of the process, as the library is.
class Descriptors3 final : public Descriptors {
 public:
  explicit Descriptors3(const SharedLibrary& library) : library_(library) {}

  Handle matrix(int rank, const Layout& layout, int type) override {
    using Create = int(void**, int, const Dimension*, int, const Dimension*);
    void* handle = nullptr;
    check(library_.get<Create>("dnnl_memory_desc_create_with_strides")(&handle, rank, layout.lengths.data(),
                                                                       type, layout.strides.data()),
          "a layout");
    return handle;
  }
  Handle any(int rank, const Layout& layout, int type) override {
    using Create = int(void**, int, const Dimension*, int, int);
    void* handle = nullptr;
    check(library_.get<Create>("dnnl_memory_desc_create_with_tag")(&handle, rank, layout.lengths.data(), type,
                                                                   kAny),
          "a layout");
    return handle;
  }
  void* product(void* engine, Handle a, Handle b, Handle c) override {
    using Create = int(void**, void*, Handle, Handle, Handle, Handle, Handle);
    void* description = nullptr;
    check(library_.get<Create>("dnnl_matmul_primitive_desc_create")(&description, engine, a, b, nullptr, c,
                                                                    nullptr),
          "matmul");
    return description;
  }

 private:
  const SharedLibrary& library_;
};

}  // namespace pibench::stacks::onednn
