#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::services::grouper {

// A jq expression: paths, pipes, alternatives, comparisons, arithmetic, conditions and the
// functions that inspect values. Parse rejects loops and changes of the input (del, range, paths,
// recurse, walk, repeat, .., assignments); Evaluate fails with kInvalidArgument if an expression
// exceeds a fixed amount of work and memory. Immutable and thread-safe.
//
//   COPPICE_ASSIGN(const Jq path, Jq::Parse(".spec.replicas // 1"));
//   COPPICE_ASSIGN(const std::vector<json::Value> values, path.Evaluate(object));
class Jq {
 public:
  struct Node;

  static base::Result<Jq> Parse(std::string_view text);
  // All outputs, in order.
  base::Result<std::vector<json::Value>> Evaluate(const json::Value& input) const;

 private:
  explicit Jq(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace coppice::services::grouper
