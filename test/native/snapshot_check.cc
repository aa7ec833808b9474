// Snapshots: which files are read, and what stands for one that cannot be.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "../../native/telemetry/snapshot.h"
#include "../../native/threads/affinity.h"
#include "check.h"

int main() {
  namespace fs = std::filesystem;
  pibench::test::Checks check;
  const fs::path folder = fs::temp_directory_path() / ("pi-bench-check-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto in_folder = [&folder](const char* name) { return (folder / name).string(); };
  const std::string large(10'000, 'x');
  const auto write = [&in_folder](const char* name, const std::string& text) {
    std::ofstream(in_folder(name)) << text;
  };
  write("large", large);
  write("empty", "");
  write("of-11", "eleven");
  write("of-22", "twenty-two\n");

  const std::array paths{in_folder("large"), in_folder("of-{tid}"), in_folder("missing"), in_folder("empty"),
                         folder.string()};
  const std::array tids{11, 22, 33};
  const pibench::Nanoseconds before = pibench::now();
  const pibench::Snapshot snapshot = pibench::take_snapshot(paths, tids);
  const pibench::Nanoseconds after = pibench::now();

  check.that(snapshot.at >= before && snapshot.at <= after, "a snapshot knows when it was taken");
  check.equal(snapshot.files.size(), std::size_t{7},
              "one file for each path, and for each thread where {tid} stands");
  if (snapshot.files.size() == 7) {
    const auto& files = snapshot.files;
    check.that(files[0].first == paths[0] && files[0].second == large,
               "a file longer than a block is read whole");
    check.that(files[1].first == in_folder("of-11") && files[1].second == "eleven",
               "{tid} is the first thread");
    check.that(files[2].first == in_folder("of-22") && files[2].second == "twenty-two\n", "then the second");
    check.that(files[3].first == in_folder("of-33") && !files[3].second,
               "a thread's missing file has no text");
    check.that(files[4].first == paths[2] && !files[4].second, "a missing file has no text");
    check.that(files[5].second == "", "an empty file has an empty text");
    check.that(!files[6].second, "a folder has no text");
  }

  const std::array own_path{std::string("/proc/self/task/{tid}/stat")};
  const std::array own_tid{pibench::current_thread_id()};
  const pibench::Snapshot own = pibench::take_snapshot(own_path, own_tid);
  check.that(own.files.size() == 1 && own.files[0].second &&
                 own.files[0].second->starts_with(std::to_string(own_tid[0])),
             "a file of the kernel whose size is not known before is read");
  check.equal(pibench::take_snapshot({}, tids).files.size(), std::size_t{0}, "no paths, no files");
  fs::remove_all(folder);
  return check.finish();
}
