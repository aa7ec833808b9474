# Compiles standard.h with exactly the flags of those who include it, as node-gyp wrote them down, for otherwise it would not be
# used. Where it cannot be, nothing is lost but time: the header itself is found behind it.
#   make -f native/precompiled/rules.mk FOR=... OUT=... BUILDTYPE=... precompiled    in the package's root, for that target of
#   binding.gyp
srcdir := .
include build/$(FOR).target.mk

FLAGS := $(DEFS_$(BUILDTYPE)) $(CFLAGS_$(BUILDTYPE)) $(filter-out -include standard.h,$(CFLAGS_CC_$(BUILDTYPE)))

.PHONY: precompiled
precompiled:
	-$(CXX) $(CPPFLAGS) $(FLAGS) $(CXXFLAGS) -w -x c++-header native/precompiled/standard.h -o $(OUT)
