#pragma once

#include <string>

namespace coppice::cli {

struct DemoOptions {
  bool exit = false;                              // Exit instead of waiting for Ctrl-C.
  std::string kubeconfig = "coppice.kubeconfig";  // Written while it waits for Ctrl-C.
};

// Runs the whole product on this machine with simulated nodes. Shows a disaggregated inference set
// placed on racks, a training gang reclaiming its quota, and an impossible gang with its reason.
// Returns 0 if all three happened.
int RunDemo(const DemoOptions& options);

}  // namespace coppice::cli
