// The operator's test world belongs to its own test program; the runner of recorded cases borrows
// it.
#include "operator/tests/admission_plugin_testing.cpp"
#include "operator/tests/resources_testing.cpp"
#include "operator/tests/world_testing.cpp"
