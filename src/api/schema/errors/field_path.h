#pragma once

#include <string>
#include <string_view>

namespace coppice::api {

// The position of a value in an object, as a chain through the callers' stack frames: walking an
// object builds no strings until a path is printed. A path is valid while its parent is.
class FieldPath {
 public:
  FieldPath() = default;

  FieldPath Child(std::string_view name) const { return {this, Kind::kChild, name, 0}; }
  FieldPath Index(size_t index) const { return {this, Kind::kIndex, {}, index}; }
  FieldPath Key(std::string_view key) const { return {this, Kind::kKey, key, 0}; }
  // A map's entry where it is written like a member.
  FieldPath Entry(std::string_view key) const { return {this, Kind::kEntry, key, 0}; }

  // "spec.list[0].map[key]".
  std::string ToString() const;
  // The names alone, "spec.list", as Go's decoder says where it is.
  std::string Names() const;

 private:
  enum class Kind { kRoot, kChild, kIndex, kKey, kEntry };

  FieldPath(const FieldPath* parent, Kind kind, std::string_view name, size_t index)
      : parent_(parent), kind_(kind), name_(name), index_(index) {}

  void AppendTo(std::string& out, bool names_only) const;

  const FieldPath* parent_ = nullptr;
  Kind kind_ = Kind::kRoot;
  std::string_view name_;
  size_t index_ = 0;
};

}  // namespace coppice::api
