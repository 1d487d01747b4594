#pragma once

#include <string_view>

#include "base/clock.h"
#include "json/value.h"
#include "operator/runtime/config.h"
#include "operator/runtime/labels.h"

// Metadata of generated objects.
namespace coppice::operators {

json::Value ToObject(const StringMap& map);
// Replaces the labels (annotations) by exactly these; none removes the member.
void SetLabels(json::Value& object, const StringMap& labels);
void SetAnnotations(json::Value& object, const StringMap& annotations);
// Adds to the labels that are there.
void MergeLabels(json::Value& object, const StringMap& labels);
// Gives an object all labels and annotations that the operator wants on it, and takes away those
// that it wanted earlier. Others' stay: which keys were copied from what the user wrote is noted in
// an annotation. Replaces them all where the policy keeps no foreign metadata.
void SetOwnMetadata(const Config& config, const StringMap& labels, const StringMap& annotations,
                    json::Value& object);
// Keys that nobody but the operator writes on what it makes.
bool IsOperatorKey(std::string_view key);
StringMap LabelsOf(const json::Value& object);
StringMap AnnotationsOf(const json::Value& object);
// When it was created; the epoch before it is.
base::Time CreatedAt(const json::Value& object);
// The uid of the controlling owner; "" where there is none.
std::string_view ControllerUid(const json::Value& object);
// Makes `owner` the controller, keeping other owner references.
void SetController(json::Value& object, const json::Value& owner);
void EnsureFinalizer(json::Value& object, std::string_view finalizer);
// True when every member of `wanted` is in `existing` with an equal value; lists are compared item
// by item the same way. What the server adds by default does not count as a difference.
bool Covers(const json::Value& existing, const json::Value& wanted);

}  // namespace coppice::operators
