#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cel/values/value.h"

namespace re2 {
class RE2;
}

namespace coppice::cel {

struct Function;

enum class NodeKind {
  kLiteral,
  kVariable,  // Until compiled: an identifier.
  kSelect,    // child.text; optional: child.?text
  kHas,       // has(child.text)
  kIndex,     // child[child]; optional: child[?child]
  kCall,      // A function; target first where `member`.
  kAnd,       // Of all children.
  kOr,
  kConditional,  // child ? child : child
  kList,         // `optional_items` marks those that are [?x].
  kMap,          // Keys and values alternate.
  kAll,          // Comprehensions: the range, then predicate and, for map, the result.
  kExists,
  kExistsOne,
  kFilter,
  kMapTo,
  kTransformMap,
  kBind,    // cel.bind(name, child, child)
  kOptMap,  // child.optMap(name, child)
  kOptFlatMap,
};

struct Node {
  NodeKind kind = NodeKind::kLiteral;
  std::string text;  // Field, identifier or function.
  Value literal;
  bool member = false;  // A call on its first child.
  bool optional = false;
  std::vector<bool> optional_items;
  std::vector<std::string> names;  // What a comprehension or binding introduces.
  std::vector<std::unique_ptr<Node>> children;
  size_t offset = 0;  // Where in the source.
  size_t depth = 1;   // Of the tree below.

  // Filled in by the compiler.
  size_t slot = 0;
  const Function* function = nullptr;
  std::shared_ptr<const re2::RE2> regex;  // Of matches() with a literal pattern.
};

using NodePtr = std::unique_ptr<Node>;

}  // namespace coppice::cel
