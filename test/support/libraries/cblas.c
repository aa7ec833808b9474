/* Libraries for tests, with the C interface of BLAS: a sound one, and each way to go wrong, chosen by a macro. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef ILP64
typedef int64_t integer;
#ifdef PREFIXED
#define GEMM scipy_cblas_sgemm64_
#else
#define GEMM cblas_sgemm64_
#endif
#else
typedef int integer;
#define GEMM cblas_sgemm
#endif

static void multiply(integer transpose_a, integer transpose_b, integer m, integer n, integer k, const float *a, integer lda,
                     const float *b, integer ldb, float *c, integer ldc) {
  for (integer i = 0; i < m; ++i) {
    for (integer j = 0; j < n; ++j) {
      double sum = 0;
      for (integer l = 0; l < k; ++l) {
        const float x = transpose_a == 112 ? a[l * lda + i] : a[i * lda + l];
        const float y = transpose_b == 112 ? b[j * ldb + l] : b[l * ldb + j];
        sum += (double)x * (double)y;
      }
      c[i * ldc + j] = (float)sum;
    }
  }
}

#ifdef RETURNS_EARLY
struct product {
  integer transpose_a, transpose_b, m, n, k, lda, ldb, ldc;
  const float *a, *b;
  float *c;
};
static void *later(void *raw) {
  const struct product *p = raw;
  /* Longer than it takes to look at the result, also where other work has the CPU meanwhile. */
  usleep(RETURNS_EARLY);
  multiply(p->transpose_a, p->transpose_b, p->m, p->n, p->k, p->a, p->lda, p->b, p->ldb, p->c, p->ldc);
  return NULL;
}
#endif

#ifdef AS_MKL
/* As MKL with a layer over GNU's OpenMP that was linked without it: found among what is loaded, or the end. */
void MKL_Get_Version_String(char *text, int size) { strncpy(text, "Math Kernel Library Version 0.0", (size_t)size); }
static void use_openmp(void) {
  if (dlsym(RTLD_DEFAULT, "omp_get_num_procs") == NULL) exit(127);
}
#endif

#ifdef KEEPS_A_THREAD
static void *rest(void *nothing) {
  for (;;) pause();
  return nothing;
}
#endif

#ifndef NO_SYMBOL
void GEMM(int order, int transpose_a, int transpose_b, integer m, integer n, integer k, float alpha, const float *a,
          integer lda, const float *b, integer ldb, float beta, float *c, integer ldc) {
  (void)order, (void)alpha, (void)beta;
#ifdef AS_MKL
  use_openmp();
#endif
#ifdef KEEPS_A_THREAD
  /* As libraries do that make their threads for their first product. */
  static pthread_t kept;
  static int calls_made;
  if (calls_made++ == 0) pthread_create(&kept, NULL, rest, NULL);
#endif
#ifdef WAITS_FOR
  /* After as many products as a test wants, for as long as it wants; a file beside tells that it does. */
  static int calls;
  if (++calls > WAITS_AFTER && access(WAITS_FOR, F_OK) != 0) {
    close(creat(WAITS_FOR ".awaited", 0600));
    /* Not for ever: the folder goes with the test. */
    while (access(WAITS_FOR, F_OK) != 0 && access(WAITS_FOR ".awaited", F_OK) == 0) usleep(5000);
  }
#endif
#ifdef SLEEPS
  sleep(SLEEPS);
#endif
#ifdef REMEMBERS
  /* Far faster than any CPU: it computes once, or once for each A that begins otherwise. */
  static float *known, first;
  const size_t bytes = (size_t)(m * n) * sizeof(float);
  if (known == NULL) known = malloc(bytes);
  if (first == 0 || (REMEMBERS && first != a[0])) {
    first = a[0];
    multiply(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, known, n);
  }
  memcpy(c, known, bytes);
#elif defined(CLEARS)
  /* Of zeroes the product needs no arithmetic. */
  memset((float *)(CLEARS ? b : a), 0, (size_t)(CLEARS ? n : m) * (size_t)k * sizeof(float));
  memset(c, 0, (size_t)(m * n) * sizeof(float));
#elif defined(RETURNS_EARLY)
  static pthread_t thread;
  static int runs;
  /* One at a time, each begun before the one before is done with. */
  if (runs++ > 0) pthread_join(thread, NULL);
  static struct product product;
  product = (struct product){transpose_a, transpose_b, m, n, k, lda, ldb, ldc, a, b, c};
  pthread_create(&thread, NULL, later, &product);
#else
  multiply(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, c, ldc);
#endif
#ifdef WRONG_ON
  /* A node whose arithmetic is broken: named as Slurm names it. */
  const char *node = getenv("SLURMD_NODENAME");
  if (node != NULL && strcmp(node, WRONG_ON) == 0) c[(m / 2) * ldc + n / 2] += 1;
#endif
#ifdef WRONG
  c[(m / 2) * ldc + n / 2] += 1;
#endif
}
#endif

#ifdef AS_OPENBLAS
/* By which OpenBLAS tells what it is. */
const char *openblas_get_config(void) { return "OpenBLAS 0.0.0 for tests"; }
#endif

#ifdef CRASHES
__attribute__((constructor)) static void load(void) { abort(); }
#endif

#ifdef TALKS_TO
/* To a file that it found open, whoever's that is. */
__attribute__((constructor)) static void load(void) {
  if (write(TALKS_TO, "x\n", 2) != 2) abort();
}
#endif

#ifdef DISOBEYS
void openblas_set_num_threads(int threads) { (void)threads; }
int openblas_get_num_threads(void) { return 7; }
#endif
