#pragma once

#include <string_view>

namespace coppice::server {

// What the messages of Kubernetes' protobuf encoding consist of, as words:
//
//   kind API_VERSION KIND TYPE
//   type TYPE NUMBER:JSON_NAME:FORM …
//
// JSON_NAME "-" merges the field's own fields into its parent. FORM is one of s string, b bool,
// i integer, d double, y bytes, T time, U time with microseconds, D duration, Q quantity, O integer
// or string, X and F embedded JSON, A, B and P a JSON schema or a list of them, a bool, a list of
// strings, mTYPE message; before it, R repeats, M maps from strings, L is
// a message that holds a list, and * tells that zero and absent differ.
std::string_view ProtobufFieldTable();

}  // namespace coppice::server
