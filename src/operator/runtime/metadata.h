#pragma once

#include <string_view>

#include "base/clock.h"
#include "json/value.h"
#include "operator/runtime/config.h"
#include "operator/runtime/labels.h"

// Metadata of generated objects.
namespace coppice::operators {

json::Value ToObject(const StringMap& map);
// Replaces all labels (annotations) with these; an empty map removes the field.
void SetLabels(json::Value& object, const StringMap& labels);
void SetAnnotations(json::Value& object, const StringMap& annotations);
// Adds to the existing labels.
void MergeLabels(json::Value& object, const StringMap& labels);
// Sets all labels and annotations that the operator wants on an object, and removes those that it
// set earlier. Keeps those of others: an annotation records which keys were copied from the user's
// metadata. Replaces everything if the policy keeps no foreign metadata.
void SetOwnMetadata(const Config& config, const StringMap& labels, const StringMap& annotations,
                    json::Value& object);
// Keys that only the operator writes on the objects it creates.
bool IsOperatorKey(std::string_view key);
StringMap LabelsOf(const json::Value& object);
StringMap AnnotationsOf(const json::Value& object);
// The creation time; the epoch before it is created.
base::Time CreatedAt(const json::Value& object);
// The uid of the controlling owner; "" if there is none.
std::string_view ControllerUid(const json::Value& object);
// Makes `owner` the controller and keeps other owner references.
void SetController(json::Value& object, const json::Value& owner);
void EnsureFinalizer(json::Value& object, std::string_view finalizer);
// True if `existing` has every member of `wanted` with an equal value; lists are compared item by
// item in the same way. Fields that the server defaults do not count as a difference.
bool Covers(const json::Value& existing, const json::Value& wanted);

}  // namespace coppice::operators
