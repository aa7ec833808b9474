// Of the files that know Node-API those that the part built first does without, compiled as one: most of what
// each takes by itself is reading node-addon-api. The linter looks at this, and at each by itself in
// check:long.
#include "addon.cc"
#include "addon_hosted.cc"
#include "addon_mpi.cc"
