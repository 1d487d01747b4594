#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "json/value.h"

namespace coppice::store {

// One immutable state of one object. It is stored as a document, as serialised bytes, or both: each
// form is computed from the other on first use, so objects loaded at startup are not parsed until
// they are read, and objects that never leave the process are not serialised.
class Version {
 public:
  // `size` is about how many bytes it has as text.
  Version(std::string name, int64_t revision, json::Value value, size_t size);
  Version(std::string name, int64_t revision, std::shared_ptr<const std::string> bytes);

  const std::string& name() const { return name_; }
  int64_t revision() const { return revision_; }
  size_t size() const { return size_; }
  const json::Value& value() const;
  const std::shared_ptr<const std::string>& bytes() const;

 private:
  // State of a form. Unlike std::once_flag it needs no system call without contention, which
  // matters because every write creates a version.
  enum Form : int { kMissing, kInTheMaking, kReady };
  template <typename Make>
  static void Once(std::atomic<int>& form, const Make& make);

  const std::string name_;
  const int64_t revision_;
  const size_t size_;
  mutable std::atomic<int> value_form_;  // Guards value_.
  mutable std::atomic<int> bytes_form_;  // Guards bytes_.
  mutable json::Value value_;
  mutable std::shared_ptr<const std::string> bytes_;
};

using VersionPtr = std::shared_ptr<const Version>;

// One change in an object's history.
struct Change {
  int64_t revision = 0;
  VersionPtr current;   // For a deletion: the last state, with the revision of the deletion.
  VersionPtr previous;  // Null for a creation.
  bool deleted = false;
};

}  // namespace coppice::store
