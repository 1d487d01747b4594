#include "kube/cache/packing/packed_object.h"

#include <iterator>
#include <string_view>

namespace coppice::kube {
namespace {

using json::Value;

struct Leaf {
  std::string_view part;
  std::string_view field;  // Empty: the part itself.
};

constexpr Leaf kLeaves[] = {{"metadata", "name"},
                            {"metadata", "uid"},
                            {"metadata", "resourceVersion"},
                            {"metadata", "creationTimestamp"},
                            {"spec", "nodeName"},
                            {"spec", "containers"},
                            {"status", ""}};

static_assert(kLeaves[PackedObject::kName].field == "name");

const Value* Find(const Value& object, const Leaf& leaf) {
  const Value* part = object.Find(leaf.part);
  return part == nullptr || leaf.field.empty() ? part : part->Find(leaf.field);
}

Value& Place(Value& object, const Leaf& leaf) {
  Value& part = object.Mutable(leaf.part);
  return leaf.field.empty() ? part : part.Mutable(leaf.field);
}

}  // namespace

Value PackedObject::Unpack() const {
  if (leaves.IsNull()) return base;
  Value object = base;
  size_t i = 0;
  for (const Value& value : leaves.Items()) {
    const Leaf& leaf = kLeaves[i++];
    if (!value.IsNull()) Place(object, leaf) = value;
  }
  return object;
}

PackedObject ObjectPacker::Pack(Value object) {
  std::vector<Value> leaves;
  leaves.reserve(std::size(kLeaves));
  for (const Leaf& leaf : kLeaves) {
    const Value* value = Find(object, leaf);
    leaves.push_back(value != nullptr ? *value : Value());
    if (value != nullptr && !value->IsNull()) Place(object, leaf) = Value();
  }
  // The pool does not look up documents themselves, only what is in them.
  const Value base = pool_.Share(Value::Array({std::move(object)}));
  return {base.At(0), pool_.Share(Value::Array(std::move(leaves)))};
}

}  // namespace coppice::kube
