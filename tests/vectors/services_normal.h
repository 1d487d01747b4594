#pragma once

#include "json/value.h"

// Objects written as recorded cases write them: without what differs from run to run and what
// Kubernetes itself fills in.
namespace coppice::vectors {

json::Value Normalise(const json::Value& object);
json::Value NormaliseEvent(const json::Value& event);

}  // namespace coppice::vectors
