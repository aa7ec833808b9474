# Builds native/ and kernels/cpu into one addon that needs nothing but libc, libstdc++ and libdl.
{
  "target_defaults": {
    "cflags": ["-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"],
    "cflags_cc!": ["-fno-exceptions", "-fno-rtti", "-std=gnu++17", "-std=gnu++1y", "-std=gnu++20"],
    "cflags_cc": ["-std=c++20", "-fexceptions", "-frtti"]
  },
  "targets": [
    {
      # Half of what compiling these takes is reading the standard library.
      "target_name": "precompiled",
      "type": "none",
      "actions": [
        {
          "action_name": "precompile",
          "inputs": ["native/precompiled/standard.h", "native/precompiled/rules.mk"],
          "outputs": ["<(SHARED_INTERMEDIATE_DIR)/standard.h.gch"],
          "action": ["$(MAKE)", "-f", "native/precompiled/rules.mk", "BUILDTYPE=$(BUILDTYPE)", "CXX=$(CXX.target)", "OUT=<(SHARED_INTERMEDIATE_DIR)/standard.h.gch", "precompiled"]
        }
      ]
    },
    {
      # Without which nothing is measured on CPUs. It does not know Node-API, and so is compiled before any dependency is there.
      "target_name": "pibench_core",
      "type": "static_library",
      "dependencies": ["precompiled"],
      "cflags": ["-fPIC"],
      # Not for addonSources(): who asks it has no such file. What differs between targets is a name that nothing here reads.
      "configurations": {
        "Release": {
          "include_dirs": ["<(SHARED_INTERMEDIATE_DIR)", "native/precompiled"],
          "cflags_cc": ["-UNODE_GYP_MODULE_NAME", "-include", "standard.h"]
        }
      },
      "sources": [
        "native/matmul/matmul_workload.cc",
        "native/together.cc",
        "native/inspection.cc",
        "native/threads/affinity.cc",
        "native/threads/preemption.cc",
        "native/threads/team.cc",
        "kernels/cpu/cache_sizes.cc",
        "kernels/cpu/cpu_features.cc",
        "kernels/cpu/data_type_name.cc",
        "kernels/cpu/gemm/blocking.cc",
        "kernels/cpu/gemm/dispatch.cc",
        "kernels/cpu/gemm/joining.cc",
        "kernels/cpu/gemm/loop_nest.cc",
        "kernels/cpu/gemm/packing.cc",
        "kernels/cpu/gemm/partition.cc",
        "kernels/cpu/gemm/strategy.cc",
        "kernels/cpu/gemm/swapped.cc",
        "kernels/cpu/gemm/thin.cc",
        "kernels/cpu/gemm/thin_rules.cc",
        "kernels/cpu/memory/dispatch.cc",
        "kernels/cpu/memory/portable.cc"
      ]
    },
    {
      # The rest of what does not know Node-API, compiled with the same flags: what is precompiled fits no others.
      "target_name": "pibench_more",
      "type": "static_library",
      "dependencies": ["precompiled"],
      "cflags": ["-fPIC"],
      "configurations": {
        "Release": {
          "include_dirs": ["<(SHARED_INTERMEDIATE_DIR)", "native/precompiled"],
          "cflags_cc": ["-UNODE_GYP_MODULE_NAME", "-include", "standard.h"]
        }
      },
      "sources": [
        "native/cuda/together.cc",
        "native/more_together.cc",
        "native/collective/together.cc",
        "native/collective/mpi/together.cc",
        "native/stacks/together.cc",
        "kernels/cpu/collective/dispatch.cc",
        "kernels/cpu/collective/portable.cc",
        "kernels/cpu/gemm/compiled_sets.cc",
        "kernels/cpu/gemm/portable.cc",
        "kernels/cpu/memory/compiled_tables.cc"
      ]
    },
    {
      # What both addons know of Node-API. It computes nothing, so it is not optimised as what does.
      "target_name": "pibench_inspection",
      "type": "static_library",
      "cflags": ["-fPIC"],
      "configurations": { "Release": { "cflags!": ["-O3"], "cflags": ["-O1"] } },
      "sources": ["native/addon_inspection.cc"],
      "include_dirs": ["<!(node -p \"try { require('node-addon-api').include_dir } catch { 'node_modules/node-addon-api' }\")"],
      "defines": ["NAPI_VERSION=8", "NODE_ADDON_API_CPP_EXCEPTIONS", "NODE_ADDON_API_DISABLE_DEPRECATED"]
    },
    {
      "target_name": "pibench",
      "sources": ["native/addon_together.cc"],
      "include_dirs": ["<!(node -p \"try { require('node-addon-api').include_dir } catch { 'node_modules/node-addon-api' }\")"],
      "defines": ["NAPI_VERSION=8", "NODE_ADDON_API_CPP_EXCEPTIONS", "NODE_ADDON_API_DISABLE_DEPRECATED"],
      "libraries": ["-ldl", "-lpthread"],
      "dependencies": ["pibench_core", "pibench_more", "pibench_inspection"],
      "conditions": [
        ["target_arch=='x64'", {
          "dependencies": [
            "gemm_portable_v3", "gemm_avx2", "gemm_avx2_float64", "gemm_avx2_int8", "gemm_avx512", "gemm_avx512_float64", "gemm_avx512_bf16", "gemm_avx512_vnni",
            "gemm_amx_bf16", "gemm_amx_int8", "memory_avx2", "memory_avx512", "collective_avx2", "collective_avx512"
          ]
        }],
        ["target_arch=='arm64'", { "dependencies": ["gemm_neon", "gemm_neon_dotprod", "gemm_neon_i8mm", "gemm_neon_bf16"] }]
      ]
    }
  ],
  "conditions": [
    ["target_arch=='x64'", {
      "targets": [
        {
          "target_name": "gemm_portable_v3",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/portable_v3.cc"],
          "cflags": ["-fPIC", "-mavx2", "-mfma"]
        },
        {
          "target_name": "gemm_avx2",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/avx2.cc"],
          "cflags": ["-fPIC", "-mavx2", "-mfma"]
        },
        {
          "target_name": "gemm_avx2_float64",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/avx2_float64.cc"],
          "cflags": ["-fPIC", "-mavx2", "-mfma"]
        },
        {
          "target_name": "gemm_avx2_int8",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/avx2_int8.cc"],
          "cflags": ["-fPIC", "-mavx2", "-mfma"]
        },
        {
          # GCC 12's own AVX-512 headers trip over these warnings (GCC bug 105593). Tuned for no CPU it keeps addresses in vector
          # registers, whose way back waits behind the multiplications: 64 rows and columns 1.005 to 1.01 on Zen 4.
          "target_name": "gemm_avx512",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/avx512.cc"],
          "cflags": ["-fPIC", "-mtune=icelake-server", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mfma", "-Wno-maybe-uninitialized", "-Wno-uninitialized"]
        },
        {
          "target_name": "gemm_avx512_float64",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/avx512_float64.cc"],
          "cflags": ["-fPIC", "-mtune=icelake-server", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mfma", "-Wno-maybe-uninitialized", "-Wno-uninitialized"]
        },
        {
          "target_name": "gemm_avx512_bf16",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/avx512_bf16.cc"],
          "cflags": ["-fPIC", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512bf16", "-Wno-maybe-uninitialized", "-Wno-uninitialized"]
        },
        {
          "target_name": "gemm_avx512_vnni",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/avx512_vnni.cc"],
          "cflags": ["-fPIC", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni", "-Wno-maybe-uninitialized", "-Wno-uninitialized"]
        },
        {
          "target_name": "gemm_amx_bf16",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/amx_bf16.cc"],
          "cflags": ["-fPIC", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mamx-tile", "-mamx-bf16", "-Wno-maybe-uninitialized", "-Wno-uninitialized"]
        },
        {
          "target_name": "gemm_amx_int8",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/amx_int8.cc"],
          "cflags": ["-fPIC", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mamx-tile", "-mamx-int8", "-Wno-maybe-uninitialized", "-Wno-uninitialized"]
        },
        {
          "target_name": "collective_avx2",
          "type": "static_library",
          "sources": ["kernels/cpu/collective/avx2.cc"],
          "cflags": ["-fPIC", "-mavx2"]
        },
        {
          "target_name": "collective_avx512",
          "type": "static_library",
          "sources": ["kernels/cpu/collective/avx512.cc"],
          "cflags": ["-fPIC", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-Wno-maybe-uninitialized", "-Wno-uninitialized"]
        },
        {
          "target_name": "memory_avx2",
          "type": "static_library",
          "sources": ["kernels/cpu/memory/avx2.cc"],
          "cflags": ["-fPIC", "-mavx2"]
        },
        {
          "target_name": "memory_avx512",
          "type": "static_library",
          "sources": ["kernels/cpu/memory/avx512.cc"],
          "cflags": ["-fPIC", "-mavx512f"]
        },
        {
          # What the first command needs (scripts/lib/needed-part.mjs), as an addon of its own that is there sooner: of the kernels, those
          # that are the best of the CPU.
          "target_name": "pibench_first_avx512",
          "sources": ["native/first/addon_first.cc", "native/first/parts.cc", "native/first/sets_avx512.cc"],
          "defines": ["NAPI_VERSION=8"],
          "libraries": ["-ldl", "-lpthread"],
          "dependencies": ["gemm_avx512", "pibench_core", "memory_avx2", "memory_avx512", "pibench_inspection"]
        },
        {
          "target_name": "pibench_first_avx2",
          "sources": ["native/first/addon_first.cc", "native/first/parts.cc", "native/first/sets_avx2.cc"],
          "defines": ["NAPI_VERSION=8"],
          "libraries": ["-ldl", "-lpthread"],
          "dependencies": ["gemm_avx2", "pibench_core", "memory_avx2", "pibench_inspection"]
        }
      ]
    }],
    ["target_arch=='arm64'", {
      "targets": [
        {
          "target_name": "gemm_neon",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/neon.cc", "kernels/cpu/gemm/neon_packing.cc"],
          "cflags": ["-fPIC"]
        },
        {
          "target_name": "gemm_neon_dotprod",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/neon_dotprod.cc"],
          "cflags": ["-fPIC", "-march=armv8.2-a+dotprod"]
        },
        {
          "target_name": "gemm_neon_i8mm",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/neon_i8mm.cc"],
          "cflags": ["-fPIC", "-march=armv8.2-a+i8mm"]
        },
        {
          "target_name": "gemm_neon_bf16",
          "type": "static_library",
          "sources": ["kernels/cpu/gemm/neon_bf16.cc"],
          "cflags": ["-fPIC", "-march=armv8.2-a+bf16"]
        }
      ]
    }]
  ]
}
