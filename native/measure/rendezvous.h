// How ranks start an iteration together. One rank waits for nobody.
#pragma once

namespace pibench {

class SoloRendezvous {
 public:
  // Whether meeting takes time, which no repetition may contain.
  static constexpr bool kTakesTime = false;
  void meet() noexcept {}
};

}  // namespace pibench
