// What passes between the addon and the plugin that calls Gloo. Gloo is a C++ library of templates, so it
// takes a compiler and its headers to call it: the plugin is built where these are found, and opened at run
// time as any library is. Plain functions over plain data, so that the two need not be built together.
//
// One end is one rank: it joins the others, plans a call over its operands, makes it as often as it is asked
// to, and leaves. Every function but the last is called by all ranks, in the same order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../problem.h"

namespace pibench::collective::gloo {

// Changed with whatever stands in this file, in Problem or in what that consists of.
inline constexpr std::uint32_t kInterface = 2;

struct Joining {
  const char* folder;   // empty, and the same for all ranks: there they leave their addresses
  const char* address;  // of the network that they use, or the name of this host
  int rank, ranks;
  std::int64_t patience_milliseconds;  // of any wait for another rank
};

struct Plan {
  Problem problem;
  int rank;
  int to, from;           // of send-recv: the ranks that it sends to and gets from
  const char* algorithm;  // "ring", "bcube", "halving-doubling"; empty: Gloo's own choice
  // Those that the rank lacks are null. They stay where they are until another plan is made.
  std::byte* input;
  std::byte* output;
};

// Why something failed, in one line.
struct Reason {
  char text[200];
};

class End;

struct Plugin {
  std::uint32_t interface;      // kInterface
  std::uint32_t problem_bytes;  // sizeof(Problem)
  const char* version;          // of the headers that it was built with: "0.5.0"
  const void* inside;           // an address in the library that it calls
  // Null where it failed.
  End* (*join)(const Joining*, Reason*);
  // False where it failed.
  bool (*plan)(End*, const Plan*, Reason*);
  bool (*run)(End*, Reason*);
  void (*leave)(End*);
};

}  // namespace pibench::collective::gloo

// The one function that the addon looks for.
extern "C" const pibench::collective::gloo::Plugin* pibench_gloo_plugin();
