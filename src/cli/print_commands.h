#pragma once

namespace coppice::cli {

// Prints the CustomResourceDefinitions of every kind of ours, ready for kubectl apply.
int RunCrds();
int RunVersion();

}  // namespace coppice::cli
