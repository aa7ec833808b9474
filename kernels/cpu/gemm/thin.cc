// The larger operand is the matrix, the other one's few columns or rows are the vectors. Where elements of
// one result are neighbours in the matrix, rows are added up, each times an element of the vector; else each
// element of a result is an inner product of a row with the vector. Either way the matrix is read once, row
// by row, and members share it without having to meet: nothing is packed but vectors of which the elements
// are no neighbours, in each call or, where B is to be packed once, before the first.
//
// Everything here counts in elements and moves bytes: it knows no data type.
#include "thin.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

#include "../../../native/threads/team.h"
#include "../buffer.h"
#include "../cpu_features.h"
#include "instruction_set.h"
#include "partition.h"
#include "thin_shape.h"

namespace pibench::kernels {
namespace {

// Where the elements of an operand lie: of the matrix, `major` leads from one row to the next; of the
// vectors, from one vector to the next.
struct Steps {
  std::int64_t major, minor;
};

// Copies elements of a few vectors: `from` and `to` are of the first element of the first vector.
template <typename Word>
void copy_vectors(std::byte* to, Steps to_steps, const std::byte* from, Steps from_steps, int vectors,
                  std::int64_t elements) noexcept {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Word));
  for (int t = 0; t < vectors; ++t) {
    std::byte* to_vector = to + t * to_steps.major * kBytes;
    const std::byte* from_vector = from + t * from_steps.major * kBytes;
    for (std::int64_t i = 0; i < elements; ++i) {
      std::memcpy(to_vector + i * to_steps.minor * kBytes, from_vector + i * from_steps.minor * kBytes,
                  sizeof(Word));
    }
  }
}

void copy_vectors(std::size_t element, std::byte* to, Steps to_steps, const std::byte* from, Steps from_steps,
                  int vectors, std::int64_t elements) noexcept {
  switch (element) {
    case sizeof(std::uint8_t):
      return copy_vectors<std::uint8_t>(to, to_steps, from, from_steps, vectors, elements);
    case sizeof(std::uint16_t):
      return copy_vectors<std::uint16_t>(to, to_steps, from, from_steps, vectors, elements);
    case sizeof(std::uint32_t):
      return copy_vectors<std::uint32_t>(to, to_steps, from, from_steps, vectors, elements);
    default:
      return copy_vectors<std::uint64_t>(to, to_steps, from, from_steps, vectors, elements);
  }
}

class ThinGemm final : public Gemm {
 public:
  ThinGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape, Team& team,
           const ThinStrategy& strategy);

  // Nothing is left to be packed where B is the matrix, or has its vectors' elements as neighbours.
  void prepack(const GemmOperands& operands) noexcept override;
  void run(const GemmOperands& operands) noexcept override;
  [[nodiscard]] const char* isa() const noexcept override { return set_.name; }
  [[nodiscard]] int members() const noexcept override { return members_; }

 private:
  void on_members(Team::Body body) noexcept;
  void work(int member) noexcept;
  void multiply(std::int64_t product, Range part, std::byte* own) noexcept;
  void multiply_along(ThinPart part, std::byte* result, Steps vectors, std::byte* own) noexcept;
  void multiply_across(ThinPart part, std::byte* result, std::byte* own) noexcept;
  void multiply_all(const MultiplyThin (&functions)[kThinVectors], ThinPart part) const noexcept;
  void make_neighbours(std::byte* to, const std::byte* from, Steps steps,
                       std::int64_t elements) const noexcept;

  [[nodiscard]] std::size_t source_bytes(std::int64_t elements) const noexcept {
    return static_cast<std::size_t>(elements) * packing_.source_size;
  }
  [[nodiscard]] std::size_t result_bytes(std::int64_t elements) const noexcept {
    return static_cast<std::size_t>(elements) * result_size_;
  }

  const InstructionSet& set_;
  const ThinKernel& kernel_;
  const ThinKernel& dots_;
  const Packing& packing_;
  GemmShape shape_;
  Team& team_;
  Thin thin_;
  std::size_t result_size_;
  std::int64_t unit_;
  int members_;
  std::int64_t block_, rows_;
  bool ahead_;
  std::vector<Buffer> own_;  // of each member: one block of every vector, or of its result
  // Of every product its vectors, one after the other; nothing: they are taken from B in each call.
  std::optional<Buffer> packed_b_;
  const GemmOperands* operands_ = nullptr;
};

ThinGemm::ThinGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape, Team& team,
                   const ThinStrategy& strategy)
    : set_(set),
      kernel_(*kernel.thin),
      dots_(kernel.dots != nullptr && core_kind() != CoreKind::kIntel ? *kernel.dots : *kernel.thin),
      packing_(*kernel.packing),
      shape_(shape),
      team_(team),
      thin_(kernel, shape),
      result_size_(kernel.result_size),
      unit_(unit_of(kernel, thin_)),
      members_(strategy.members),
      block_(strategy.block),
      rows_(strategy.rows),
      ahead_(strategy.ahead) {
  const std::int64_t kept = block_ * thin_.vectors;
  const bool are_neighbours = shape.transpose_b || !thin_.along_rows;
  if (shape.prepack_b && thin_.a_is_matrix && !are_neighbours)
    packed_b_.emplace(source_bytes(shape.batch * shape.k * thin_.vectors));
  for (int i = 0; i < members_; ++i)
    own_.emplace_back(thin_.along_rows ? source_bytes(kept) : result_bytes(kept));
  // Touched by its member, so that the pages exist and lie on its memory node before the first run.
  on_members([](void* self, int member) {
    auto& gemm = *static_cast<ThinGemm*>(self);
    if (member >= gemm.members_) return;
    const Buffer& own = gemm.own_[static_cast<std::size_t>(member)];
    std::memset(own.data(), 0, own.size());
  });
}

void ThinGemm::prepack(const GemmOperands& operands) noexcept {
  if (!packed_b_) return;
  const std::int64_t vectors = shape_.k * thin_.vectors;
  for (std::int64_t product = 0; product < shape_.batch; ++product) {
    const auto* from = static_cast<const std::byte*>(operands.b) + source_bytes(product * operands.stride_b);
    make_neighbours(packed_b_->data() + source_bytes(product * vectors), from, {1, operands.ldb}, shape_.k);
  }
}

void ThinGemm::on_members(Team::Body body) noexcept {
  if (members_ == 1)
    body(this, 0);
  else
    team_.run(body, this);
}

void ThinGemm::run(const GemmOperands& operands) noexcept {
  operands_ = &operands;
  on_members([](void* self, int member) { static_cast<ThinGemm*>(self)->work(member); });
  operands_ = nullptr;
}

// Members share the units of all products of the batch: near-equal shares, of whole products where there are
// many.
void ThinGemm::work(int member) noexcept {
  if (member >= members_) return;
  const std::int64_t units = ceil_div(thin_.extent, unit_);
  const Range mine = share(shape_.batch * units, member, members_);
  std::byte* own = own_[static_cast<std::size_t>(member)].data();
  std::int64_t product = mine.begin / units;
  for (std::int64_t at = product * units; at < mine.end; at += units, ++product) {
    const Range part{std::max(mine.begin - at, std::int64_t{0}) * unit_,
                     std::min(std::min(mine.end - at, units) * unit_, thin_.extent)};
    multiply(product, part, own);
  }
}

void ThinGemm::multiply(std::int64_t product, Range part, std::byte* own) noexcept {
  const auto& [a, b, c, lda, ldb, ldc, stride_a, stride_b, stride_c] = *operands_;
  const auto* a_first = static_cast<const std::byte*>(a) + source_bytes(product * stride_a);
  const auto* b_first = static_cast<const std::byte*>(b) + source_bytes(product * stride_b);
  auto* result = static_cast<std::byte*>(c) + result_bytes(product * stride_c);
  // By vectors and their elements, each as it lies.
  const Steps of_a = shape_.transpose_a ? Steps{1, lda} : Steps{lda, 1};
  const Steps of_b = shape_.transpose_b ? Steps{ldb, 1} : Steps{1, ldb};
  const Steps as_given = thin_.a_is_matrix ? of_b : of_a;
  const Steps vectors = packed_b_ ? Steps{shape_.k, 1} : as_given;

  ThinPart todo{};
  todo.row = thin_.a_is_matrix ? lda : ldb;
  todo.vectors = thin_.a_is_matrix ? b_first : a_first;
  if (packed_b_) todo.vectors = packed_b_->data() + source_bytes(product * shape_.k * thin_.vectors);
  todo.vector = vectors.major;
  todo.element = vectors.minor;
  todo.result_vector = thin_.a_is_matrix ? 1 : ldc;
  todo.result_row = thin_.a_is_matrix ? ldc : 1;
  todo.ahead = ahead_;
  const auto* matrix = thin_.a_is_matrix ? a_first : b_first;
  result += result_bytes(part.begin * todo.result_row);
  if (thin_.along_rows) {
    todo.matrix = matrix + source_bytes(part.begin * todo.row);
    todo.rows = part.size();
    multiply_along(todo, result, vectors, own);
  } else {
    todo.matrix = matrix + source_bytes(part.begin);
    todo.columns = part.size();
    multiply_across(todo, result, own);
  }
}

// By blocks of the depth, so that the vectors stay in L1 while all rows pass.
void ThinGemm::multiply_along(ThinPart part, std::byte* result, Steps vectors, std::byte* own) noexcept {
  const auto* matrix = static_cast<const std::byte*>(part.matrix);
  const auto* given = static_cast<const std::byte*>(part.vectors);
  const std::int64_t rows = part.rows;
  for (std::int64_t p = 0; p < shape_.k; p += block_) {
    part.columns = std::min(block_, shape_.k - p);
    part.accumulate = p > 0;
    if (vectors.minor == 1) {
      part.vectors = given + source_bytes(p);
    } else {
      make_neighbours(own, given + source_bytes(p * vectors.minor), vectors, part.columns);
      part.vectors = own;
      part.vector = part.columns;
      part.element = 1;
    }
    for (std::int64_t i = 0; i < rows; i += rows_) {
      part.rows = std::min(rows_, rows - i);
      part.matrix = matrix + source_bytes(p + i * part.row);
      part.result = result + result_bytes(i * part.result_row);
      multiply_all(dots_.along_rows, part);
    }
  }
}

// By blocks of the result, so that it stays in L1 while all rows pass.
void ThinGemm::multiply_across(ThinPart part, std::byte* result, std::byte* own) noexcept {
  const auto* matrix = static_cast<const std::byte*>(part.matrix);
  const auto* given = static_cast<const std::byte*>(part.vectors);
  const std::int64_t columns = part.columns;
  const Steps of_result{part.result_vector, part.result_row};
  // Elements of one result that are no neighbours: into the own buffer, and from there to where they belong.
  const bool by_buffer = of_result.minor != 1;
  if (by_buffer) part.result_vector = block_;
  for (std::int64_t j = 0; j < columns; j += block_) {
    part.columns = std::min(block_, columns - j);
    std::byte* to = result + result_bytes(j * of_result.minor);
    part.result = by_buffer ? own : to;
    for (std::int64_t p = 0; p < shape_.k; p += rows_) {
      part.rows = std::min(rows_, shape_.k - p);
      part.matrix = matrix + source_bytes(p * part.row + j);
      part.vectors = given + source_bytes(p * part.element);
      part.accumulate = p > 0;
      multiply_all(kernel_.across_rows, part);
    }
    if (by_buffer) copy_vectors(result_size_, to, of_result, own, {block_, 1}, thin_.vectors, part.columns);
  }
}

// As many vectors at a time as the kernel takes. Only the first of them find the rows far away.
void ThinGemm::multiply_all(const MultiplyThin (&functions)[kThinVectors], ThinPart part) const noexcept {
  const auto* vectors = static_cast<const std::byte*>(part.vectors);
  auto* result = static_cast<std::byte*>(part.result);
  const std::int64_t turns = ceil_div(thin_.vectors, kThinVectors);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const Range mine = share(thin_.vectors, turn, turns);
    part.vectors = vectors + source_bytes(mine.begin * part.vector);
    part.result = result + result_bytes(mine.begin * part.result_vector);
    functions[mine.size() - 1](part);
    part.ahead = false;
  }
}

// Vectors that lie interleaved, one after the other.
void ThinGemm::make_neighbours(std::byte* to, const std::byte* from, Steps steps,
                               std::int64_t elements) const noexcept {
  // Of elements that packing leaves alone, that is what it makes of rows that deep.
  if (packing_.b.unit == 1 && packing_.packed_size == packing_.source_size) {
    packing_.b.along_depth(from, steps.minor, elements, thin_.vectors, elements, to);
  } else {
    copy_vectors(packing_.source_size, to, {elements, 1}, from, steps, thin_.vectors, elements);
  }
}

}  // namespace

std::unique_ptr<Gemm> make_thin_gemm(const InstructionSet& set, const MicroKernel& kernel,
                                     const GemmShape& shape, Team& team, const ThinStrategy* strategy) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1 || shape.batch < 1)
    throw std::invalid_argument("a GEMM needs m, n, k and a batch of at least 1");
  if (!can_be_thin(kernel, shape))
    throw std::invalid_argument("too many rows and columns for a thin product");
  const ThinStrategy chosen =
      strategy != nullptr ? *strategy : choose_thin_strategy(kernel, shape, team.size());
  return std::make_unique<ThinGemm>(set, kernel, shape, team, chosen);
}

}  // namespace pibench::kernels
