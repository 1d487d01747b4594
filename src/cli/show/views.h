#pragma once

#include <string>

#include "cli/common/connect.h"
#include "cli/common/output.h"

// Commands that show a cluster's state. Each returns the process's exit code.
namespace coppice::cli {

struct TreeOptions {
  ClusterFlags cluster;
  std::string ns;    // "" shows all namespaces.
  std::string name;  // "" shows everything.
  Format format = Format::kText;
};
int RunTree(const TreeOptions& options);

struct QueuesOptions {
  ClusterFlags cluster;
  Format format = Format::kText;
};
int RunQueues(const QueuesOptions& options);

// Prints a document in the given format; `text` formats it for humans.
void Print(const json::Value& document, Format format,
           const std::function<std::string(const json::Value&)>& text);
// Prints the error and returns the exit code of a failure.
int Fail(const base::Error& error);

}  // namespace coppice::cli
