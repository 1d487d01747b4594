#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/common/connect.h"
#include "cli/text/output.h"
#include "cli/text/terminal.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/executor/executor.h"

namespace coppice::cli {

// The flags of every command that shows a part of a cluster, with the meaning they have for
// kubectl.
struct ViewFlags {
  ClusterFlags cluster;
  std::string ns;               // "": the context's namespace.
  bool all_namespaces = false;  // -A.
  std::string selector;         // -l: only objects with these labels.
  bool watch = false;           // -w: again and again, until Ctrl-C.
  Format format = Format::kText;
};

// How a document is printed for a person.
struct TextOptions {
  Terminal terminal;
  bool wide = false;  // -o wide: nothing is left out or cut.
  base::Time now;     // For ages.

  size_t Width() const { return wide ? 0 : terminal.width; }
};

// What a command shows: how to read it, and how to print it.
struct Shown {
  // `ns` "" means all namespaces.
  std::function<base::Result<json::Value>(kube::Client& client, kube::Executor& executor,
                                          const std::string& ns)>
      read;
  std::function<std::string(const json::Value& document, const TextOptions& options)> text;
  // For -o name; null if the command shows nothing that has a name.
  std::function<std::vector<std::string>(const json::Value& document)> names;
};

// Connects, reads and prints; with -w again every two seconds if something changed. Returns the
// process's exit code.
int ShowView(const ViewFlags& flags, const Shown& shown);

// A document in the format that was asked for.
std::string FormatView(const json::Value& document, Format format, const Shown& shown,
                       const Terminal& terminal, base::Time now);

// The namespace that the flags mean; "" for all.
base::Result<std::string> NamespaceOf(const ViewFlags& flags, kube::Executor& executor);

}  // namespace coppice::cli
