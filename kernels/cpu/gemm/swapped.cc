#include "swapped.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "../../../native/threads/team.h"
#include "../buffer.h"
#include "instruction_set.h"
#include "loop_nest.h"
#include "operand_bytes.h"
#include "partition.h"
#include "thin.h"
#include "transpose_block.h"

namespace pibench::kernels {
namespace {

// Elements from one row of the transposed result to the next: whole lines, and not so many that rows meet in
// few sets of the caches.
std::int64_t row_of_result(std::int64_t columns) {
  constexpr std::int64_t kLine = 16;
  constexpr std::int64_t kFar = 256;
  const std::int64_t lines = round_up(columns, kLine);
  return lines % kFar == 0 ? lines + kLine : lines;
}

// The rules, measured on Zen 4 in turns, one thread, as are the figures here. Transposing the result has to
// be little beside reading the operands once, and the large operand much beside the small one. On Zen 5 they
// gain as much or more (4000x8x4000 with a transposed A, 8, 32 and 128 columns: float32 3.9, 1.5, 1.1;
// float64 3.3, 1.6, 1.2; bfloat16 3.6, 2.3, 1.3; int8 3.1, 1.05, 1.03; with a transposed B
// 32x4000x4000: 2.9, 1.7, 2.0, 1.9; 16x1000x1000: 1.3, 1.5, 1.6, 1.9; two threads 32x4096x1024: float32 1.9,
// bfloat16 3.5, int8 3.2). AVX2's kernels, on Zen 3, have 2.6 to 2.8 from 4000x8x4000 with a transposed A
// (int8 3.2), 1.5 to 2.5 from 4000x32x1000, 1.3 to 3.6 from 300x20x300, and 1.7 to 3 from both transposed
// (16x16x4096); a transposed B of few rows was not measured there.
constexpr std::int64_t kMostFew = 128;
constexpr std::int64_t kTimesAsMany = 8;
constexpr std::int64_t kTimesAsDeep = 4;

bool is_few(std::int64_t few, std::int64_t many, std::int64_t depth) {
  return few >= 1 && few <= kMostFew && many >= kTimesAsMany * few && depth >= kTimesAsDeep * few;
}

// Whether so many columns leave next to no lane of so many at a time empty.
bool fill(std::int64_t columns, std::int64_t lanes) { return 20 * columns >= 19 * round_up(columns, lanes); }

// A transposed A with few columns of B would be packed across its rows, a line or two of each; swapped, it is
// read along them (4000x8x4000, 32 and 128 columns: float32 4.4, 1.5, 1.1; float64 2.8, 1.6, 1.1;
// bfloat16 9.0, 2.7, 1.2; int8 5.8, 2.3, 1.05; of 1000 rows and columns 2.3 to 2.5 with 8). From L2 it can be
// read across its rows, which is as good where tiles are whole (300x20x300: 1.25, 1.1, 1.6, 1.3; but
// 300x64x300 0.97, 0.93, 1.02, 0.91).
bool has_few_columns(const MicroKernel& kernel, const GemmShape& shape) {
  constexpr std::int64_t kMostBesideNear = 24;
  constexpr std::int64_t kMostPairsBesideNear = 48;
  if (!is_few(shape.n, shape.m, shape.k)) return false;
  if (is_far(kernel, shape.m * shape.k)) return true;
  if (kernel.products == 1 && fill(shape.n, kernel.narrow->nr)) return false;
  return shape.n <= (kernel.products == 2 ? kMostPairsBesideNear : kMostBesideNear);
}

// A transposed B with few rows of A would be packed for these few; swapped, it is an A that is read where it
// lies (32x4000x4000 and 64: float32 1.2 and 1.1, float64 1.2 and 1.1, bfloat16 1.2 and 1.1, int8 1.25). The
// rows become lanes, which they have to fill (20x1000x1000: float32 0.82, bfloat16 0.85). Elsewhere inner
// products are faster: of few rows, of float64 from L2 (0.97), and of narrow types from beyond it where lanes
// are of half a vector (24x4096x1024: bfloat16 0.86). From L2 what fits into half a vector need not fill it
// (5 and 8 rows, 512x512: bfloat16 1.1 and 1.4, int8 1.1 and 1.4; on Zen 5 bfloat16 0.7, int8 1.04 and 1.2).
bool has_few_rows(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) {
  constexpr std::int64_t kFewestSingles = 16;
  constexpr std::int64_t kFewestDoubles = 8;
  constexpr std::int64_t kFewest = 5;
  constexpr std::int64_t kShallowestDoubles = 512;
  constexpr std::int64_t kManyRows = 40;
  constexpr std::int64_t kShallowestOfHalf = 192;
  const bool doubles = kernel.packing->source_size == sizeof(double);
  const bool singles = kernel.packing->source_size == sizeof(float);
  const bool far = is_far(kernel, shape.n * shape.k);
  const std::int64_t fewest = singles ? kFewestSingles : doubles ? kFewestDoubles : kFewest;
  if (!is_few(shape.m, shape.n, shape.k) || shape.m < fewest) return false;
  if (!can_read_a_in_place(kernel, swapped(shape))) return false;
  if (doubles && (!far || shape.k < kShallowestDoubles)) return false;
  const bool wide = kernel.products == 1;
  if (!wide && !far && shape.m <= kernel.half->nr) {
    const bool dots_are_faster = cores == CoreKind::kZen5 && kernel.products == 2;
    return shape.k >= kShallowestOfHalf && !dots_are_faster;
  }
  const bool by_halves = far == wide || (!wide && shape.m >= kManyRows);
  return fill(shape.m, by_halves ? kernel.half->nr : kernel.narrow->nr);
}

// Both transposed: in the other order neither is, and a result that is small beside them costs nothing
// (16x16x4096: 1.3 to 1.4).
bool is_deep(const GemmShape& shape) {
  return std::min(shape.m, shape.n) >= 1 && shape.k >= kTimesAsMany * std::max(shape.m, shape.n);
}

// A part of C.
struct Part {
  Range rows, columns;
};

// Each row of C is a column of what lies in `from`.
template <typename T>
void transpose(const T* from, std::int64_t ld_from, T* to, std::int64_t ld_to, const Part& part) noexcept {
  constexpr std::int64_t kBlock = kStep<T>;
  const Range rows = part.rows;
  const Range columns = part.columns;
  const auto load = [](const T* at, typename Group<T>::Type& group) {
    std::memcpy(&group, at, sizeof(group));
  };
  const std::int64_t whole_columns = columns.begin + columns.size() / kBlock * kBlock;
  const std::int64_t whole_rows = rows.begin + rows.size() / kBlock * kBlock;
  const auto one_by_one = [&](Range some, std::int64_t first) {
    for (std::int64_t i = some.begin; i < some.end; ++i) {
      // Bits, as of a block: an int32 is no float.
      for (std::int64_t j = first; j < columns.end; ++j)
        std::memcpy(to + i * ld_to + j, from + j * ld_from + i, sizeof(T));
    }
  };
  for (std::int64_t i = rows.begin; i < whole_rows; i += kBlock) {
    for (std::int64_t j = columns.begin; j < whole_columns; j += kBlock)
      transpose_block(from + j * ld_from + i, ld_from, to + i * ld_to + j, ld_to, load);
    one_by_one({i, i + kBlock}, whole_columns);
  }
  one_by_one({whole_rows, rows.end}, columns.begin);
}

class SwappedGemm final : public Gemm {
 public:
  SwappedGemm(std::unique_ptr<Gemm> inner, std::size_t result_size, const GemmShape& shape, Team& team)
      : inner_(std::move(inner)),
        result_size_(result_size),
        shape_(shape),
        team_(team),
        row_(row_of_result(shape.m)),
        result_(static_cast<std::size_t>(shape.batch * shape.n * row_) * result_size) {
    team_.run([](void* self, int member) { static_cast<SwappedGemm*>(self)->touch(member); }, this);
  }

  void prepack(const GemmOperands&) noexcept override {}

  void run(const GemmOperands& operands) noexcept override {
    inner_->run({.a = operands.b,
                 .b = operands.a,
                 .c = result_.data(),
                 .lda = operands.ldb,
                 .ldb = operands.lda,
                 .ldc = row_,
                 .stride_a = operands.stride_b,
                 .stride_b = operands.stride_a,
                 .stride_c = shape_.n * row_});
    operands_ = &operands;
    if (members() == 1) {
      write_share(0);
    } else {
      team_.run([](void* self, int member) { static_cast<SwappedGemm*>(self)->write_share(member); }, this);
    }
    operands_ = nullptr;
  }

  [[nodiscard]] const char* isa() const noexcept override { return inner_->isa(); }
  [[nodiscard]] int members() const noexcept override { return inner_->members(); }

 private:
  // So that the pages exist before the first run, near who will write them for the most part.
  void touch(int member) noexcept {
    const Range mine = share(static_cast<std::int64_t>(result_.size()), member, team_.size());
    std::memset(result_.data() + mine.begin, 0, static_cast<std::size_t>(mine.size()));
  }

  void write_share(int member) noexcept {
    if (member >= members()) return;
    if (result_size_ == sizeof(double)) {
      write_share_of<double>(member);
    } else {
      write_share_of<float>(member);  // or int32: bits are moved, not values
    }
  }

  // What the member has computed for the most part, so that it is in its caches: whole products, or a share
  // of the longer side.
  template <typename T>
  void write_share_of(int member) noexcept {
    const bool whole = shape_.batch >= members();
    const Range products = whole ? share(shape_.batch, member, members()) : Range{0, shape_.batch};
    Part part{{0, shape_.m}, {0, shape_.n}};
    if (!whole) {
      Range& longer = shape_.m >= shape_.n ? part.rows : part.columns;
      longer = share(longer.end, member, members());
    }
    for (std::int64_t product = products.begin; product < products.end; ++product) {
      transpose(reinterpret_cast<const T*>(result_.data()) + product * shape_.n * row_, row_,
                static_cast<T*>(operands_->c) + product * operands_->stride_c, operands_->ldc, part);
    }
  }

  std::unique_ptr<Gemm> inner_;
  std::size_t result_size_;
  GemmShape shape_;
  Team& team_;
  std::int64_t row_;  // elements from one row of the transposed result to the next
  Buffer result_;
  const GemmOperands* operands_ = nullptr;
};

}  // namespace

GemmShape swapped(const GemmShape& shape) noexcept {
  GemmShape other = shape;
  std::swap(other.m, other.n);
  other.transpose_a = !shape.transpose_b;
  other.transpose_b = !shape.transpose_a;
  return other;
}

bool is_better_swapped(const MicroKernel& kernel, const GemmShape& shape, CoreKind cores) noexcept {
  // Nothing was measured on Intel's cores.
  if (cores == CoreKind::kIntel || kernel.narrow == nullptr || shape.prepack_b) return false;
  if (shape.transpose_a && shape.transpose_b && is_deep(shape)) return true;
  if (shape.transpose_b && kernel.half != nullptr && has_few_rows(kernel, shape, cores)) return true;
  return shape.transpose_a && has_few_columns(kernel, shape) && !is_thin(kernel, shape, cores);
}

std::unique_ptr<Gemm> make_swapped_gemm(std::unique_ptr<Gemm> inner, const MicroKernel& kernel,
                                        const GemmShape& shape, Team& team) {
  return std::make_unique<SwappedGemm>(std::move(inner), kernel.result_size, shape, team);
}

}  // namespace pibench::kernels
