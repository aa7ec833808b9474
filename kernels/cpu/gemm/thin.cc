// The larger operand is the matrix, the other one's few columns or rows are the vectors. Where elements of
// one result are neighbours in the matrix, rows are added up, each times an element of the vector; else each
// element of a result is an inner product of a row with the vector. Either way the matrix is read once, row
// by row, and members share it without having to meet: nothing is packed but vectors of which the elements
// are no neighbours.
//
// Everything here counts in elements and moves bytes: it knows no data type.
#include "thin.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "../../../native/threads/team.h"
#include "../buffer.h"
#include "../cache_sizes.h"
#include "instruction_set.h"
#include "partition.h"

namespace pibench::kernels {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kGroup = 8;  // rows
// Waking and awaiting a team costs as much as reading so many bytes from a near cache.
constexpr std::int64_t kWakeBytes = 32 << 10;

// Where the elements of an operand lie: of the matrix, `major` leads from one row to the next; of the
// vectors, from one vector to the next.
struct Steps {
  std::int64_t major, minor;
};

// How a shape is a matrix and vectors. A function of the shape alone.
struct Thin {
  bool a_is_matrix;
  bool along_rows;  // inner products
  int vectors;
  std::int64_t extent;  // elements of the result of one vector

  explicit Thin(const GemmShape& shape) noexcept
      : a_is_matrix(shape.n <= kThinVectors && shape.n <= shape.m),
        along_rows(a_is_matrix ? !shape.transpose_a : shape.transpose_b),
        vectors(static_cast<int>(a_is_matrix ? shape.n : shape.m)),
        extent(a_is_matrix ? shape.m : shape.n) {}
};

// Elements of the extent that one member computes at least: rows that are read at a time, or a cache line.
std::int64_t unit_of(const MicroKernel& kernel, const Thin& thin) noexcept {
  return thin.along_rows ? kGroup : kLine / static_cast<std::int64_t>(kernel.result_size);
}

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

class ThinGemm final : public Gemm {
 public:
  ThinGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape, Team& team,
           const ThinStrategy& strategy);

  // Nothing would be gained: the operand is read in place, or is a few vectors.
  void prepack(const GemmOperands& operands) noexcept override { static_cast<void>(operands); }
  void run(const GemmOperands& operands) noexcept override;
  [[nodiscard]] const char* isa() const noexcept override { return set_.name; }
  [[nodiscard]] int members() const noexcept override { return members_; }

 private:
  void on_members(Team::Body body) noexcept;
  void work(int member) noexcept;
  void multiply(std::int64_t product, Range part, std::byte* own) noexcept;
  void multiply_along(ThinPart part, std::byte* result, Steps vectors, std::byte* own) noexcept;
  void multiply_across(ThinPart part, std::byte* result, std::byte* own) noexcept;

  void copy(std::byte* to, Steps to_steps, const std::byte* from, Steps from_steps,
            std::int64_t elements) const noexcept {
    if (element_ == sizeof(std::uint32_t))
      copy_vectors<std::uint32_t>(to, to_steps, from, from_steps, thin_.vectors, elements);
    else
      copy_vectors<std::uint64_t>(to, to_steps, from, from_steps, thin_.vectors, elements);
  }
  [[nodiscard]] std::size_t bytes(std::int64_t elements) const noexcept {
    return static_cast<std::size_t>(elements) * element_;
  }

  const InstructionSet& set_;
  const ThinKernel& kernel_;
  const Packing& packing_;
  GemmShape shape_;
  Team& team_;
  Thin thin_;
  std::size_t element_;  // bytes
  std::int64_t unit_;
  int members_;
  std::int64_t block_;
  bool ahead_;
  std::vector<Buffer> own_;  // of each member: one block of every vector, or of its result
  const GemmOperands* operands_ = nullptr;
};

ThinGemm::ThinGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape, Team& team,
                   const ThinStrategy& strategy)
    : set_(set),
      kernel_(*kernel.thin),
      packing_(*kernel.packing),
      shape_(shape),
      team_(team),
      thin_(shape),
      element_(kernel.result_size),
      unit_(unit_of(kernel, thin_)),
      members_(strategy.members),
      block_(strategy.block),
      ahead_(strategy.ahead) {
  for (int i = 0; i < members_; ++i) own_.emplace_back(bytes(block_ * thin_.vectors));
  // Touched by its member, so that the pages exist and lie on its memory node before the first run.
  on_members([](void* self, int member) {
    auto& gemm = *static_cast<ThinGemm*>(self);
    if (member >= gemm.members_) return;
    const Buffer& own = gemm.own_[static_cast<std::size_t>(member)];
    std::memset(own.data(), 0, own.size());
  });
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
  const auto* a_first = static_cast<const std::byte*>(a) + bytes(product * stride_a);
  const auto* b_first = static_cast<const std::byte*>(b) + bytes(product * stride_b);
  auto* result = static_cast<std::byte*>(c) + bytes(product * stride_c);
  // By vectors and their elements, each as it lies.
  const Steps of_a = shape_.transpose_a ? Steps{1, lda} : Steps{lda, 1};
  const Steps of_b = shape_.transpose_b ? Steps{ldb, 1} : Steps{1, ldb};
  const Steps vectors = thin_.a_is_matrix ? of_b : of_a;

  ThinPart todo{};
  todo.row = thin_.a_is_matrix ? lda : ldb;
  todo.vectors = thin_.a_is_matrix ? b_first : a_first;
  todo.vector = vectors.major;
  todo.element = vectors.minor;
  todo.result_vector = thin_.a_is_matrix ? 1 : ldc;
  todo.result_row = thin_.a_is_matrix ? ldc : 1;
  todo.ahead = ahead_;
  const auto* matrix = thin_.a_is_matrix ? a_first : b_first;
  result += bytes(part.begin * todo.result_row);
  if (thin_.along_rows) {
    todo.matrix = matrix + bytes(part.begin * todo.row);
    todo.rows = part.size();
    multiply_along(todo, result, vectors, own);
  } else {
    todo.matrix = matrix + bytes(part.begin);
    todo.rows = shape_.k;
    todo.columns = part.size();
    multiply_across(todo, result, own);
  }
}

// By blocks of the depth, so that the vectors stay in L1 while all rows pass.
void ThinGemm::multiply_along(ThinPart part, std::byte* result, Steps vectors, std::byte* own) noexcept {
  const auto* matrix = static_cast<const std::byte*>(part.matrix);
  const auto* given = static_cast<const std::byte*>(part.vectors);
  const MultiplyThin multiply_part = kernel_.along_rows[thin_.vectors - 1];
  part.result = result;
  for (std::int64_t p = 0; p < shape_.k; p += block_) {
    part.columns = std::min(block_, shape_.k - p);
    part.matrix = matrix + bytes(p);
    part.accumulate = p > 0;
    if (vectors.minor == 1) {
      part.vectors = given + bytes(p);
    } else {
      // Vectors that lie interleaved become what packing makes of rows that deep.
      packing_.b.along_depth(given + bytes(p * vectors.minor), vectors.minor, part.columns, thin_.vectors,
                             part.columns, own);
      part.vectors = own;
      part.vector = part.columns;
      part.element = 1;
    }
    multiply_part(part);
  }
}

// By blocks of the result, so that it stays in L1 while all rows pass.
void ThinGemm::multiply_across(ThinPart part, std::byte* result, std::byte* own) noexcept {
  const auto* matrix = static_cast<const std::byte*>(part.matrix);
  const MultiplyThin multiply_part = kernel_.across_rows[thin_.vectors - 1];
  const std::int64_t columns = part.columns;
  const std::int64_t result_vector = part.result_vector, result_row = part.result_row;
  for (std::int64_t j = 0; j < columns; j += block_) {
    part.columns = std::min(block_, columns - j);
    part.matrix = matrix + bytes(j);
    if (result_row == 1) {
      part.result = result + bytes(j);
      multiply_part(part);
      continue;
    }
    // Elements of one result are no neighbours: into the own buffer, and from there to where they belong.
    part.result = own;
    part.result_vector = block_;
    multiply_part(part);
    copy(result + bytes(j * result_row), {result_vector, result_row}, own, {block_, 1}, part.columns);
  }
}

}  // namespace

bool can_be_thin(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  return kernel.thin != nullptr && (shape.m <= kThinVectors || shape.n <= kThinVectors);
}

bool is_thin(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  if (!can_be_thin(kernel, shape)) return false;
  // Three or four rows that are added up read and write their results once for every few rows of B. A kernel
  // that keeps its tile in registers is faster while reading B costs little. (Measured.)
  const Thin thin(shape);
  if (thin.a_is_matrix || thin.along_rows || thin.vectors < 3) return true;
  const auto matrix_bytes = shape.k * thin.extent * static_cast<std::int64_t>(kernel.result_size);
  return matrix_bytes > (thin.vectors == 3 ? cache_sizes().l1 : cache_sizes().l2 / 4);
}

ThinStrategy choose_thin_strategy(const MicroKernel& kernel, const GemmShape& shape, int members) {
  const Thin thin(shape);
  const auto element = static_cast<std::int64_t>(kernel.result_size);
  const std::int64_t matrix_bytes = shape.batch * shape.k * thin.extent * element;
  const std::int64_t units = shape.batch * ceil_div(thin.extent, unit_of(kernel, thin));
  const auto most = static_cast<int>(std::min<std::int64_t>(members, units));
  ThinStrategy strategy;
  if (matrix_bytes - matrix_bytes / most > kWakeBytes) strategy.members = most;
  // They stream from L2 while the matrix passes: longer pieces of its rows are worth more than a place in L1.
  strategy.block = round_up(2 * cache_sizes().l1 / element / thin.vectors, kLine);
  strategy.ahead = matrix_bytes > cache_sizes().l3 / 2;
  return strategy;
}

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
