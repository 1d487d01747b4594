#pragma once

#include <memory>

#include "server/apply/field_walk.h"
#include "server/model/request.h"

namespace coppice::server {

// What an update changed, as managedFields tell it. Objects fare alike: a thousand pods of one
// template become scheduled, then running. What was worked out for one of them is remembered for
// the others, by each thread for itself; so this is for the thread that made it alone.
class UpdatedFields {
 public:
  // Between two states of an object without their managedFields, less what the system counts and
  // stamps.
  static UpdatedFields Between(const Request& request, const json::Value& old,
                               const json::Value& now);

  bool empty() const;
  // A manager's fieldsV1 with what changed, without it, or without what is gone. The very same
  // value when that makes no difference.
  json::Value AddedTo(const json::Value& fields) const;
  json::Value TakenFrom(const json::Value& fields) const;
  json::Value WithoutRemoved(const json::Value& fields) const;

 private:
  class Remembered;
  explicit UpdatedFields(std::shared_ptr<Remembered> alike) : alike_(std::move(alike)) {}
  static std::shared_ptr<Remembered> Remember(const Request& request, const json::Value& old,
                                              const json::Value& now);

  std::shared_ptr<Remembered> alike_;
  FieldDifference own_;  // Besides, what no other object's update has.
};

}  // namespace coppice::server
