#pragma once

#include <memory>
#include <vector>

#include "server/apply/field_walk.h"
#include "server/request.h"

namespace coppice::server {

// What an update changed, as managedFields tell it. Objects fare alike: a thousand pods of one
// template become scheduled, then running. What was worked out for one of them is remembered for
// the others, by each thread for itself.
class UpdatedFields {
 public:
  // Between two states of an object without their managedFields, less what the system counts and
  // stamps. Good for this thread alone.
  static std::shared_ptr<UpdatedFields> Between(const Request& request, const json::Value& old,
                                                const json::Value& now);

  UpdatedFields(ServedPtr served, FieldDifference difference)
      : served_(std::move(served)), difference_(std::move(difference)) {}

  const FieldDifference& difference() const { return difference_; }
  bool empty() const { return difference_.changed.empty() && difference_.removed.empty(); }
  // The fieldsV1 of the writer: those it had, and what changed.
  json::Value AddedTo(const json::Value& fields);

 private:
  struct Writer {
    json::Value before, after;
  };

  const ServedPtr served_;  // As long as it lives, no other has its address.
  const FieldDifference difference_;
  std::vector<Writer> writers_;
};

}  // namespace coppice::server
