# Compiles standard.h with exactly the flags of those who include it, as node-gyp wrote them down, for otherwise it would not be
# used. Where it cannot be, nothing is lost but time: the header itself is found behind it.
#   make -f native/precompiled/rules.mk OUT=... BUILDTYPE=... precompiled    in the package's root, for binding.gyp
srcdir := .
include build/pibench_core.target.mk

FLAGS := $(DEFS_$(BUILDTYPE)) $(CFLAGS_$(BUILDTYPE)) $(filter-out -include standard.h,$(CFLAGS_CC_$(BUILDTYPE)))

.PHONY: precompiled
precompiled:
	-$(CXX) $(CPPFLAGS) $(FLAGS) $(CXXFLAGS) -w -x c++-header native/precompiled/standard.h -o $(OUT)
