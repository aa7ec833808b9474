// How large this machine's data caches are.
#pragma once

#include <cstdint>

namespace pibench::kernels {

struct CacheSizes {
  // Bytes; l1 and l2 of one core, l3 as shared. A level that does not exist equals the one below.
  std::int64_t l1, l2, l3;
};

// How many last caches the machine's CPUs have between them, as far as the system lists them; where it lists
// no caches at all, one for each eight CPUs. At least 1. Asked of the system once.
int last_caches();

// Asked of the system once. Where it does not say, sizes that most server cores have or exceed.
const CacheSizes& cache_sizes();

}  // namespace pibench::kernels
