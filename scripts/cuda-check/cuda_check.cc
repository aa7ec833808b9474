// Checks every kernel for NVIDIA GPUs on the GPU that is there, and times it: the first thing to run on a new
// GPU.
//
//   cuda_check --kernels FOLDER [--cublaslt FILE] [--only TEXT] [--quick | --untimed] [--device N] [--seconds
//   N] [--all-seconds N] [--jobs N]
//
// Each case runs in a process of its own and prints one line of JSON; a case that hangs, crashes or runs into
// a sticky error ends alone, and after a third that hangs the rest is left out: it would take all the time.
// What was tried least comes last. What is not timed may run beside others (--jobs): most of it is waiting
// for a process to begin. No case begins after --all-seconds. Ends with 1 where a case is wrong, with 2 where
// none is and some were left out.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cases.h"

namespace {

using namespace pibench::cuda_check;

struct Options {
  Setting setting;
  std::string only;
  std::string one;   // the case that this process runs
  int seconds = 30;  // that one case may take
  int all_seconds = 230;
  int jobs = 1;  // cases at a time
};

int whole(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// False where the arguments are not of the form above.
bool read_options(const std::vector<std::string>& arguments, Options& options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    if (flag == "--quick" || flag == "--untimed") {
      (flag == "--quick" ? options.setting.quick : options.setting.untimed) = true;
      continue;
    }
    if (++i == arguments.size()) return false;
    const std::string& value = arguments[i];
    if (flag == "--kernels")
      options.setting.kernels = value;
    else if (flag == "--cublaslt")
      options.setting.cublaslt = value;
    else if (flag == "--only")
      options.only = value;
    else if (flag == "--device")
      options.setting.ordinal = whole(value);
    else if (flag == "--seconds")
      options.seconds = whole(value);
    else if (flag == "--all-seconds")
      options.all_seconds = whole(value);
    else if (flag == "--jobs")
      options.jobs = whole(value);
    else if (flag == "--case")
      options.one = value;
    else
      return false;
  }
  return !options.setting.kernels.empty() && options.seconds > 0 && options.jobs > 0 &&
         (options.jobs == 1 || !options.setting.timed());
}

// In the child: prints the line of one case.
int run_one(const Options& options) {
  Report report(options.one);
  try {
    run_case(options.one, options.setting, report);
  } catch (const std::exception& error) {
    report.that(false, error.what());
  }
  std::cout << report.line() << '\n' << std::flush;
  // Without the driver's own cleaning up, which can hang after a fault.
  std::_Exit(report.right() ? EXIT_SUCCESS : EXIT_FAILURE);
}

std::string ended(int status) {
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGKILL ? "did not end in time"
                                       : "ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with " + std::to_string(WEXITSTATUS(status)) + " without a line";
}

enum class Outcome : std::uint8_t { right, wrong, hung };

// One line at a time.
void print(const std::string& line) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  std::cout << line << std::flush;
}

Outcome not_begun(const std::string& name) {
  Report report(name);
  report.that(false, "no process could be begun for it");
  print(report.line() + '\n');
  return Outcome::wrong;
}

// Runs a case in a child and prints what it printed, or why it printed nothing.
Outcome run_in_child(const std::string& self, const std::vector<std::string>& arguments,
                     const std::string& name, int seconds) {
  // All that takes memory comes before the fork: another thread may be at it.
  std::vector<std::string> words{self};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.end(), {"--case", name});
  std::vector<char*> raw;
  raw.reserve(words.size() + 1);
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  std::array<int, 2> ends{};
  // Closed in what other threads begin: else the end of this child's output would not be seen.
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return not_begun(name);
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return not_begun(name);
  }
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execv(self.c_str(), raw.data());
    _exit(127);
  }
  close(ends[1]);
  int status = 0;
  pid_t done = 0;
  for (int waited = 0; done == 0 && waited < seconds * 100; ++waited) {
    done = waitpid(child, &status, WNOHANG);
    const timespec tick{0, 10'000'000};
    if (done == 0) nanosleep(&tick, nullptr);
  }
  const bool hung = done == 0;
  if (hung) {
    kill(child, SIGKILL);
    // One that hangs in the kernel is left behind.
    for (int waited = 0; done == 0 && waited < 200; ++waited) {
      done = waitpid(child, &status, WNOHANG);
      const timespec tick{0, 10'000'000};
      if (done == 0) nanosleep(&tick, nullptr);
    }
    if (done == 0) status = SIGKILL;
  }
  std::string line;
  std::array<char, 4096> part{};
  if (done != 0) {
    for (ssize_t count = 0; (count = read(ends[0], part.data(), part.size())) > 0;)
      line.append(part.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (line.empty()) {
    Report report(name);
    report.that(false, ended(status));
    line = report.line() + '\n';
  }
  print(line);
  if (hung) return Outcome::hung;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Outcome::right : Outcome::wrong;
}

// Those by wgmma last: a mistake that lets one of them hang lets all of them hang.
std::vector<std::string> names_in_order(const std::string& only) {
  std::vector<std::string> names = case_names();
  std::erase_if(names, [&](const std::string& name) { return name.find(only) == std::string::npos; });
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name.find("wgmma") == std::string::npos; });
  return names;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  Options options;
  if (!read_options(arguments, options)) {
    std::cerr << "usage: cuda_check --kernels FOLDER [--cublaslt FILE] [--only TEXT] [--quick | --untimed] "
                 "[--device N] [--seconds N] [--all-seconds N] [--jobs N]\n";
    return 64;
  }
  // Where the environment has launches wait for their kernels, a gate would wait for who can open it.
  setenv("CUDA_LAUNCH_BLOCKING", "0", 1);
  if (!options.one.empty()) return run_one(options);
  const std::time_t begin = std::time(nullptr);
  constexpr int kMostHung = 3;
  const std::vector<std::string> names = names_in_order(options.only);
  std::atomic<std::size_t> next{0};
  std::atomic<int> wrong{0};
  std::atomic<int> ran{0};
  std::atomic<int> hung{0};
  std::atomic<int> left_out{0};
  const auto work = [&] {
    for (std::size_t at = 0; (at = next.fetch_add(1)) < names.size();) {
      const std::string& name = names[at];
      const bool late = std::time(nullptr) - begin >= options.all_seconds;
      if (late || hung >= kMostHung) {
        Report report(name);
        report.skip(late ? "the time for all cases is over" : "not in time: three cases before it hung");
        print(report.line() + '\n');
        ++left_out;
        continue;
      }
      ++ran;
      const Outcome outcome = run_in_child("/proc/self/exe", arguments, name, options.seconds);
      if (outcome != Outcome::right) ++wrong;
      if (outcome == Outcome::hung) ++hung;
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(options.jobs) - 1);
    for (int job = 1; job < options.jobs; ++job) others.emplace_back(work);
    work();
  }
  std::cout << "{\"cases\":" << ran << ",\"wrong\":" << wrong << ",\"leftOut\":" << left_out
            << ",\"seconds\":" << std::time(nullptr) - begin << "}\n";
  constexpr int kIncomplete = 2;
  if (wrong != 0 || names.empty()) return EXIT_FAILURE;
  return left_out == 0 ? EXIT_SUCCESS : kIncomplete;
}
