#pragma once

#include <memory>

#include "server/apply/field_walk.h"
#include "server/model/request.h"

namespace coppice::server {

// What an update changed, in terms of managedFields. Objects often change in the same way: a
// thousand pods of one template become scheduled, then running. A result for one is cached for the
// others, per thread. So an object must only be used on the thread that created it.
class UpdatedFields {
 public:
  // The difference between two states of an object without managedFields and system-maintained
  // fields.
  static UpdatedFields Between(const Request& request, const json::Value& old,
                               const json::Value& now);

  bool empty() const;
  // A manager's fieldsV1 with what changed, without it, or without removed fields. The identical
  // value if that makes no difference.
  json::Value AddedTo(const json::Value& fields) const;
  json::Value TakenFrom(const json::Value& fields) const;
  json::Value WithoutRemoved(const json::Value& fields) const;

 private:
  class Remembered;
  explicit UpdatedFields(std::shared_ptr<Remembered> alike) : alike_(std::move(alike)) {}
  static std::shared_ptr<Remembered> Remember(const Request& request, const json::Value& old,
                                              const json::Value& now);

  std::shared_ptr<Remembered> alike_;
  FieldDifference own_;  // For differences that are not cached.
};

}  // namespace coppice::server
