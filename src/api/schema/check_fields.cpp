#include "api/schema/check_fields.h"

#include <fmt/format.h>

#include <map>

#include "api/schema/cel_names.h"
#include "cel/ast.h"
#include "cel/lexer.h"

namespace coppice::api {
namespace {

using cel::Node;
using cel::NodeKind;

// Walks an expression, knowing the schema of whatever comes from self.
class FieldChecker {
 public:
  FieldChecker(const cel::Program& program, const Schema& self) : program_(program) {
    slots_[0] = &self;
    // oldSelf may be optional, which wraps the same schema.
    slots_[1] = &self;
  }

  std::string Run() {
    SchemaOf(program_.root());
    return problem_;
  }

 private:
  // Null when nothing is known about the value.
  const Schema* SchemaOf(const Node& node) {
    switch (node.kind) {
      case NodeKind::kVariable: {
        const auto found = slots_.find(node.slot);
        return found == slots_.end() ? nullptr : found->second;
      }
      case NodeKind::kSelect:
      case NodeKind::kHas:
        return Selected(node);
      case NodeKind::kIndex:
        return Indexed(node);
      case NodeKind::kAll:
      case NodeKind::kExists:
      case NodeKind::kExistsOne:
      case NodeKind::kFilter:
      case NodeKind::kMapTo:
      case NodeKind::kTransformMap:
        return Comprehended(node);
      case NodeKind::kBind:
        return Bound(node);
      default:
        break;
    }
    for (const auto& child : node.children) SchemaOf(*child);
    return nullptr;
  }

  const Schema* Selected(const Node& node) {
    const Schema* target = SchemaOf(*node.children[0]);
    if (target == nullptr || target->type != SchemaType::kObject) return nullptr;
    if (target->additional != nullptr) return target->additional;
    const Schema* field = target->FindProperty(PropertyOfCelName(*target, node.text));
    if (field == nullptr && IsClosed(*target)) Report(node);
    return field;
  }

  const Schema* Indexed(const Node& node) {
    const Schema* target = SchemaOf(*node.children[0]);
    SchemaOf(*node.children[1]);
    if (target == nullptr) return nullptr;
    return target->type == SchemaType::kArray ? target->items : target->additional;
  }

  const Schema* Comprehended(const Node& node) {
    const Schema* range = SchemaOf(*node.children[0]);
    // With one name: items of lists, keys of maps. With two: values come second.
    const Schema* item = nullptr;
    if (range != nullptr) {
      item = range->type == SchemaType::kArray ? range->items
             : node.names.size() == 2          ? range->additional
                                               : nullptr;
    }
    for (size_t i = 0; i < node.names.size(); ++i) slots_[node.slot + i] = nullptr;
    slots_[node.slot + node.names.size() - 1] = item;
    for (size_t i = 1; i < node.children.size(); ++i) SchemaOf(*node.children[i]);
    return node.kind == NodeKind::kFilter ? range : nullptr;
  }

  const Schema* Bound(const Node& node) {
    slots_[node.slot] = SchemaOf(*node.children[0]);
    return SchemaOf(*node.children[1]);
  }

  static bool IsClosed(const Schema& schema) {
    return !schema.preserve_unknown && !schema.embedded_resource && !schema.any_additional;
  }

  void Report(const Node& node) {
    if (!problem_.empty() || IsRootField(node)) return;
    problem_ = fmt::format("{}: undefined field '{}'", cel::PlaceOf(program_.source(), node.offset),
                           node.text);
  }

  // Every object has these, whether its schema says so or not.
  static bool IsRootField(const Node& node) {
    return node.text == "apiVersion" || node.text == "kind" || node.text == "metadata" ||
           node.text == "name" || node.text == "generateName";
  }

  const cel::Program& program_;
  std::map<size_t, const Schema*> slots_;
  std::string problem_;
};

}  // namespace

std::string UndefinedField(const cel::Program& program, const Schema& self) {
  return FieldChecker(program, self).Run();
}

}  // namespace coppice::api
