#include "ring.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../random.h"

namespace pibench::latency {
namespace {

// Small pages: a huge one is many of them, and its lines follow each other all the more.
constexpr std::size_t kPage = 4096;

using Line = std::uint32_t;

// Every order is as likely as any other (Fisher & Yates; Durstenfeld 1964).
void shuffle(std::span<Line> lines, std::uint64_t stream) noexcept {
  for (std::size_t left = lines.size(); left > 1; --left)
    std::swap(lines[left - 1], lines[draw(stream, left) % left]);
}

std::vector<Line> numbers_to(std::size_t count) {
  std::vector<Line> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Line{0});
  return numbers;
}

// Page by page, in a random order both ways.
std::vector<Line> page_order(std::size_t lines, std::size_t of_page, std::uint64_t seed) {
  std::vector<Line> pages = numbers_to((lines + of_page - 1) / of_page);
  shuffle(pages, draw(seed, 0));
  std::vector<Line> order;
  order.reserve(lines);
  for (const Line page : pages) {
    const std::size_t first = page * of_page;
    const std::size_t begin = order.size();
    for (std::size_t line = first; line < std::min(lines, first + of_page); ++line)
      order.push_back(static_cast<Line>(line));
    shuffle(std::span(order).subspan(begin), draw(seed, 1 + std::uint64_t{page}));
  }
  return order;
}

// A random order of all lines that is closed to a ring is what Sattolo's algorithm (1986) draws, too: any
// ring through all of them is as likely as another. Made so, each line's place is known without following the
// ring.
std::vector<Line> order_of(Order order, std::size_t lines, std::size_t stride, std::uint64_t seed) {
  if (order == Order::pages) return page_order(lines, std::max<std::size_t>(1, kPage / stride), seed);
  std::vector<Line> all = numbers_to(lines);
  shuffle(all, seed);
  return all;
}

}  // namespace

Order order_named(std::string_view name) {
  if (name == "random") return Order::random;
  if (name == "pages") return Order::pages;
  throw std::invalid_argument("unknown order " + std::string(name));
}

Ring::Ring(std::byte* memory, std::size_t lines, std::size_t stride)
    : memory_(memory), lines_(lines), stride_(stride) {
  if (lines < 2) throw std::invalid_argument("a ring takes two lines or more");
  if (lines - 1 > std::numeric_limits<Line>::max())
    throw std::invalid_argument("so many lines have no number");
  if (stride < sizeof(Link) || stride % alignof(Link) != 0)
    throw std::invalid_argument("a line of " + std::to_string(stride) + " bytes has no room for a link");
}

Link* Ring::at(std::size_t line) const noexcept { return reinterpret_cast<Link*>(memory_ + line * stride_); }

void Ring::close(Order order, std::uint64_t seed) {
  const std::vector<Line> lines = order_of(order, lines_, stride_, seed);
  for (std::size_t place = 0; place < lines_; ++place)
    *at(lines[place]) = {at(lines[place + 1 == lines_ ? 0 : place + 1]), place};
  first_ = at(lines[0]);
}

std::optional<std::uint64_t> Ring::place_of(const Link* link) const noexcept {
  const auto offset = reinterpret_cast<std::uintptr_t>(link) - reinterpret_cast<std::uintptr_t>(memory_);
  if (offset % stride_ != 0 || offset / stride_ >= lines_) return std::nullopt;
  return at(offset / stride_)->place;
}

Broken Ring::broken() const {
  Broken broken;
  std::vector<bool> taken(lines_);
  const auto blame = [&](std::size_t line, const std::string& why) {
    if (broken.links++ == 0) broken.first = "line " + std::to_string(line) + " " + why;
  };
  for (std::size_t line = 0; line < lines_; ++line) {
    const auto [next, place] = *at(line);
    if (place >= lines_ || taken[place]) {
      blame(line, "has no place of its own along the ring");
      continue;
    }
    taken[place] = true;
    if (place_of(next) != (place + 1 == lines_ ? 0 : place + 1))
      blame(line, "does not lead to the line behind it along the ring");
  }
  return broken;
}

}  // namespace pibench::latency
