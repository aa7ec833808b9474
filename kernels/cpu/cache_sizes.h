// How large this machine's data caches are.
#pragma once

#include <cstdint>

namespace pibench::kernels {

struct CacheSizes {
  // Bytes; l1 and l2 of one core, l3 as shared. A level that does not exist equals the one below.
  std::int64_t l1, l2, l3;
};

// Asked of the system once. Where it does not say, sizes that most server cores have or exceed.
const CacheSizes& cache_sizes();

}  // namespace pibench::kernels
