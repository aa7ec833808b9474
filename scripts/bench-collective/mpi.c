// all-reduce (float32, sum) of an MPI library for `bench-collective.mjs`: mpi BYTES SECONDS. Each iteration as pi-bench's
// own: new inputs, a barrier, the call between two readings of the clock; its time is that of the slowest rank. Prints
// one line of JSON on rank 0: the library, its level of threads, the median in seconds, the number of iterations and of
// wrong elements.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kPattern = 1021, kMost = 20000, kWarm = 50, kPage = 4096 };

static double seconds_now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static float value(int rank, size_t index, int iteration) {
  return (float)((index + (size_t)rank * 389 + (size_t)iteration % kPattern * 613) % kPattern);
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int count_of_arguments, char** arguments) {
  if (count_of_arguments != 3) return 64;
  MPI_Init(&count_of_arguments, &arguments);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t bytes = strtoull(arguments[1], NULL, 10);
  const double budget = strtod(arguments[2], NULL);
  const size_t count = bytes / sizeof(float);
  // At pages, as pi-bench's operands and OSU's are: some libraries copy from there faster.
  const size_t whole = (bytes / kPage + 1) * kPage;
  float* const input = aligned_alloc(kPage, whole);
  float* const output = aligned_alloc(kPage, whole);
  // The pattern twice over, so that a place in it is followed by a whole one.
  float pattern[2 * kPattern];
  for (size_t i = 0; i < 2 * kPattern; ++i) pattern[i] = value(0, i, 0);
  double* const times = malloc(kMost * sizeof(double));
  if (input == NULL || output == NULL || times == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(output, 0xff, bytes);

  long wrong = 0;
  int taken = 0;
  const double begin = seconds_now();
  for (int iteration = 0, go = 1; go; ++iteration) {
    const size_t place = ((size_t)rank * 389 + (size_t)iteration % kPattern * 613) % kPattern;
    for (size_t done = 0; done < count; done += kPattern)
      memcpy(input + done, pattern + place, (count - done < kPattern ? count - done : kPattern) * sizeof(float));
    MPI_Barrier(MPI_COMM_WORLD);
    const double entry = seconds_now();
    MPI_Allreduce(input, output, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    times[taken] = seconds_now() - entry;
    const size_t places[3] = {0, count / 2, count - 1};
    for (int i = 0; i < 3; ++i) {
      float sum = 0;
      for (int r = 0; r < size; ++r) sum += value(r, places[i], iteration);
      if (output[places[i]] != sum) ++wrong;
    }
    // Clocks differ: rank 0 says for all whether the iteration counts, and whether there is another.
    int says[2] = {iteration >= kWarm || seconds_now() - begin > budget, 1};
    if (rank == 0) says[1] = taken + says[0] < kMost && (taken + says[0] < 5 || seconds_now() - begin < budget);
    MPI_Bcast(says, 2, MPI_INT, 0, MPI_COMM_WORLD);
    taken += says[0];
    go = says[1];
  }

  // The slowest rank's, of each iteration.
  MPI_Allreduce(MPI_IN_PLACE, times, taken, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    int threads = 0;
    MPI_Query_thread(&threads);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0';
    for (char* at = version; *at != '\0'; ++at) {
      if (*at == '\t' || *at == '"') *at = ' ';
    }
    qsort(times, (size_t)taken, sizeof(double), ascending);
    printf("{\"library\": \"%s\", \"threads\": %d, \"ranks\": %d, ", version, threads, size);
    printf("\"median\": %.9g, \"iterations\": %d, \"wrong\": %ld}\n", times[taken / 2], taken, wrong);
  }
  free(times);
  free(output);
  free(input);
  MPI_Finalize();
  return 0;
}
