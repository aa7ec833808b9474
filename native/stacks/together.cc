// The files of this folder, compiled as one: each by itself would make the same templates of the standard
// library once more, which is half of what they take to compile. A name in an unnamed namespace is therefore
// one of the whole folder. The linter looks at this, and at each by itself in check:long.
// library_threads.cc is for products of our own as well, and is compiled where those are (../together.cc).
#include "cblas.cc"
#include "gemm_provider.cc"
#include "hosted.cc"
#include "libxsmm.cc"
#include "mkl.cc"
#include "onednn.cc"
#include "shared_library.cc"
#include "thread_count.cc"
