// A matrix product and a collective on every rank, alone and together: how much of the communication hides
// behind the computation. On CPUs, or each rank on a GPU.
//
// A repetition makes three calls, in an order drawn anew: the collective alone, the product alone, and both
// at once. Its time is that of both at once, of the slowest rank: from when the first of the two began to
// when the later ended; parts() are the other times. On each rank the collective is executed by the rank's
// own thread, the product by other threads of that rank.
#pragma once

#include <functional>
#include <memory>

#include "../collective/collective_workload.h"
#include "../cuda/matmul_workload.h"
#include "../matmul/matmul_workload.h"
#include "../measure/workload.h"

namespace pibench::overlap {

// The product of a rank, made in the thread that will make its calls.
using MakeProduct = std::function<std::unique_ptr<Workload>(int rank)>;

struct Parameters {
  collective::Parameters collective;
  MakeProduct make_product;
  std::uint64_t seed = 0;  // of the order of calls
};

// `all.cpus` are those of all ranks, one rank after the other, or none.
MakeProduct products_on_cpus(const matmul::Parameters& all);
// Rank 0's is on the GPU that `first` names, the others' on those that follow.
MakeProduct products_on_gpus(const cuda::MatmulParameters& first);

// Must be constructed on the thread that will call run(): it is rank 0. Throws what `make_transport` throws.
std::unique_ptr<Workload> make_workload(
    const Parameters& parameters,
    const std::function<std::unique_ptr<collective::Transport>()>& make_transport);

}  // namespace pibench::overlap
