// A chain of pointers through all lines of some memory, closed to a ring: to follow it, each load needs the
// one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pibench::latency {

// random: of all rings through all lines, any is as likely as another. pages: all lines of a page follow each
// other, in a random order, and so do the pages, so that few loads come to a page that the last one was not
// on.
enum class Order : std::uint8_t { random, pages };

// "random", "pages". Throws std::invalid_argument for another name.
Order order_named(std::string_view name);

// What stands at the beginning of each line.
struct Link {
  const Link* next;
  std::uint64_t place;  // along the ring; nobody who is timed reads it
};

// What is wrong with a ring.
struct Broken {
  std::uint64_t links = 0;
  std::string first;  // which one is, and how; empty where none is
};

// The memory is the caller's. Its lines are `stride` bytes apart.
class Ring {
 public:
  // Throws std::invalid_argument where there are fewer than two lines, more than can be numbered, or where
  // one has no room for a link.
  Ring(std::byte* memory, std::size_t lines, std::size_t stride);

  // Links all lines, in the order in which they will be followed, so that caches have seen it once. Takes a
  // sixteenth as much memory besides meanwhile, with lines of 64 bytes. Throws std::bad_alloc.
  void close(Order order, std::uint64_t seed);

  [[nodiscard]] std::size_t lines() const noexcept { return lines_; }
  // The one at place 0.
  [[nodiscard]] const Link* first() const noexcept { return first_; }
  // Where along the ring the link at an address is; nothing where no line begins there.
  [[nodiscard]] std::optional<std::uint64_t> place_of(const Link* link) const noexcept;
  // Whether it is one ring through all lines, found without following it: every line has a place of its own,
  // and leads to the line whose place is the next.
  [[nodiscard]] Broken broken() const;

 private:
  [[nodiscard]] Link* at(std::size_t line) const noexcept;

  std::byte* memory_;
  std::size_t lines_;
  std::size_t stride_;
  const Link* first_ = nullptr;
};

}  // namespace pibench::latency
