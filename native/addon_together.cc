// Two of the files that know Node-API, compiled as one: most of what each takes by itself is reading
// node-addon-api. addon.cc is as large as both, and compiled beside them. The linter looks at this, and at
// each by itself in check:long.
#include "addon_hosted.cc"
#include "addon_mpi.cc"
