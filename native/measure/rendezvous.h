// How ranks start an iteration together. One rank waits for nobody.
#pragma once

namespace pibench {

class SoloRendezvous {
 public:
  void meet() noexcept {}
};

}  // namespace pibench
