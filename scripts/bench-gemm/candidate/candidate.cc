// One candidate, one product: `candidate KIND WHAT CPUS TYPE M N K TRANSPOSE BATCH` makes it, computes,
// checks, and says in a line of JSON what it found. Then each `run SECONDS` on its input measures for about
// that long and answers in a line of JSON. WHAT is a library's file, or of our own kernels the instruction
// set; TRANSPOSE is NN, NT, TN or TT, of A and B. bench-gemm.mjs compiles it and conducts several in turns.
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "matrices.h"
#include "product.h"
#include "tasks.h"

namespace {

using bench::Subject;

constexpr double kWarmUpSeconds = 0.05;
constexpr double kSampleSeconds = 1e-3;
constexpr double kMostTaken = 0.01;  // by others, of a sample's time
// A turn without one clean sample goes on until it has one, up to so many times its length.
constexpr double kPatience = 4;

double read_clock(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double now() { return read_clock(CLOCK_MONOTONIC); }

// What a product took is read off the process's CPU time where one thread computes it: time that a hypervisor
// gave to others is not in it where the guest is told of it, and it is no property of a kernel. All threads'
// and not the caller's: a library that computes on another thread must not come out as fast. Several threads
// wait for each other, so theirs is the time on the wall.
clockid_t clock_of(const std::vector<int>& cpus) {
  return cpus.size() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
  }
  return result + "\"";
}

void say(const std::string& line) { std::cout << line << std::endl; }

std::unique_ptr<bench::Library> open(const std::string& kind, const std::string& path) {
  if (kind == "cblas") return bench::open_cblas(path);
  if (kind == "onednn-gemm") return bench::open_onednn_gemm(path);
  if (kind == "onednn-matmul") return bench::open_onednn_matmul(path, false);
  if (kind == "onednn-prepacked") return bench::open_onednn_matmul(path, true);
  if (kind == "libxsmm") return bench::open_libxsmm(path);
  throw std::runtime_error("unknown kind of candidate: " + kind);
}

std::unique_ptr<Subject> make_subject(const std::string& kind, const std::string& what,
                                      const bench::Product& product, const std::vector<int>& cpus) {
  if (kind == "plain" || kind == "prepacked" || kind == "peak") {
    return bench::make_own_subject(kind, what, product, cpus);
  }
  return bench::make_library_subject(open(kind, what), product);
}

double time_call(Subject& subject) {
  const double begin = now();
  subject.call();
  return now() - begin;
}

// Seconds of the fastest call while the library builds its kernels, its buffers and its threads. Not of the
// last one: where another program had the CPU then, samples would be of one call each, whose clocks and
// sleeping threads count.
double warm_up(Subject& subject) {
  double fastest = time_call(subject);
  const double enough = now() + kWarmUpSeconds - fastest;
  while (now() < enough) fastest = std::min(fastest, time_call(subject));
  return fastest;
}

struct Sample {
  double seconds;
  bool disturbed;
};

// Samples of several calls each, so that the clock and its reading count for nothing. One is disturbed where
// others had the CPU meanwhile: threads that were ready waited for it, or the time on the wall went on
// without the process's own. A guest that is told of what its hypervisor took is told late: then one sample
// has too much, and another too little, down to none at all, which says nothing.
std::vector<Sample> measure(Subject& subject, int calls, double seconds, clockid_t clock) {
  const bench::RunQueue queue;
  std::vector<Sample> samples;
  // The turns of the others have let caches and threads cool.
  if (calls > 1) {
    for (int i = 0; i < calls; ++i) subject.call();
  }
  const double start = now();
  double elapsed = 0;
  bool clean = false;
  do {
    const double waited = queue.waited();
    const double begin_on_wall = now();
    const double begin = read_clock(clock);
    for (int i = 0; i < calls; ++i) subject.call();
    const double took = read_clock(clock) - begin;
    const double end_on_wall = now();
    const double on_wall = end_on_wall - begin_on_wall;
    const bool disturbed =
        queue.waited() - waited > kMostTaken * on_wall || took < (1 - kMostTaken) * on_wall;
    if (took > 0) samples.push_back({took / calls, disturbed});
    clean = clean || !disturbed;
    elapsed = end_on_wall - start;
  } while (elapsed < seconds || (!clean && elapsed < kPatience * seconds));
  if (samples.empty()) throw std::runtime_error("the clock of the process stood still for a whole turn");
  return samples;
}

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// Disturbed samples are left out, unless there are no others.
std::string summary(const std::vector<Sample>& samples) {
  std::vector<double> clean;
  for (const Sample& sample : samples) {
    if (!sample.disturbed) clean.push_back(sample.seconds);
  }
  const std::size_t disturbed = samples.size() - clean.size();
  if (clean.empty()) {
    for (const Sample& sample : samples) clean.push_back(sample.seconds);
  }
  std::ostringstream line;
  line.precision(9);
  line << "{\"median\":" << median(clean) << ",\"min\":" << clean.front() << ",\"count\":" << samples.size()
       << ",\"disturbed\":" << disturbed << "}";
  return line.str();
}

void serve(const std::vector<std::string>& arguments) {
  std::vector<int> cpus;
  std::istringstream list(arguments[2]);
  for (std::string cpu; std::getline(list, cpu, ',');) cpus.push_back(std::stoi(cpu));
  // Before anything is loaded that counts CPUs or starts threads.
  bench::bind_to(cpus);
  const std::string& transpose = arguments[7];
  const bench::Product product{
      arguments[3],           std::stoi(arguments[4]), std::stoi(arguments[5]), std::stoi(arguments[6]),
      transpose.at(0) == 'T', transpose.at(1) == 'T',  std::stoi(arguments[8])};
  const auto subject = make_subject(arguments[0], arguments[1], product, cpus);
  warm_up(*subject);
  const bool pinned = bench::pin_tasks(cpus);
  const int calls = static_cast<int>(std::max(1.0, kSampleSeconds / warm_up(*subject)));
  subject->poison();
  subject->call();
  const std::string fault = subject->fault();
  if (!fault.empty()) return say("{\"wrong\":" + quoted(fault) + "}");
  say("{\"version\":" + quoted(subject->version()) + ",\"kernel\":" + quoted(subject->kernel()) +
      ",\"operations\":" + std::to_string(subject->operations()) +
      ",\"pinned\":" + (pinned ? "true" : "false") + "}");
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    double seconds = 0;
    if (!(words >> command >> seconds) || command != "run") break;
    say(summary(measure(*subject, calls, seconds, clock_of(cpus))));
  }
}

}  // namespace

int main(int count, char** words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() != 9) {
    std::cerr << "candidate KIND WHAT CPUS TYPE M N K TRANSPOSE BATCH\n";
    return 64;
  }
  try {
    serve(arguments);
  } catch (const bench::Unsupported& error) {
    say("{\"unsupported\":" + quoted(error.what()) + "}");
  } catch (const std::exception& error) {
    say("{\"failed\":" + quoted(error.what()) + "}");
  }
  return 0;
}
