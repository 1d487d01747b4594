#include "server/printers/cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/selectors/label_selector.h"

namespace coppice::server {

std::vector<PrinterColumn> Columns(std::string_view names) {
  std::vector<PrinterColumn> columns;
  while (!names.empty()) {
    const size_t end = std::min(names.find('|'), names.size());
    std::string name(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    const bool wide = name[0] == '!';
    if (wide) name.erase(0, 1);
    const std::string format = name == "Name" ? "name" : "";
    columns.push_back({name, "string", format, "", "", wide ? 1 : 0});
  }
  return columns;
}

Printer NameAndCreation() {
  return {Columns("Name|Created At"), [](Object o, base::Time) {
            return Cells{o["metadata"]["name"], o["metadata"]["creationTimestamp"]};
          }};
}

std::string NameOf(Object o) { return o["metadata"]["name"].ToString(); }

std::string Age(Object o, base::Time now) { return AgeOf(o["metadata"]["creationTimestamp"], now); }

std::string Join(Object list, std::string_view separator) {
  std::string text;
  for (const json::Value& item : list.Items()) {
    if (!text.empty()) text += separator;
    text += item.IsString() ? item.ToString() : std::to_string(item.AsInt());
  }
  return text;
}

std::string OrNone(std::string text) { return text.empty() ? "<none>" : text; }

std::string SelectorText(Object selector) {
  if (selector.IsNull()) return "<none>";
  const auto parsed = api::LabelSelector::FromObject(selector);
  return parsed ? OrNone(parsed->ToString()) : "<error>";
}

std::string LabelsText(Object labels) {
  std::string text;
  for (const json::Member& label : labels.Members()) {
    if (!text.empty()) text += ",";
    text += fmt::format("{}={}", label.name(), label.value.AsString());
  }
  return OrNone(text);
}

std::string Containers(Object pod_spec, std::string_view field) {
  std::string text;
  for (const json::Value& container : pod_spec["containers"].Items()) {
    if (!text.empty()) text += ",";
    text += container[field].AsString();
  }
  return text;
}

}  // namespace coppice::server
