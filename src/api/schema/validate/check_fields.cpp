#include "api/schema/validate/check_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "api/schema/validate/cel_names.h"
#include "cel/ast.h"
#include "cel/lexer.h"

namespace coppice::api {
namespace {

using cel::Node;
using cel::NodeKind;

// The language's word for what a schema describes; "" when it may be several things.
std::string_view TypeOf(const Schema* schema) {
  if (schema == nullptr || schema->int_or_string || schema->nullable) return "";
  switch (schema->type) {
    case SchemaType::kBoolean:
      return "bool";
    case SchemaType::kInteger:
      return "int";
    case SchemaType::kNumber:
      return "double";
    case SchemaType::kString:
      return schema->format == "date-time"  ? "timestamp"
             : schema->format == "duration" ? "duration"
             : schema->format == "byte"     ? ""
                                            : "string";
    case SchemaType::kArray:
      return "list";
    case SchemaType::kObject:
      return "map";
    case SchemaType::kAny:
      break;
  }
  return "";
}

std::string_view TypeOf(const cel::Value& literal) {
  if (literal.As<bool>() != nullptr) return "bool";
  if (literal.As<int64_t>() != nullptr) return "int";
  if (literal.As<double>() != nullptr) return "double";
  return literal.As<std::string>() != nullptr ? "string" : "";
}

bool IsNumber(std::string_view type) { return type == "int" || type == "double"; }

bool MayMeet(std::string_view a, std::string_view b) {
  return a.empty() || b.empty() || a == b || (IsNumber(a) && IsNumber(b));
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// What is known about a value: where its type is open, nothing.
struct Known {
  const Schema* schema = nullptr;
  std::string_view type;
};

// Walks an expression, knowing the schema of whatever comes from self.
class Checker {
 public:
  Checker(const cel::Program& program, const Schema& self) : program_(program) {
    slots_[0] = {&self, TypeOf(&self)};
    // oldSelf may be optional, which wraps the same schema.
    slots_[1] = {&self, ""};
  }

  std::string Run(std::string_view result) {
    const Known found = Visit(program_.root());
    if (problem_.empty() && !MayMeet(found.type, result)) {
      problem_ = fmt::format("1:1: expression must evaluate to {}, not {}", result, found.type);
    }
    return problem_;
  }

 private:
  Known Visit(const Node& node) {
    switch (node.kind) {
      case NodeKind::kLiteral:
        return {nullptr, TypeOf(node.literal)};
      case NodeKind::kVariable: {
        const auto found = slots_.find(node.slot);
        return found == slots_.end() ? Known() : found->second;
      }
      case NodeKind::kSelect:
        return Selected(node);
      case NodeKind::kHas:
        Selected(node);
        return {nullptr, "bool"};
      case NodeKind::kIndex:
        return Indexed(node);
      case NodeKind::kCall:
        return Called(node);
      case NodeKind::kAnd:
      case NodeKind::kOr:
        return Joined(node);
      case NodeKind::kConditional:
        return Chosen(node);
      case NodeKind::kAll:
      case NodeKind::kExists:
      case NodeKind::kExistsOne:
      case NodeKind::kFilter:
      case NodeKind::kMapTo:
      case NodeKind::kTransformMap:
        return Comprehended(node);
      case NodeKind::kBind:
        slots_[node.slot] = Visit(*node.children[0]);
        return Visit(*node.children[1]);
      default:
        break;
    }
    for (const auto& child : node.children) Visit(*child);
    return {};
  }

  static Known Of(const Schema* schema, bool optional) {
    return {schema, optional ? std::string_view() : TypeOf(schema)};
  }

  Known Selected(const Node& node) {
    const Schema* target = Visit(*node.children[0]).schema;
    if (target == nullptr || target->type != SchemaType::kObject) return {};
    if (target->additional != nullptr) return Of(target->additional, node.optional);
    const Schema* field = target->FindProperty(PropertyOfCelName(*target, node.text));
    if (field == nullptr && IsClosed(*target)) ReportField(node);
    return Of(field, node.optional);
  }

  Known Indexed(const Node& node) {
    const Schema* target = Visit(*node.children[0]).schema;
    Visit(*node.children[1]);
    if (target == nullptr) return {};
    return Of(target->type == SchemaType::kArray ? target->items : target->additional,
              node.optional);
  }

  Known Called(const Node& node) {
    std::vector<Known> arguments;
    for (const auto& child : node.children) arguments.push_back(Visit(*child));
    if (node.children.size() == 2 && !node.member) {
      const bool compares = IsOneOf(node.text, {"==", "!=", "<", "<=", ">", ">="});
      const bool meets = MayMeet(arguments[0].type, arguments[1].type);
      if ((compares || node.text == "+") && !meets) ReportOverload(node, arguments);
      if (compares || node.text == "in") return {nullptr, "bool"};
      if (node.text == "+") return {nullptr, meets ? arguments[0].type : ""};
    }
    if (node.text == "!" && !MayMeet(arguments[0].type, "bool")) ReportOverload(node, arguments);
    if (node.text == "size" || node.text == "int") return {nullptr, "int"};
    if (node.text == "string" && !node.member) return {nullptr, "string"};
    const bool judges =
        IsOneOf(node.text, {"!", "startsWith", "endsWith", "contains", "matches", "hasValue"});
    return {nullptr, judges ? "bool" : ""};
  }

  Known Joined(const Node& node) {
    std::vector<Known> parts;
    bool fits = true;
    for (const auto& child : node.children) {
      parts.push_back(Visit(*child));
      fits &= MayMeet(parts.back().type, "bool");
    }
    if (!fits) ReportOverload(node, parts);
    return {nullptr, "bool"};
  }

  Known Chosen(const Node& node) {
    Visit(*node.children[0]);
    const Known yes = Visit(*node.children[1]), no = Visit(*node.children[2]);
    return {yes.schema == no.schema ? yes.schema : nullptr, yes.type == no.type ? yes.type : ""};
  }

  Known Comprehended(const Node& node) {
    const Known range = Visit(*node.children[0]);
    // With one name: items of lists, keys of maps. With two: values come second.
    const Schema* item = nullptr;
    if (range.schema != nullptr) {
      item = range.schema->type == SchemaType::kArray ? range.schema->items
             : node.names.size() == 2                 ? range.schema->additional
                                                      : nullptr;
    }
    for (size_t i = 0; i < node.names.size(); ++i) slots_[node.slot + i] = {};
    slots_[node.slot + node.names.size() - 1] = Of(item, false);
    for (size_t i = 1; i < node.children.size(); ++i) Visit(*node.children[i]);
    if (node.kind == NodeKind::kFilter) return range;
    const bool judges = node.kind == NodeKind::kAll || node.kind == NodeKind::kExists ||
                        node.kind == NodeKind::kExistsOne;
    return {nullptr, judges ? "bool" : ""};
  }

  static bool IsClosed(const Schema& schema) {
    return !schema.preserve_unknown && !schema.embedded_resource && !schema.any_additional;
  }

  void Report(const Node& node, std::string_view what) {
    if (!problem_.empty()) return;
    problem_ = fmt::format("{}: {}", cel::PlaceOf(program_.source(), node.offset), what);
  }

  void ReportField(const Node& node) {
    if (!IsRootField(node)) Report(node, fmt::format("undefined field '{}'", node.text));
  }

  void ReportOverload(const Node& node, const std::vector<Known>& arguments) {
    std::string types;
    for (const Known& each : arguments) {
      types += (types.empty() ? "" : ", ") + std::string(each.type.empty() ? "dyn" : each.type);
    }
    const std::string_view symbol = node.kind == NodeKind::kAnd  ? "&&"
                                    : node.kind == NodeKind::kOr ? "||"
                                                                 : std::string_view(node.text);
    const std::string name = symbol == "!" ? std::string("!_") : fmt::format("_{}_", symbol);
    Report(node, fmt::format("found no matching overload for '{}' applied to '({})'", name, types));
  }

  // Every object has these, whether its schema says so or not.
  static bool IsRootField(const Node& node) {
    return IsOneOf(node.text, {"apiVersion", "kind", "metadata", "name", "generateName"});
  }

  const cel::Program& program_;
  std::map<size_t, Known> slots_;
  std::string problem_;
};

}  // namespace

std::string TypeProblem(const cel::Program& program, const Schema& self, std::string_view result) {
  return Checker(program, self).Run(result);
}

}  // namespace coppice::api
