#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/ast.h"

namespace coppice::cel {

// Resolves names to slots and functions. Slots [0, variables) are the variables, those above belong
// to comprehensions and bindings.
class Compiler {
 public:
  Compiler(std::string_view source, const std::vector<std::string>& variables)
      : source_(source), scope_(variables), variables_(variables.size()) {}

  base::Status Resolve(Node& node);

  // How many slots evaluation needs.
  size_t slots() const { return slots_; }
  const std::vector<std::string>& used() const { return used_; }

 private:
  base::Error Fail(const Node& node, std::string_view problem) const;
  base::Status ResolveChildren(Node& node);
  base::Status ResolveVariable(Node& node);
  base::Status ResolveCall(Node& node);
  base::Status ResolveScoped(Node& node);
  base::Status CompileRegex(Node& node) const;
  bool InScope(std::string_view name) const;

  std::string_view source_;
  std::vector<std::string> scope_;
  std::vector<std::string> used_;
  size_t variables_;
  size_t slots_ = 0;
};

}  // namespace coppice::cel
