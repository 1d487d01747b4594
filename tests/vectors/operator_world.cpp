// The operator's test world belongs to its own test program; the runner of recorded cases borrows
// it.
#include "operator/admission_plugin_testing.cpp"
#include "operator/resources_testing.cpp"
#include "operator/world_testing.cpp"
