// Our collectives against their definition: every operation, data type and operator, in place and out of
// place, for several numbers of ranks and every algorithm that a case must have.
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../native/collective/data.h"
#include "../../native/random.h"
#include "check.h"
#include "collective_cases.h"
#include "collective_tables.h"

namespace {

using pibench::Verification;
using pibench::Workload;
using pibench::collective::Data;
using pibench::collective::Element;
using pibench::collective::Operation;
using pibench::collective::Part;
using pibench::collective::Pattern;
using pibench::collective::Problem;
using pibench::collective::Redop;
using pibench::collective::reduces;
using pibench::test::Checks;
using pibench::test::collective_tables_here;
using pibench::test::kElements;
using pibench::test::kOperations;
using pibench::test::kProcesses;
using pibench::test::kRedops;
using pibench::test::problem_of;
using pibench::test::Way;
using pibench::test::workload_of;

std::string text_of(const Problem& p, const Way& way) {
  return std::string(kOperations[static_cast<std::size_t>(p.operation)]) + " " +
         kElements[static_cast<std::size_t>(p.element)] + " " + kRedops[static_cast<std::size_t>(p.redop)] +
         (p.in_place ? " in place" : "") + ", " + std::to_string(p.ranks) + " ranks, root " +
         std::to_string(p.root) + ", " + std::to_string(p.count) + " elements, " + way.algorithm +
         (way.processes ? ", processes" : "");
}

// Said apart from the code that offers them, so that what it leaves out is missed here.
bool must_have(const Problem& p, const std::string& algorithm) {
  std::size_t most = 0;  // bytes that a rank gives
  for (int rank = 0; rank < p.ranks; ++rank)
    most = std::max(most, pibench::collective::given(p, rank) * pibench::collective::bytes_of(p.element));
  if (algorithm == "direct") return true;
  // 148 lines of the cache, of each of which 56 bytes are data.
  if (algorithm == "lines") return most <= std::size_t{148} * 56 && p.ranks <= 16;
  const bool is_large = most >= std::size_t{256} << 10U;
  const bool swaps = p.operation == Operation::all_to_all && p.in_place;
  return is_large && !swaps && (algorithm == "streaming" || (algorithm == "blocks" && reduces(p.operation)));
}

// Empty where the result is right.
std::string wrong_with(const Problem& problem, const Way& way) {
  std::unique_ptr<Workload> workload;
  try {
    workload = workload_of(problem, way);
    workload->prepare();
  } catch (const std::invalid_argument& error) {
    return text_of(problem, way) + ": " + error.what();
  }
  for (int i = 0; i < 3; ++i) workload->run();
  const Verification verification = workload->verify();
  if (verification.passed) return {};
  return text_of(problem, way) + ": " + verification.first_wrong;
}

// Empty where there is no such algorithm, and it says so.
std::string accepted(const Problem& problem, const Way& way) {
  try {
    workload_of(problem, way)->prepare();
  } catch (const std::invalid_argument& error) {
    if (std::strstr(error.what(), "has no algorithm") != nullptr) return {};
    return text_of(problem, way) + ": " + error.what();
  }
  return text_of(problem, way) + ": has an algorithm that it should not have";
}

struct Size {
  std::size_t count;
  std::vector<const char*> algorithms;
};

enum class Types { one, all, in_turns };

struct Extent {
  std::vector<int> ranks;
  std::vector<Size> sizes;
  Types types = Types::one;
  bool processes = false;
};

// Whether no type before it has as many bytes.
bool is_first_of_its_width(std::size_t element) {
  const auto width = [](std::size_t i) {
    return pibench::collective::bytes_of(pibench::collective::element_named(kElements[i]));
  };
  for (std::size_t before = 0; before < element; ++before) {
    if (width(before) == width(element)) return false;
  }
  return true;
}

// In turns every type has every operator in every operation, each in a quarter of the shapes, which are made
// of the ranks, the size, the place and the algorithm. Which quarter differs from type to type, from operator
// to operator and from one reducing operation to the next. One type of each width has the sum in all shapes:
// how ranks meet and whose memory they read and write depends on the type only by its width.
bool has_its_turn(std::size_t operation, std::size_t element, std::size_t redop, std::size_t shape) {
  constexpr std::size_t kTurns = 4;
  if (redop == 0 && is_first_of_its_width(element)) return true;
  return shape % kTurns == (operation / 2 + element + redop) % kTurns;
}

void check_operations(Checks& checks, const Extent& extent) {
  for (std::size_t operation = 0; operation < kOperations.size(); ++operation) {
    std::string wrong;
    int cases = 0;
    const std::size_t redops =
        extent.types != Types::one && reduces(static_cast<Operation>(operation)) ? kRedops.size() : 1;
    const std::size_t elements = extent.types != Types::one ? kElements.size() : 1;
    for (std::size_t element = 0; element < elements; ++element) {
      for (std::size_t redop = 0; redop < redops; ++redop) {
        std::size_t shape = 0;
        for (const int ranks : extent.ranks) {
          for (const auto& [count, algorithms] : extent.sizes) {
            for (const bool in_place : {false, true}) {
              for (const char* const algorithm : algorithms) {
                if (extent.types == Types::in_turns && !has_its_turn(operation, element, redop, shape++))
                  continue;
                const Problem problem = problem_of(operation, element, redop, ranks, count, in_place);
                const Way way{algorithm, extent.processes};
                const bool has = must_have(problem, algorithm);
                const std::string found = has ? wrong_with(problem, way) : accepted(problem, way);
                if (wrong.empty()) wrong = found;
                cases += has ? 1 : 0;
              }
            }
          }
        }
      }
    }
    checks.that(wrong.empty(),
                std::string(kOperations[operation]) + " is right in " + std::to_string(cases) + " cases" +
                    (extent.processes ? " of processes" : ""),
                wrong);
  }
}

void check_pairs(Checks& checks) {
  Problem problem = problem_of(8, 0, 0, 4, 1000, false);
  problem.pattern = Pattern::pairs;
  const std::string wrong = wrong_with(problem, {"direct"});
  checks.that(wrong.empty(), "pairs of ranks exchange", wrong);
}

// Any number of ranks and elements: parts are whole lines, follow one another and make up the whole.
void check_parts(Checks& checks) {
  std::string wrong;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::size_t element = std::size_t{1} << (pibench::draw(1, i) % 4);
    const auto ranks = static_cast<int>(1 + pibench::draw(2, i) % 256);
    const auto count = static_cast<std::size_t>(pibench::draw(3, i) % (i % 2 == 0 ? 300 : 1'000'000));
    std::size_t at = 0;
    std::size_t least = count;
    std::size_t most = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Part part = pibench::collective::part_of(count, element, ranks, rank);
      if (part.begin != at || part.end < part.begin) wrong = "parts do not follow one another";
      if (part.begin * element % 64 != 0 && part.begin != count) wrong = "a part begins inside a line";
      at = part.end;
      least = std::min(least, part.end - part.begin);
      most = std::max(most, part.end - part.begin);
    }
    if (at != count) wrong = "parts do not make up the whole";
    if ((most - least) * element >= std::size_t{128}) wrong = "parts are uneven";
  }
  checks.that(wrong.empty(), "parts of any count for any number of ranks", wrong);
}

// What is measured would not matter if ranks, places or iterations had the same data.
void check_data(Checks& checks) {
  const Problem problem = problem_of(0, 0, 0, 4, 1000, false);
  const Data data(problem, 3);
  int same_rank = 0;
  int same_iteration = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    if (data.value(0, i, 5) == data.value(1, i, 5)) ++same_rank;
    if (data.value(0, i, 5) == data.value(0, i, 6)) ++same_iteration;
  }
  checks.that(same_rank < 20 && same_iteration < 20, "data depend on rank, place and iteration");
}

// Instruction sets against the definition, at awkward lengths and places.
void check_kernels(Checks& checks) {
  constexpr int kInputs = 3;
  for (const auto* const table : collective_tables_here()) {
    std::string wrong;
    for (std::size_t element = 0; element < kElements.size(); ++element) {
      for (std::size_t redop = 0; redop < kRedops.size(); ++redop) {
        for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 300U, 1025U}) {
          for (const std::size_t shift : {0U, 1U, 16U}) {
            Problem p = problem_of(0, element, redop, kInputs, count, false);
            const Data data(p, element * 10 + redop);
            const std::size_t size = pibench::collective::bytes_of(p.element);
            std::vector<std::vector<std::byte>> memory(kInputs + 2,
                                                       std::vector<std::byte>((count + shift + 80) * size));
            std::vector<std::byte*> inputs, outputs;
            for (int k = 0; k < kInputs; ++k) {
              inputs.push_back(memory[static_cast<std::size_t>(k)].data() + shift * size);
              data.fill(inputs.back(), k, 1);
            }
            for (std::size_t k = kInputs; k < memory.size(); ++k) {
              const auto at = reinterpret_cast<std::uintptr_t>(memory[k].data());
              outputs.push_back(memory[k].data() + (64 - at % 64) % 64);
            }
            for (const bool streaming : {false, true}) {
              for (std::byte* const output : outputs) std::memset(output, 0xff, count * size);
              table->reduce[element][redop](
                  {inputs.data(), kInputs, outputs.data(), 2, 0, count * size, kInputs}, streaming);
              for (const std::byte* const output : outputs) {
                for (std::size_t i = 0; i < count; ++i) {
                  if (data.equals(output + i * size, data.expected(0, i, 1))) continue;
                  wrong = std::string(kElements[element]) + " " + kRedops[redop] + ", element " +
                          std::to_string(i) + " of " + std::to_string(count);
                }
              }
            }
          }
        }
      }
    }
    checks.that(wrong.empty(), std::string("reductions with ") + table->name, wrong);
  }
}

// More ranks than a byte has numbers: they are divided by all the same, but sums of theirs would run over.
void check_averages_of_many(Checks& checks) {
  constexpr int kBytes = 256;
  std::array<std::byte, kBytes> input{};
  for (int i = 0; i < kBytes; ++i) input[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
  for (const auto* const table : collective_tables_here()) {
    std::string wrong;
    for (const int ranks : {127, 128, 200, 255, 256}) {
      for (const bool with_sign : {true, false}) {
        std::array<std::byte, kBytes> output{};
        std::array<std::byte*, 1> inputs{input.data()};
        std::array<std::byte*, 1> outputs{output.data()};
        const auto element = static_cast<std::size_t>(with_sign ? Element::int8 : Element::uint8);
        table->reduce[element][static_cast<std::size_t>(Redop::avg)](
            {inputs.data(), 1, outputs.data(), 1, 0, kBytes, ranks}, false);
        for (int i = 0; i < kBytes; ++i) {
          const int value = with_sign && i > 127 ? i - kBytes : i;
          if (output[static_cast<std::size_t>(i)] == static_cast<std::byte>(value / ranks)) continue;
          wrong = std::to_string(value) + " / " + std::to_string(ranks);
        }
      }
    }
    checks.that(wrong.empty(), std::string("averages of bytes over up to 256 ranks with ") + table->name,
                wrong);
  }
  const auto data_of = [](Element element, int ranks) {
    static_cast<void>(Data(problem_of(0, static_cast<std::size_t>(element),
                                      static_cast<std::size_t>(Redop::avg), ranks, 10, false),
                           1));
  };
  checks.throws<std::invalid_argument>(
      [&] { data_of(Element::int8, 128); },
      "an average of int8 over 128 ranks, which cannot be checked, is refused");
  checks.throws<std::invalid_argument>([&] { data_of(Element::uint8, 256); }, "so is one of uint8 over 256");
  data_of(Element::int8, 127);
  data_of(Element::bfloat16, 256);
}

}  // namespace

// `few`: for an emulator, which takes long. `turns`: for a sanitizer, to which many cases look alike.
int main(int count, char** arguments) {
  const std::string extent = count > 1 ? arguments[1] : "";
  Checks checks;
  check_parts(checks);
  check_data(checks);
  check_kernels(checks);
  check_averages_of_many(checks);
  if (extent == "few") {
    check_operations(checks, {{2}, {{37, {"direct"}}}, Types::all});
  } else {
    const Types types = extent == "turns" ? Types::in_turns : Types::all;
    check_operations(checks, {{2, 3}, {{37, {"lines", "direct"}}, {1029, {"direct"}}}, types});
    check_operations(checks, {{2, 3}, {{100'003, {"direct", "blocks", "streaming"}}}});
  }
  check_operations(checks, {{1, 4, 7}, {{1, {"lines", "direct"}}, {700, {"direct"}}}});
  check_pairs(checks);
  if (kProcesses) {
    check_operations(checks, {{2, 4}, {{1, {"lines"}}, {700, {"direct"}}}, Types::one, true});
  } else {
    Checks::inform("ranks as processes are not checked under this sanitizer");
  }
  return checks.finish();
}
