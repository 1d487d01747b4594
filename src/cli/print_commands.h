#pragma once

#include <string>

#include "cli/install_crds.h"

namespace coppice::cli {

// Prints the CustomResourceDefinitions of all our kinds, ready for kubectl apply.
int RunCrds(const CrdChoice& choice);
std::string VersionText();
int RunVersion();
// Copies the data of a stopped `coppice up --data DIR` into one file.
int RunBackup(const std::string& data_dir, const std::string& file);

}  // namespace coppice::cli
