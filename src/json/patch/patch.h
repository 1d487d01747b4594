#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

// Kubernetes' ways of changing a document. None of them changes its argument; documents share what
// the patch leaves alone.
namespace coppice::json {

// JSON Patch (RFC 6902): add, remove, replace, move, copy, test. As in Kubernetes, negative indices
// count from a list's end, and replacing a missing member adds it. kInvalid when the patch does not
// apply, kInvalidArgument when it is malformed.
base::Result<Value> ApplyJsonPatch(const Value& document, const Value& patch);

// The JSON Patch that sets the top-level members in which `to` differs; [] when it has them all.
Value CreateJsonPatch(const Value& from, const Value& to);
// One operation of a JSON Patch.
Value RemoveOperation(std::string_view path);
Value AddOperation(std::string_view path, Value value);
// Makes the whole patch fail unless `value` is at `path`.
Value TestOperation(std::string_view path, Value value);
// A member's name as a step of a path.
std::string EscapePointer(std::string_view name);

// JSON Merge Patch (RFC 7386): members replace members, null removes, lists are replaced whole.
Value ApplyMergePatch(const Value& document, const Value& patch);
// The merge patch that turns `from` into `to`; {} when they are equal.
Value CreateMergePatch(const Value& from, const Value& to);

// How a strategic merge patch treats one place of a document. Implemented by the schema tables
// (api/schema); a missing schema means: objects merge, lists are replaced.
class PatchSchema {
 public:
  virtual ~PatchSchema() = default;
  // Of an object's member or a map's values; null when nothing is known.
  virtual const PatchSchema* Field(std::string_view name) const = 0;
  // Of a list's items; null when nothing is known.
  virtual const PatchSchema* Item() const = 0;
  // Whether a list's items merge, rather than the list being replaced.
  virtual bool MergesItems() const = 0;
  // What identifies an item; "" for lists of scalars.
  virtual std::string_view MergeKey() const = 0;
  // Whether an object is replaced rather than merged.
  virtual bool IsReplaced() const { return false; }
};

// Strategic merge patch with its directives ($patch: replace, delete, merge; $retainKeys;
// $deleteFromPrimitiveList/…; $setElementOrder/…). `schema` may be null.
base::Result<Value> ApplyStrategicMergePatch(const Value& document, const Value& patch,
                                             const PatchSchema* schema);

}  // namespace coppice::json
