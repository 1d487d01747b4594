#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/common/resource_words.h"
#include "cli/common/view_flags.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

struct TreeQuery {
  std::string ns;        // "": all namespaces.
  std::string name;      // "", or a NAME or KIND/NAME (ParseNamedObject).
  std::string selector;  // -l: sets with these labels, and workloads with pods that have them.
};

// What runs where: sets, their gangs, the cliques of each gang and the pods with their nodes; then
// the other workloads: Jobs, Deployments and whatever else owns pods, PodGroups and pods that
// nobody owns. A name reduces it to what is called so: a set, a gang, a clique, a workload or a
// pod. docs/cli.md has the document.
base::Result<json::Value> ReadTree(kube::Client& client, const TreeQuery& query);

// Reduces a tree to what is called so.
void NarrowTree(const NamedObject& named, json::Value& tree);

// The same as text for humans: pods that are Ready only as a number, except with -o wide.
std::string FormatTree(const json::Value& tree, const TextOptions& options = {});

}  // namespace coppice::cli
