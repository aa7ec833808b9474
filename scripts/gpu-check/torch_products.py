"""Rates of PyTorch's products, for the table beside ours: medians of CUDA events around single calls, random operands.

Warmed up and measured for as long as ours are, because a GPU that reaches its power limit is fast at first.
Prints a JSON object: {"version": ..., "how": ..., "rates": {"bfloat16 8192": operations per second, ...}}.
"""

import json
import sys
import time

import torch

WARM_UP_SECONDS = 1.0
MEASURED_SECONDS = 0.5


def median_seconds(multiply):
    began = time.perf_counter()
    calls = 0
    while time.perf_counter() - began < WARM_UP_SECONDS:
        for _ in range(10):
            multiply()
        torch.cuda.synchronize()
        calls += 10
    repetitions = max(10, int(calls * MEASURED_SECONDS / (time.perf_counter() - began)))
    events = []
    for _ in range(repetitions):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        multiply()
        end.record()
        events.append((begin, end))
    torch.cuda.synchronize()
    times = sorted(begin.elapsed_time(end) * 1e-3 for begin, end in events)
    return times[len(times) // 2]


def operand(size, dtype):
    # Drawn with all bits that the type has: float64 made of float32 ends in zeros, which takes less power and is faster.
    drawn = torch.float64 if dtype == torch.float64 else torch.float32
    return (torch.rand(size, size, device="cuda", dtype=drawn) * 2 - 1).to(dtype)


def rate(name, size):
    tf32 = name == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = tf32
    dtype = torch.float32 if tf32 else getattr(torch, name)
    a, b = (operand(size, dtype) for _ in range(2))
    c = torch.empty(size, size, device="cuda", dtype=dtype)
    return 2 * size**3 / median_seconds(lambda: torch.matmul(a, b, out=c))


rates = {}
for asked in sys.argv[1:]:
    name, size = asked.split(":")
    try:
        rates[f"{name} {size}"] = rate(name, int(size))
    except (RuntimeError, AttributeError) as error:
        rates[f"{name} {size}"] = None
        print(f"{asked}: {error}", file=sys.stderr)
how = f"each type by itself, {MEASURED_SECONDS} s after a warm-up of {WARM_UP_SECONDS} s; 16-bit operands give 16-bit results"
print(json.dumps({"version": torch.__version__, "how": how, "rates": rates}))
