#include "kube/cache/packing/sharing.h"

#include <algorithm>
#include <functional>

namespace coppice::kube {
namespace {

using json::Value;

// Strings that fit into a value have no representation to share.
constexpr size_t kInlineString = 15;
// The document itself is never equal to another; its spec and status are, once they are trimmed.
constexpr int kUniqueDepth = 1;

uint64_t Mix(uint64_t hash, uint64_t more) {
  hash = (hash ^ more) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 29);
}

uint64_t HashText(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

// What is inside has been made canonical already, so that its identity decides.
bool SharingPool::PartEqual::operator()(const Part& a, const Part& b) const {
  if (a.hash != b.hash || a.value.type() != b.value.type()) return false;
  if (a.value.IsString()) return a.value.AsString() == b.value.AsString();
  if (a.value.size() != b.value.size()) return false;
  if (a.value.IsArray()) {
    return std::equal(a.value.Items().begin(), a.value.Items().end(), b.value.Items().begin(),
                      [](const Value& x, const Value& y) { return x.SameAs(y); });
  }
  return std::equal(a.value.Members().begin(), a.value.Members().end(), b.value.Members().begin(),
                    [](const json::Member& x, const json::Member& y) {
                      return x.key.SameAs(y.key) && x.value.SameAs(y.value);
                    });
}

Value SharingPool::Share(Value document) {
  Visit(document, 0);
  return document;
}

uint64_t SharingPool::Visit(Value& value, int depth) {
  switch (value.type()) {
    case json::Type::kNull:
      return 1;
    case json::Type::kBool:
      return value.AsBool() ? 2 : 3;
    case json::Type::kInt:
      return Mix(4, static_cast<uint64_t>(value.AsInt()));
    case json::Type::kDouble:
      return Mix(5, std::hash<double>()(value.AsDouble()));
    case json::Type::kString:
      return VisitString(value);
    case json::Type::kArray:
      return VisitItems(value, depth);
    case json::Type::kObject:
      return VisitMembers(value, depth);
  }
  return 0;
}

uint64_t SharingPool::VisitString(Value& value) {
  const std::string_view text = value.AsString();
  const uint64_t hash = Mix(6, HashText(text));
  if (text.size() > kInlineString) Canonicalize(hash, value);
  return hash;
}

// Writing access splits what is shared, so it is asked for only where something changes.
uint64_t SharingPool::VisitItems(Value& value, int depth) {
  uint64_t hash = 7;
  for (size_t i = 0; i < value.size(); ++i) {
    Value item = value.At(i);
    hash = Mix(hash, Visit(item, depth + 1));
    if (!item.SameAs(value.At(i))) value.MutableAt(i) = std::move(item);
  }
  if (depth >= kUniqueDepth) Canonicalize(hash, value);
  return hash;
}

uint64_t SharingPool::VisitMembers(Value& value, int depth) {
  uint64_t hash = 8;
  for (size_t i = 0; i < value.size(); ++i) {
    json::Member member = value.Members()[i];
    hash = Mix(Mix(hash, VisitString(member.key)), Visit(member.value, depth + 1));
    const json::Member& before = value.Members()[i];
    if (member.key.SameAs(before.key) && member.value.SameAs(before.value)) continue;
    value.MutableMembers()[i] = std::move(member);
  }
  if (depth >= kUniqueDepth) Canonicalize(hash, value);
  return hash;
}

void SharingPool::Canonicalize(uint64_t hash, Value& value) {
  Part part{hash, value};
  const auto young = young_.find(part);
  if (young != young_.end()) {
    value = young->value;
    return;
  }
  if (const auto old = old_.find(part); old != old_.end()) {
    value = old->value;
    part.value = value;
  }
  if (young_.size() >= generation_size_) {
    old_ = std::move(young_);
    young_.clear();
  }
  young_.insert(std::move(part));
}

}  // namespace coppice::kube
