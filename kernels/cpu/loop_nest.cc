// The five loops around the micro-kernel, from outside: columns of C by nc, depth by kc (a block of B is
// packed), rows by mc (a block of A is packed), panels of nr columns, strips of at most mr rows. The caches
// hold the packed block of B (L3), the packed block of A (L2) and one panel of B (L1) while the loops inside
// run over them.
//
// Everything here counts in elements and moves bytes: it knows no data type.
#include "loop_nest.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "../../native/threads/team.h"
#include "blocking.h"
#include "buffer.h"
#include "instruction_set.h"

namespace pibench::kernels {
namespace {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

struct Range {
  std::int64_t begin, end;
  [[nodiscard]] std::int64_t size() const noexcept { return end - begin; }
};

// Piece `index` of `pieces` near-equal ones of [0, extent).
Range share(std::int64_t extent, std::int64_t index, std::int64_t pieces) noexcept {
  return {extent * index / pieces, extent * (index + 1) / pieces};
}

class BlockedGemm final : public Gemm {
 public:
  BlockedGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape, Team& team,
              const Blocking* blocking);

  void run(const GemmOperands& operands) noexcept override;
  [[nodiscard]] const char* isa() const noexcept override { return set_.name; }
  [[nodiscard]] int members() const noexcept override { return members_; }

 private:
  static constexpr std::size_t kLine = 64;

  void on_members(Team::Body body) noexcept;
  void touch(int member) noexcept;
  void work(int member) noexcept;
  void pack_b(std::byte* packed, Range columns, Range depth, Range panels_to_pack) noexcept;
  void pack_a(std::byte* packed, Range rows, Range depth) noexcept;
  void multiply(const std::byte* a, const std::byte* b, Range rows, Range columns, Range depth,
                std::byte* edge) noexcept;
  void edge_tile(ComputeTile compute, std::int64_t depth, const std::byte* a, const std::byte* b,
                 std::byte* c, std::int64_t rows, std::int64_t columns, bool accumulate,
                 std::byte* edge) noexcept;

  [[nodiscard]] std::size_t packed_bytes(std::int64_t elements) const noexcept {
    return static_cast<std::size_t>(elements) * kernel_.packing->packed_size;
  }
  [[nodiscard]] std::size_t source_bytes(std::int64_t elements) const noexcept {
    return static_cast<std::size_t>(elements) * kernel_.packing->source_size;
  }
  [[nodiscard]] std::size_t result_bytes(std::int64_t elements) const noexcept {
    return static_cast<std::size_t>(elements) * kernel_.result_size;
  }
  [[nodiscard]] std::int64_t strips(std::int64_t rows) const noexcept { return ceil_div(rows, kernel_.mr); }
  [[nodiscard]] std::int64_t panels(std::int64_t columns) const noexcept {
    return ceil_div(columns, kernel_.nr);
  }
  [[nodiscard]] std::size_t block_of_b_bytes() const noexcept {
    return packed_bytes(blocks_.kc * blocks_.nc);
  }

  // A member's own buffer: its packed block of A, then one whole tile of C for the edges.
  [[nodiscard]] std::byte* own_a(int member) const noexcept {
    return own_[static_cast<std::size_t>(member)].data();
  }
  [[nodiscard]] std::byte* own_edge(int member) const noexcept { return own_a(member) + edge_offset_; }

  const InstructionSet& set_;
  const MicroKernel& kernel_;
  GemmShape shape_;
  Team& team_;
  Split split_;
  int members_;  // of the team that work
  Blocking blocks_{};
  std::size_t edge_offset_ = 0;
  std::vector<Buffer> own_;
  // Packed blocks of B. Split by rows: one that the team shares, or two that take turns, so that one barrier
  // a block is enough. Split by columns: one for each member.
  std::vector<Buffer> packed_b_;
  const GemmOperands* operands_ = nullptr;
};

BlockedGemm::BlockedGemm(const InstructionSet& set, const MicroKernel& kernel, const GemmShape& shape,
                         Team& team, const Blocking* blocking)
    : set_(set),
      kernel_(kernel),
      shape_(shape),
      team_(team),
      split_(choose_split(kernel, shape, team.size())),
      members_(split_ == Split::alone ? 1 : team.size()) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1)
    throw std::invalid_argument("a GEMM needs m, n and k of at least 1");
  const int blocks_of_b = split_ == Split::rows ? std::min(members_, 2) : members_;
  GemmShape part = shape;
  if (split_ == Split::rows) part.m = ceil_div(shape.m, members_);
  if (split_ == Split::columns) part.n = std::min(shape.n, ceil_div(panels(shape.n), members_) * kernel.nr);
  blocks_ = blocking != nullptr ? *blocking : choose_blocking(kernel, cache_sizes(), part, blocks_of_b);

  const std::size_t a_bytes = packed_bytes(blocks_.mc * blocks_.kc);
  edge_offset_ = (a_bytes + kLine - 1) / kLine * kLine;
  const std::size_t tile_bytes = result_bytes(std::int64_t{kernel.mr} * kernel.nr);
  for (int i = 0; i < members_; ++i) own_.emplace_back(edge_offset_ + tile_bytes);
  for (int i = 0; i < blocks_of_b; ++i) packed_b_.emplace_back(block_of_b_bytes());
  on_members([](void* self, int member) { static_cast<BlockedGemm*>(self)->touch(member); });
}

void BlockedGemm::on_members(Team::Body body) noexcept {
  if (members_ == 1) {
    body(this, 0);
  } else {
    team_.run(body, this);
  }
}

// Zeroes what the member will write, so that the pages exist and lie on its memory node before the first run.
void BlockedGemm::touch(int member) noexcept {
  const auto index = static_cast<std::size_t>(member);
  std::memset(own_[index].data(), 0, own_[index].size());
  if (split_ != Split::rows) {
    std::memset(packed_b_[index].data(), 0, packed_b_[index].size());
    return;
  }
  for (const Buffer& buffer : packed_b_) {
    const Range part = share(static_cast<std::int64_t>(buffer.size()), member, members_);
    std::memset(buffer.data() + part.begin, 0, static_cast<std::size_t>(part.size()));
  }
}

void BlockedGemm::run(const GemmOperands& operands) noexcept {
  operands_ = &operands;
  on_members([](void* self, int member) { static_cast<BlockedGemm*>(self)->work(member); });
  operands_ = nullptr;
}

void BlockedGemm::work(int member) noexcept {
  const bool shared_b = split_ == Split::rows;
  const Range my_rows = shared_b ? share(shape_.m, member, members_) : Range{0, shape_.m};
  Range my_columns{0, shape_.n};
  if (!shared_b) {
    const Range mine = share(panels(shape_.n), member, members_);
    my_columns = {mine.begin * kernel_.nr, std::min(mine.end * kernel_.nr, shape_.n)};
  }

  std::size_t turn = shared_b ? 0 : static_cast<std::size_t>(member);
  for (std::int64_t jc = my_columns.begin; jc < my_columns.end; jc += blocks_.nc) {
    const Range columns{jc, std::min(jc + blocks_.nc, my_columns.end)};
    for (std::int64_t pc = 0; pc < shape_.k; pc += blocks_.kc) {
      const Range depth{pc, std::min(pc + blocks_.kc, shape_.k)};
      std::byte* b = packed_b_[turn].data();
      const std::int64_t all_panels = panels(columns.size());
      pack_b(b, columns, depth, shared_b ? share(all_panels, member, members_) : Range{0, all_panels});
      if (shared_b) {
        // Past this barrier everybody has packed this block, and nobody reads the one before any more.
        team_.barrier();
        turn = (turn + 1) % packed_b_.size();
      }
      for (std::int64_t ic = my_rows.begin; ic < my_rows.end; ic += blocks_.mc) {
        const Range rows{ic, std::min(ic + blocks_.mc, my_rows.end)};
        pack_a(own_a(member), rows, depth);
        multiply(own_a(member), b, rows, columns, depth, own_edge(member));
      }
    }
  }
}

// Panel j of a packed block begins at j * nr * depth.
void BlockedGemm::pack_b(std::byte* packed, Range columns, Range depth, Range panels_to_pack) noexcept {
  const auto* b = static_cast<const std::byte*>(operands_->b);
  for (std::int64_t panel = panels_to_pack.begin; panel < panels_to_pack.end; ++panel) {
    const std::int64_t first = columns.begin + panel * kernel_.nr;
    const std::int64_t width = std::min<std::int64_t>(kernel_.nr, columns.end - first);
    kernel_.packing->pack_b(b + source_bytes(depth.begin * operands_->ldb + first), operands_->ldb,
                            depth.size(), width, kernel_.nr,
                            packed + packed_bytes(panel * kernel_.nr * depth.size()));
  }
}

// The rows are cut into strips of near-equal height rather than whole ones and a rest: a low strip has too
// few independent sums to fill the pipelines. The strip from row i on begins at i * depth.
void BlockedGemm::pack_a(std::byte* packed, Range rows, Range depth) noexcept {
  const auto* a = static_cast<const std::byte*>(operands_->a);
  const std::int64_t count = strips(rows.size());
  for (std::int64_t s = 0; s < count; ++s) {
    const Range strip = share(rows.size(), s, count);
    kernel_.packing->pack_a(a + source_bytes((rows.begin + strip.begin) * operands_->lda + depth.begin),
                            operands_->lda, strip.size(), depth.size(),
                            packed + packed_bytes(strip.begin * depth.size()));
  }
}

void BlockedGemm::multiply(const std::byte* a, const std::byte* b, Range rows, Range columns, Range depth,
                           std::byte* edge) noexcept {
  auto* c = static_cast<std::byte*>(operands_->c);
  const std::int64_t ldc = operands_->ldc;
  const bool accumulate = depth.begin > 0;
  const std::int64_t count = strips(rows.size());
  for (std::int64_t j = columns.begin; j < columns.end; j += kernel_.nr) {
    const std::byte* panel = b + packed_bytes((j - columns.begin) * depth.size());
    const std::int64_t width = std::min<std::int64_t>(kernel_.nr, columns.end - j);
    for (std::int64_t s = 0; s < count; ++s) {
      const Range strip = share(rows.size(), s, count);
      const ComputeTile compute = kernel_.by_rows[strip.size() - 1];
      const std::byte* packed = a + packed_bytes(strip.begin * depth.size());
      std::byte* tile = c + result_bytes((rows.begin + strip.begin) * ldc + j);
      if (width == kernel_.nr) {
        compute(depth.size(), packed, panel, tile, ldc, accumulate);
      } else {
        edge_tile(compute, depth.size(), packed, panel, tile, strip.size(), width, accumulate, edge);
      }
    }
  }
}

// A tile that hangs over the right edge of C is computed whole in `edge`.
void BlockedGemm::edge_tile(ComputeTile compute, std::int64_t depth, const std::byte* a, const std::byte* b,
                            std::byte* c, std::int64_t rows, std::int64_t columns, bool accumulate,
                            std::byte* edge) noexcept {
  const std::size_t bytes = result_bytes(columns);
  const std::size_t c_step = result_bytes(operands_->ldc);
  const std::size_t edge_step = result_bytes(kernel_.nr);
  const auto count = static_cast<std::size_t>(rows);
  if (accumulate) {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(edge + i * edge_step, c + i * c_step, bytes);
  }
  compute(depth, a, b, edge, kernel_.nr, accumulate);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(c + i * c_step, edge + i * edge_step, bytes);
}

}  // namespace

// Rows, because B is then packed once; columns when C has too few rows for a whole strip each, and more
// columns.
Split choose_split(const MicroKernel& kernel, const GemmShape& shape, int members) {
  // Starting and awaiting a team costs a few tenths of a microsecond: up to about this size it takes longer
  // than it saves.
  constexpr double kSmallest = 40.0 * 40.0 * 40.0;
  const bool one_tile = shape.m <= kernel.mr && shape.n <= kernel.nr;
  const double products =
      static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  if (members == 1 || one_tile || products <= kSmallest) return Split::alone;
  const bool few_rows = shape.m < std::int64_t{kernel.mr} * members;
  return few_rows && shape.n > shape.m ? Split::columns : Split::rows;
}

std::unique_ptr<Gemm> make_blocked_gemm(const InstructionSet& set, const MicroKernel& kernel,
                                        const GemmShape& shape, Team& team, const Blocking* blocking) {
  return std::make_unique<BlockedGemm>(set, kernel, shape, team, blocking);
}

}  // namespace pibench::kernels
