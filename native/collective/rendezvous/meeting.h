// How ranks find each other without MPI: at a place that all of them were told, where rank 0 waits for the
// others. Then each is connected with each, over TCP.
//
//   tcp:HOST:PORT   rank 0 listens there
//   file:PATH       rank 0 listens at a port that is free, and writes its numbers into the file, which it
//   removes when all have
//                   come; the others wait for the file, which all of them must see
#pragma once

#include <memory>
#include <string>

#include "../../measure/clock.h"
#include "../mpi/messages.h"

namespace pibench::collective {

// `text`: the place, as above. Throws std::invalid_argument for what is none, std::runtime_error with one
// line where somebody does not come in time (rank 0 names them all, and tells those that came), or was
// started as another's twin.
std::unique_ptr<Messages> meet_at(const std::string& text, int rank, int ranks, Nanoseconds patience);

}  // namespace pibench::collective
