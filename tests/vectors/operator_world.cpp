// The operator's test world belongs to its own test program; the runner of recorded cases borrows
// it.
#include "operator/tests/rig/admission_plugin_testing.cpp"
#include "operator/tests/rig/resources_testing.cpp"
#include "operator/tests/rig/world_testing.cpp"
