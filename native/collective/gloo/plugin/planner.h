// Gloo's calls over elements of a type: what a plan of the interface comes to, as a function that makes the
// call.
//
// Where Gloo has a function (all-reduce, broadcast ...), that is called. What it has only as an algorithm of
// its older interface (reduce-scatter; all-reduce by halving and doubling) works on its operand in place.
#pragma once

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/reduce_scatter.h>
#include <gloo/scatter.h>

#include <climits>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "interface.h"

namespace pibench::collective::gloo {

using Combine = void (*)(void*, const void*, const void*, std::size_t);

template <typename T>
Combine function_of(Redop redop) {
  switch (redop) {
    case Redop::sum:
      return &::gloo::sum<T>;
    case Redop::prod:
      return &::gloo::product<T>;
    case Redop::min:
      return &::gloo::min<T>;
    case Redop::max:
      return &::gloo::max<T>;
    case Redop::avg:
      break;
  }
  throw std::invalid_argument("Gloo has no average");
}

template <typename T>
const ::gloo::ReductionFunction<T>* older_function_of(Redop redop) {
  switch (redop) {
    case Redop::sum:
      return ::gloo::ReductionFunction<T>::sum;
    case Redop::prod:
      return ::gloo::ReductionFunction<T>::product;
    case Redop::min:
      return ::gloo::ReductionFunction<T>::min;
    case Redop::max:
      return ::gloo::ReductionFunction<T>::max;
    case Redop::avg:
      break;
  }
  throw std::invalid_argument("Gloo has no average");
}

// An algorithm of the older interface counts bytes in an int.
inline int older_count(std::size_t elements, std::size_t element_bytes) {
  if (elements * element_bytes > INT_MAX)
    throw std::invalid_argument("this algorithm of Gloo counts bytes in 32 bits: " +
                                std::to_string(elements * element_bytes) + " are too many");
  return static_cast<int>(elements);
}

// The calls over elements of a type. Throws std::invalid_argument for what Gloo cannot do.
template <typename T>
class Planner {
 public:
  // Both are read while a call is planned, and not when it is made.
  Planner(const std::shared_ptr<::gloo::Context>& context, const Plan& plan)
      : context_(context),
        plan_(plan),
        count_(plan.problem.count),
        blocks_(count_ * static_cast<std::size_t>(plan.problem.ranks)),
        in_(reinterpret_cast<T*>(plan.input)),
        out_(reinterpret_cast<T*>(plan.output)),
        in_place_(plan.problem.in_place),
        is_root_(plan.rank == plan.problem.root) {}

  [[nodiscard]] std::function<void()> moving() const {
    switch (plan_.problem.operation) {
      case Operation::all_gather:
        return all_gather();
      case Operation::broadcast:
        return broadcast();
      case Operation::gather:
        return gather();
      case Operation::scatter:
        return scatter();
      case Operation::all_to_all:
        return all_to_all();
      case Operation::send_recv:
        return send_recv();
      case Operation::barrier:
        return barrier();
      default:
        throw std::invalid_argument("Gloo cannot compute with this type");
    }
  }

  [[nodiscard]] std::function<void()> reducing() const {
    switch (plan_.problem.operation) {
      case Operation::all_reduce:
        return std::string_view(plan_.algorithm) == "halving-doubling" ? halving_doubling() : all_reduce();
      case Operation::reduce:
        return reduce();
      case Operation::reduce_scatter:
        return reduce_scatter();
      default:
        return moving();
    }
    // The analyser loses what a std::function owns.
  }  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

 private:
  // A call keeps its options, which hold the buffers; functions are copied, so they are shared.
  template <typename Options, typename Call>
  static std::function<void()> keeping(std::shared_ptr<Options> options, Call call) {
    return [options = std::move(options), call] { call(*options); };
  }

  [[nodiscard]] std::function<void()> all_reduce() const {
    auto options = std::make_shared<::gloo::AllreduceOptions>(context_);
    const std::string_view algorithm(plan_.algorithm);
    if (algorithm == "ring") options->setAlgorithm(::gloo::AllreduceOptions::Algorithm::RING);
    if (algorithm == "bcube") options->setAlgorithm(::gloo::AllreduceOptions::Algorithm::BCUBE);
    if (!in_place_) options->setInput(in_, count_);
    options->setOutput(out_, count_);
    options->setReduceFunction(function_of<T>(plan_.problem.redop));
    return keeping(std::move(options),
                   [](const ::gloo::AllreduceOptions& given) { ::gloo::allreduce(given); });
  }

  [[nodiscard]] std::function<void()> halving_doubling() const {
    if (!in_place_) throw std::invalid_argument("Gloo's halving-doubling works in place");
    auto algorithm = std::make_shared<::gloo::AllreduceHalvingDoubling<T>>(
        context_, std::vector<T*>{out_}, older_count(count_, sizeof(T)),
        older_function_of<T>(plan_.problem.redop));
    return [algorithm = std::move(algorithm)] { algorithm->run(); };
  }

  // The result lies at the beginning of the operand.
  [[nodiscard]] std::function<void()> reduce_scatter() const {
    if (!in_place_) throw std::invalid_argument("Gloo's reduce-scatter works in place");
    const int each = older_count(blocks_, sizeof(T)) / plan_.problem.ranks;
    auto algorithm = std::make_shared<::gloo::ReduceScatterHalvingDoubling<T>>(
        context_, std::vector<T*>{in_}, each * plan_.problem.ranks,
        std::vector<int>(static_cast<std::size_t>(plan_.problem.ranks), each),
        older_function_of<T>(plan_.problem.redop));
    return [algorithm = std::move(algorithm)] { algorithm->run(); };
  }

  // Gloo reduces in all ranks, so those that get nothing have a place for it, too.
  [[nodiscard]] std::function<void()> reduce() const {
    auto options = std::make_shared<::gloo::ReduceOptions>(context_);
    auto scratch = std::make_shared<std::vector<T>>(is_root_ ? 0 : count_);
    if (!in_place_ || !is_root_) options->setInput(in_, count_);
    options->setOutput(is_root_ ? out_ : scratch->data(), count_);
    options->setRoot(plan_.problem.root);
    options->setReduceFunction(function_of<T>(plan_.problem.redop));
    return keeping(std::move(options),
                   [scratch = std::move(scratch)](::gloo::ReduceOptions& given) { ::gloo::reduce(given); });
  }

  [[nodiscard]] std::function<void()> broadcast() const {
    auto options = std::make_shared<::gloo::BroadcastOptions>(context_);
    if (is_root_ && !in_place_) options->setInput(in_, count_);
    options->setOutput(out_, count_);
    options->setRoot(plan_.problem.root);
    return keeping(std::move(options), [](::gloo::BroadcastOptions& given) { ::gloo::broadcast(given); });
  }

  [[nodiscard]] std::function<void()> all_gather() const {
    auto options = std::make_shared<::gloo::AllgatherOptions>(context_);
    if (!in_place_) options->setInput(in_, count_);
    options->setOutput(out_, blocks_);
    return keeping(std::move(options), [](::gloo::AllgatherOptions& given) { ::gloo::allgather(given); });
  }

  [[nodiscard]] std::function<void()> gather() const {
    auto options = std::make_shared<::gloo::GatherOptions>(context_);
    options->setInput(in_, count_);
    if (is_root_) options->setOutput(out_, blocks_);
    options->setRoot(plan_.problem.root);
    return keeping(std::move(options), [](::gloo::GatherOptions& given) { ::gloo::gather(given); });
  }

  [[nodiscard]] std::function<void()> scatter() const {
    auto options = std::make_shared<::gloo::ScatterOptions>(context_);
    if (is_root_) {
      std::vector<T*> blocks;
      blocks.reserve(static_cast<std::size_t>(plan_.problem.ranks));
      for (int rank = 0; rank < plan_.problem.ranks; ++rank)
        blocks.push_back(in_ + static_cast<std::size_t>(rank) * count_);
      options->setInputs(blocks, count_);
    }
    options->setOutput(out_, count_);
    options->setRoot(plan_.problem.root);
    return keeping(std::move(options), [](::gloo::ScatterOptions& given) { ::gloo::scatter(given); });
  }

  [[nodiscard]] std::function<void()> all_to_all() const {
    if (in_place_) throw std::invalid_argument("Gloo has no all-to-all in place");
    auto options = std::make_shared<::gloo::AlltoallOptions>(context_);
    options->setInput(in_, blocks_);
    options->setOutput(out_, blocks_);
    return keeping(std::move(options), [](::gloo::AlltoallOptions& given) { ::gloo::alltoall(given); });
  }

  [[nodiscard]] std::function<void()> send_recv() const {
    // Beside the slots that Gloo's own calls build, whose upper bits say which call it is.
    constexpr std::uint64_t kSlot = 1;
    const std::size_t bytes = count_ * sizeof(T);
    std::shared_ptr<::gloo::transport::UnboundBuffer> given = context_->createUnboundBuffer(in_, bytes);
    std::shared_ptr<::gloo::transport::UnboundBuffer> gotten = context_->createUnboundBuffer(out_, bytes);
    return [given, gotten, to = plan_.to, from = plan_.from] {
      gotten->recv(from, kSlot);
      given->send(to, kSlot);
      gotten->waitRecv();
      given->waitSend();
    };
  }

  [[nodiscard]] std::function<void()> barrier() const {
    return keeping(std::make_shared<::gloo::BarrierOptions>(context_),
                   [](::gloo::BarrierOptions& given) { ::gloo::barrier(given); });
  }

  const std::shared_ptr<::gloo::Context>& context_;
  const Plan& plan_;
  std::size_t count_, blocks_;
  T* in_;
  T* out_;
  bool in_place_, is_root_;
};

}  // namespace pibench::collective::gloo
