#pragma once

#include "json/value.h"
#include "server/model/kind_rules.h"

namespace coppice::server {

// pods/ephemeralcontainers adds, and does nothing else.
void ValidateEphemeralUpdate(const json::Value& pod, const json::Value& old, Causes& causes);
// Nearly all of a pod's spec is fixed once it exists; while it is gated a little more may change.
void ValidatePodUpdate(const json::Value& pod, const json::Value& old, Causes& causes);

}  // namespace coppice::server
