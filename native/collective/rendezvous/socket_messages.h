// Messages between ranks over a TCP connection from each to each.
#pragma once

#include <memory>
#include <vector>

#include "../mpi/messages.h"
#include "sockets.h"

namespace pibench::collective::rendezvous {

// `peers`: a connection to each rank, and none in the place of this one.
std::unique_ptr<Messages> make_messages(int rank, std::vector<Socket> peers);

}  // namespace pibench::collective::rendezvous
