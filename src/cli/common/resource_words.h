#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "base/result.h"

namespace coppice::cli {

// A kind of object in the words of the command line.
struct ResourceWord {
  std::string_view name;        // Ours: "set".
  std::string_view short_name;  // kubectl's: "pcs"; "" if it has none.
  const api::Resource& resource;
};

std::span<const ResourceWord> ResourceWords();

// The kind that a word means, as kubectl takes it: our word, the short name, singular or plural,
// perhaps with the group ("deployment.apps"). Null if there is none.
const ResourceWord* FindResourceWord(std::string_view word);

// An object that a user named: "train", "job/train".
struct NamedObject {
  const ResourceWord* kind = nullptr;  // Null: of any kind.
  std::string other_kind;              // The word before the slash, if it is none of ours.
  std::string name;
};
base::Result<NamedObject> ParseNamedObject(std::string_view text);

// The arguments of a command as one target: "job/train", or "job train" as kubectl takes it. "" if
// there are none.
base::Result<std::string> JoinTarget(const std::vector<std::string>& words);

// "job/train": how commands print an object, and how they take it.
std::string ResourceName(const api::Resource& resource, std::string_view name);

}  // namespace coppice::cli
