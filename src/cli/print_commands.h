#pragma once

#include <string>

#include "cli/install_crds.h"
#include "cli/text/output.h"

namespace coppice::cli {

// Prints the CustomResourceDefinitions of all our kinds, as YAML documents that kubectl applies, or
// as a list in JSON.
int RunCrds(const CrdChoice& choice, Format format);
std::string VersionText();
int RunVersion();
// Copies the data of a stopped `coppice up --data DIR` into one file.
int RunBackup(const std::string& data_dir, const std::string& file);

}  // namespace coppice::cli
