#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::json {

// The texts of a list; an item that is not a string becomes an empty one.
inline std::vector<std::string> ReadStrings(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : list.Items()) texts.push_back(item.ToString());
  return texts;
}

inline Value StringList(const std::vector<std::string>& texts) {
  Value list = Value::Array();
  for (const std::string& text : texts) list.Append(text);
  return list;
}

}  // namespace coppice::json
