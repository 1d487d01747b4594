#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace coppice::cli {

// The completions after a command's name.
struct CommandShape {
  struct Flag {
    std::string name;  // "--nodes".
    std::string about;
    bool takes_value = false;
  };
  std::string name;
  std::string about;
  std::vector<Flag> flags;
  std::vector<std::string> words;  // Known arguments, e.g. components.
  // Whether it takes objects of the cluster, which the program then lists itself
  // (completion_names.h).
  bool takes_objects = false;
};

// The completion script of a shell: bash, zsh or fish.
base::Result<std::string> CompletionScript(std::string_view shell,
                                           const std::vector<CommandShape>& commands);

}  // namespace coppice::cli
