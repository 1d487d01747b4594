#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/builtin.h"

namespace coppice::api {

// Reads the tables of built-in types (tables/*.inc). Their form, one field per line:
//
//   group core/v1
//   kind Pod                      a kind, or `type` for a part of one; `atomic`: apply replaces it
//    spec PodSpec                 name, `!` when required, type
//    ports []ServicePort map:port,protocol merge:port
//    status string since=1.36 until=1.36
//
// Types: string, bool, int32, int64, number, bytes, time, microtime, quantity, intorstring, object
// (any members), any, []T, {}T (string keys), a type of the same group, or group.Type; *T where
// absent differs from zero.
// Marks: embeds-atomic (an inlined part is atomic, which CRD generators apply to the whole),
// atomic, set, map:keys (how apply treats the list or object), merge[:key], patch:replace,
// patch:retainKeys (strategic merge), default=JSON, nullable, since and until (Kubernetes
// versions).
class TableReader {
 public:
  TableReader(int minor, BuiltinTypes& out) : minor_(minor), out_(out) {}

  void ReadAll();

 private:
  // A field whose marks change a struct type that is complete only at the end.
  struct Copy {
    Schema* target;
    const Schema* source;
    std::vector<std::string_view> marks;
  };

  void ReadTable(std::string_view text);
  void ReadHeader(const std::vector<std::string_view>& words);
  void ReadField(const std::vector<std::string_view>& words);
  bool Served(const std::vector<std::string_view>& words) const;
  Schema& TypeNamed(std::string_view group, std::string_view name);
  const Schema* FieldType(std::string_view type, const std::vector<std::string_view>& marks);
  const Schema* ScalarOrStruct(std::string_view type);
  void Finish();

  int minor_;
  BuiltinTypes& out_;
  std::string_view group_;
  Schema* current_ = nullptr;
  std::map<std::string, Schema*, std::less<>> types_;
  std::vector<Copy> copies_;
};

}  // namespace coppice::api
