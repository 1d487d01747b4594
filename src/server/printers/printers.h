#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "server/model/registry.h"

namespace coppice::server {

// The columns of a kind and the cells of one object, in the same order.
struct Printer {
  std::vector<PrinterColumn> columns;
  std::function<std::vector<json::Value>(const json::Value& object, base::Time now)> cells;
};

// For built-in kinds with specific columns, by storage name; null for the others, which show name
// and age. It reads objects in their stored version.
const Printer* FindPrinter(const std::string& storage);

// Time since a timestamp in words; "<unknown>" when there is none.
std::string AgeOf(const json::Value& timestamp, base::Time now);

}  // namespace coppice::server
