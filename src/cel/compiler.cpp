#include "cel/compiler.h"

#include <fmt/format.h>

#include <algorithm>

#include "cel/lexer.h"
#include "cel/values/function.h"
#include "cel/values/regex.h"

namespace coppice::cel {
namespace {

constexpr std::string_view kTypes[] = {"bool",  "int",  "uint", "double",    "string",
                                       "bytes", "list", "map",  "null_type", "type"};

bool IsScoped(NodeKind kind) {
  switch (kind) {
    case NodeKind::kAll:
    case NodeKind::kExists:
    case NodeKind::kExistsOne:
    case NodeKind::kFilter:
    case NodeKind::kMapTo:
    case NodeKind::kTransformMap:
    case NodeKind::kBind:
    case NodeKind::kOptMap:
    case NodeKind::kOptFlatMap:
      return true;
    default:
      return false;
  }
}

}  // namespace

base::Error Compiler::Fail(const Node& node, std::string_view problem) const {
  return base::InvalidArgument(fmt::format("{}: {}", PlaceOf(source_, node.offset), problem));
}

bool Compiler::InScope(std::string_view name) const {
  return std::ranges::find(scope_, name) != scope_.end();
}

base::Status Compiler::Resolve(Node& node) {
  slots_ = std::max(slots_, scope_.size());
  if (node.kind == NodeKind::kVariable) return ResolveVariable(node);
  if (node.kind == NodeKind::kCall) return ResolveCall(node);
  if (IsScoped(node.kind)) return ResolveScoped(node);
  return ResolveChildren(node);
}

base::Status Compiler::ResolveChildren(Node& node) {
  for (const NodePtr& child : node.children) COPPICE_TRY(Resolve(*child));
  return {};
}

base::Status Compiler::ResolveVariable(Node& node) {
  // The innermost name wins.
  const auto found = std::find(scope_.rbegin(), scope_.rend(), node.text);
  if (found != scope_.rend()) {
    node.slot = static_cast<size_t>(scope_.rend() - found) - 1;
    if (node.slot < variables_ && std::ranges::find(used_, node.text) == used_.end()) {
      used_.push_back(node.text);
    }
    return {};
  }
  if (std::ranges::find(kTypes, node.text) != std::end(kTypes)) {
    node.kind = NodeKind::kLiteral;
    node.literal = Value(Value::Type{node.text});
    return {};
  }
  return Fail(node, fmt::format("undeclared reference to '{}' (in container '')", node.text));
}

base::Status Compiler::ResolveCall(Node& node) {
  // `optional.of(x)` is a function of that name unless there is a variable called optional.
  if (node.member && node.children[0]->kind == NodeKind::kVariable &&
      !InScope(node.children[0]->text)) {
    const std::string qualified = fmt::format("{}.{}", node.children[0]->text, node.text);
    if (const auto* function = FindFunction(qualified, false, node.children.size() - 1)) {
      node.function = function;
      node.member = false;
      node.children.erase(node.children.begin());
      return ResolveChildren(node);
    }
  }
  COPPICE_TRY(ResolveChildren(node));
  node.function = FindFunction(node.text, node.member, node.children.size());
  if (node.function == nullptr) {
    return Fail(node, fmt::format("undeclared reference to '{}' (in container '')", node.text));
  }
  return node.text == "matches" ? CompileRegex(node) : base::Status();
}

base::Status Compiler::CompileRegex(Node& node) const {
  const auto* pattern = node.children[1]->literal.As<std::string>();
  if (node.children[1]->kind != NodeKind::kLiteral || pattern == nullptr) return {};
  auto regex = cel::CompileRegex(*pattern);
  if (!regex) {
    return Fail(node, fmt::format("invalid matches argument: {}", regex.error().message()));
  }
  node.regex = *std::move(regex);
  return {};
}

base::Status Compiler::ResolveScoped(Node& node) {
  COPPICE_TRY(Resolve(*node.children[0]));
  node.slot = scope_.size();
  scope_.insert(scope_.end(), node.names.begin(), node.names.end());
  base::Status status;
  for (size_t i = 1; i < node.children.size() && status; ++i) status = Resolve(*node.children[i]);
  scope_.resize(scope_.size() - node.names.size());
  return status;
}

}  // namespace coppice::cel
