#pragma once

#include <memory>
#include <string>
#include <vector>

#include "services/grouper/karta/jq.h"

namespace coppice::services::grouper {

// One expression of the tree that Jq::Parse makes.
struct Jq::Node {
  enum class Kind {
    kIdentity,
    kField,    // text: the name; children[0]: of what.
    kIndex,    // children[0][children[1]].
    kIterate,  // children[0][].
    kLiteral,  // value.
    kArray,    // All outputs of children[0].
    kPipe,
    kComma,
    kAlternative,
    kAnd,
    kOr,
    kBinary,  // text: the operator.
    kNegate,
    kOptional,  // children[0], errors left out.
    kIf,        // Condition, then, else.
    kCall,      // text: the function.
  };
  Kind kind = Kind::kIdentity;
  std::string text;
  json::Value value;
  std::vector<std::shared_ptr<const Node>> children;
};

}  // namespace coppice::services::grouper
