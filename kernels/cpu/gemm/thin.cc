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
#include "../cpu_features.h"
#include "instruction_set.h"
#include "joining.h"
#include "partition.h"

namespace pibench::kernels {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kGroup = 8;        // rows
constexpr std::int64_t kFewestRows = 64;  // that pass between two turns
// Of a row, for inner products that take turns: of A, and of a transposed B.
constexpr std::int64_t kFewestElements = 64;
constexpr std::int64_t kShortestRow = 512;  // bytes
// Measured on Zen 5, float32 and float64, from memory: without asking one vector is 1.1 to 1.4 times as fast,
// two are 1.0 to 1.1, and three or four 0.8 to 1.1.
constexpr int kMostUnasked = 2;
// Waking and awaiting a team costs as much as reading so many bytes from a near cache.
constexpr std::int64_t kWakeBytes = 32 << 10;

// Where the elements of an operand lie: of the matrix, `major` leads from one row to the next; of the
// vectors, from one vector to the next.
struct Steps {
  std::int64_t major, minor;
};

// How a shape is a matrix and vectors. A function of the kernel and the shape alone.
struct Thin {
  bool a_is_matrix;
  bool along_rows;  // inner products
  int vectors;
  std::int64_t extent;  // elements of the result of one vector

  Thin(const MicroKernel& kernel, const GemmShape& shape) noexcept
      : a_is_matrix(shape.n <= kernel.most_vectors && shape.n <= shape.m),
        along_rows(a_is_matrix ? !shape.transpose_a : shape.transpose_b),
        vectors(static_cast<int>(a_is_matrix ? shape.n : shape.m)),
        extent(a_is_matrix ? shape.m : shape.n) {}
};

std::int64_t element_of(const MicroKernel& kernel) noexcept {
  return static_cast<std::int64_t>(kernel.packing->source_size);
}

std::int64_t matrix_bytes(const MicroKernel& kernel, const GemmShape& shape, const Thin& thin) noexcept {
  return shape.k * thin.extent * element_of(kernel);
}

// Elements of the extent that one member computes at least: rows that are read at a time, or a cache line.
std::int64_t unit_of(const MicroKernel& kernel, const Thin& thin) noexcept {
  return thin.along_rows ? kGroup : kLine / element_of(kernel);
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
  const GemmOperands* operands_ = nullptr;
};

ThinGemm::ThinGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape, Team& team,
                   const ThinStrategy& strategy)
    : set_(set),
      kernel_(*kernel.thin),
      dots_(kernel.dots != nullptr ? *kernel.dots : *kernel.thin),
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

// Whether the elements of the matrix would have to be packed, or widened, for a tile.
bool are_narrow(const MicroKernel& kernel) noexcept {
  return kernel.packing->source_size < kernel.result_size;
}

// Of narrow elements: up to how many vectors this is faster than a kernel that packs the matrix. The narrower
// they are, the more of them an instruction multiplies. (Measured.)
std::int64_t most_beside_packing(const MicroKernel& kernel, const GemmShape& shape, const Thin& thin,
                                 std::int64_t bytes) noexcept {
  if (thin.a_is_matrix) return kThinVectors / element_of(kernel);  // as a tile reads A where it lies
  if (shape.prepack_b) return 0;
  return bytes > cache_sizes().l2 ? kMostVectors / element_of(kernel) : kThinVectors;
}

// Of elements that a tile takes as they are: whether more vectors than kernels take at a time had better take
// turns. A tile leaves more than half of its lanes empty where there are so few columns, and has to have a
// transposed B packed. (Measured on Zen 5; rows that are added up lost.)
bool is_better_in_turns(const MicroKernel& kernel, const GemmShape& shape, const Thin& thin) noexcept {
  if (!thin.along_rows) return false;
  if (!thin.a_is_matrix) return !shape.prepack_b && shape.k * element_of(kernel) >= kShortestRow;
  return shape.k >= kFewestElements && kernel.narrow != nullptr && 2 * thin.vectors <= kernel.narrow->nr;
}

// Whether inner products with so many rows of A, in turns, are faster than packing a transposed B. (Measured
// on Zen 4, one thread: float32 20x4000x4000 2.0, 64 rows 1.3, 128 rows 1.2, 32x600x600 1.1;
// float64 1.3, 1.2, 1.1, 1.1; bfloat16 1.9, 1.4, 1.2, 1.06; int8 2.0, 1.2, but 128 rows 0.94, and
// 32x1000x1000, which is near, 0.9. Shallower: bfloat16 8x600x600 1.6, float32 64x600x300 0.94.)
bool are_rather_dots(const MicroKernel& kernel, const GemmShape& shape, const Thin& thin, std::int64_t bytes,
                     CoreKind cores) noexcept {
  constexpr std::int64_t kLeastDepth = 1200;  // bytes
  constexpr std::int64_t kMostOfNear = 64;
  constexpr std::int64_t kMostOfFarQuads = 96;
  if (cores != CoreKind::kOther || kernel.most_of_transposed == 0 || thin.vectors <= kThinVectors)
    return false;
  if (thin.a_is_matrix || !shape.transpose_b || shape.prepack_b || shape.n < shape.m) return false;
  const bool quads = kernel.products == 4;
  const bool far = bytes > cache_sizes().l2;
  const std::int64_t most = far     ? (quads ? kMostOfFarQuads : kernel.most_of_transposed)
                            : quads ? 0
                                    : kMostOfNear;
  return shape.m <= most && shape.k * element_of(kernel) >= kLeastDepth;
}

}  // namespace

bool can_be_thin(const MicroKernel& kernel, const GemmShape& shape) noexcept {
  if (kernel.thin == nullptr) return false;
  const bool transposed = shape.transpose_b && shape.m <= kernel.most_of_transposed;
  return transposed || shape.m <= kernel.most_vectors || shape.n <= kernel.most_vectors;
}

bool is_thin(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) noexcept {
  if (!can_be_thin(kernel, shape) || joining_for(kernel, shape, cores) != nullptr) return false;
  const Thin thin(kernel, shape);
  const std::int64_t bytes = matrix_bytes(kernel, shape, thin);
  if (are_rather_dots(kernel, shape, thin, bytes, cores)) return true;
  if (thin.vectors > kernel.most_vectors) return false;
  if (are_narrow(kernel)) return thin.vectors <= most_beside_packing(kernel, shape, thin, bytes);
  if (thin.vectors > kThinVectors) return is_better_in_turns(kernel, shape, thin);
  // Three or four rows that are added up read and write their results once for every few rows of B. A kernel
  // that keeps its tile in registers is faster while reading B costs little. (Measured.)
  if (thin.a_is_matrix || thin.along_rows || thin.vectors < 3) return true;
  return bytes > (thin.vectors == 3 ? cache_sizes().l1 : cache_sizes().l2 / 4);
}

ThinStrategy choose_thin_strategy(const MicroKernel& kernel, const GemmShape& shape, int members,
                                  CoreKind cores) {
  const Thin thin(kernel, shape);
  const std::int64_t bytes = shape.batch * matrix_bytes(kernel, shape, thin);
  const std::int64_t units = shape.batch * ceil_div(thin.extent, unit_of(kernel, thin));
  const auto most = static_cast<int>(std::min<std::int64_t>(members, units));
  const auto& caches = cache_sizes();
  ThinStrategy strategy;
  if (bytes - bytes / most > kWakeBytes) strategy.members = most;
  const auto element = thin.along_rows ? element_of(kernel) : static_cast<std::int64_t>(kernel.result_size);
  if (thin.vectors <= kThinVectors) {
    // They stream from L2 while the matrix passes: longer pieces of its rows are worth more than a place in
    // L1.
    strategy.block = round_up(2 * caches.l1 / element / thin.vectors, kLine);
    strategy.rows = std::max(shape.k, thin.extent);
  } else {
    // A part of the matrix that passes again and again is in L2, so those whose turn it is are better in L1.
    strategy.block = round_up(caches.l1 / 2 / element / kThinVectors, kLine);
    // Whole groups, which are what kernels take at a time.
    const std::int64_t rows = caches.l2 / 4 / (strategy.block * element_of(kernel));
    strategy.rows = std::max(rows / kFewestRows, std::int64_t{1}) * kFewestRows;
  }
  // What is widened as it is read is waited for sooner. (Measured.)
  strategy.ahead = bytes > (are_narrow(kernel) ? caches.l2 : caches.l3 / 2);
  // Zen 5's own prefetchers keep up with one or two vectors, and asking costs more than it brings.
  if (cores == CoreKind::kZen5 && !are_narrow(kernel) && thin.vectors <= kMostUnasked) strategy.ahead = false;
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
