// Of the files that know Node-API those that the part built first does without, compiled as one: most of what
// each takes by itself is reading node-addon-api. The linter looks at each by itself, not at this.
#include "addon.cc"
#include "addon_hosted.cc"
#include "addon_mpi.cc"
