#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client/client.h"

namespace coppice::cli {

// What may follow on a command line, read from the cluster: `words` are the words after the
// program's name, the last of which is being completed. "why" is followed by "job/train" and the
// like, "queue hold" by queues, and -n by namespaces. Prints one per line; nothing if the cluster
// does not answer, because a shell is waiting.
int RunCompletionNames(const std::vector<std::string>& words);

// The same on an existing client.
std::vector<std::string> ListCompletions(kube::Client& client, const std::string& ns,
                                         const std::vector<std::string>& words);

}  // namespace coppice::cli
