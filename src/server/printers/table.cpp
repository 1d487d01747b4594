#include "server/printers/table.h"

#include <fmt/format.h>

#include "server/model/conversion.h"
#include "server/printers/json_path.h"
#include "server/printers/printers.h"

namespace coppice::server {
namespace {

using std::chrono::duration_cast;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

json::Value ColumnEntry(const PrinterColumn& column) {
  return json::Value::Object({{"name", column.name},
                              {"type", column.type},
                              {"format", column.format},
                              {"description", column.description},
                              {"priority", column.priority}});
}

PrinterColumn NameColumn() {
  return {"Name",
          "string",
          "name",
          "Name must be unique within a namespace. Is required when creating resources, although "
          "some resources may allow a client to request the generation of an appropriate name "
          "automatically. Name is primarily intended for creation idempotence and configuration "
          "definition. Cannot be updated. More info: "
          "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
          "",
          0};
}

// Columns of a CRD: name first, age where the CRD names no columns.
Printer CustomPrinter(const ServedResource& served) {
  Printer printer;
  printer.columns.push_back(NameColumn());
  std::vector<PrinterColumn> own = served.columns;
  if (own.empty()) own.push_back({"Age", "date", "", "", ".metadata.creationTimestamp", 0});
  printer.columns.insert(printer.columns.end(), own.begin(), own.end());
  printer.cells = [own](const json::Value& object, base::Time now) {
    std::vector<json::Value> cells{object["metadata"]["name"]};
    for (const PrinterColumn& column : own) {
      const json::Value found = EvaluateJsonPath(object, column.json_path);
      if (column.type == "date" && !found.IsNull()) {
        cells.emplace_back(AgeOf(found, now));
      } else if (column.type == "string" && !found.IsNull() && !found.IsString()) {
        cells.emplace_back(JsonPathText(found));
      } else {
        cells.push_back(found);
      }
    }
    return cells;
  };
  return printer;
}

json::Value RowObject(const json::Value& object) {
  return json::Value::Object({{"apiVersion", "meta.k8s.io/v1"},
                              {"kind", "PartialObjectMetadata"},
                              {"metadata", object["metadata"]}});
}

}  // namespace

json::Value MakeTable(const ServedResource& served, const std::vector<json::Value>& objects,
                      const TableOptions& options, base::Time now) {
  const Printer* builtin = served.custom ? nullptr : FindPrinter(served.storage);
  const Printer fallback = builtin ? Printer{} : CustomPrinter(served);
  const Printer& printer = builtin ? *builtin : fallback;
  json::Value columns = json::Value::Array();
  for (const PrinterColumn& column : printer.columns) columns.Append(ColumnEntry(column));
  json::Value rows = json::Value::Array();
  for (const json::Value& object : objects) {
    const json::Value shown = builtin ? ToStored(served, object) : object;
    json::Value row =
        json::Value::Object({{"cells", json::Value::Array(printer.cells(shown, now))}});
    if (options.include == "Object") {
      row.Set("object", object);
    } else if (options.include != "None") {
      row.Set("object", RowObject(shown));
    }
    rows.Append(std::move(row));
  }
  json::Value metadata = json::Value::Object();
  if (objects.size() == 1) {
    metadata.Set("resourceVersion", objects[0]["metadata"]["resourceVersion"]);
  }
  return json::Value::Object({{"kind", "Table"},
                              {"apiVersion", "meta.k8s.io/v1"},
                              {"metadata", std::move(metadata)},
                              {"columnDefinitions", options.with_columns ? columns : json::Value()},
                              {"rows", std::move(rows)}});
}

// Coarser the longer it is, as kubectl prints ages.
std::string HumanDuration(base::Duration duration) {
  const int64_t total = duration_cast<seconds>(duration).count();
  if (total < -1) return "<invalid>";
  if (total < 0) return "0s";
  if (total < 60 * 2) return fmt::format("{}s", total);
  const int64_t m = total / 60;
  if (m < 10) {
    const int64_t s = total % 60;
    return s == 0 ? fmt::format("{}m", m) : fmt::format("{}m{}s", m, s);
  }
  if (m < 60 * 3) return fmt::format("{}m", m);
  const int64_t h = m / 60;
  if (h < 8) return m % 60 == 0 ? fmt::format("{}h", h) : fmt::format("{}h{}m", h, m % 60);
  if (h < 48) return fmt::format("{}h", h);
  const int64_t d = h / 24;
  if (h < 24 * 8) return h % 24 == 0 ? fmt::format("{}d", d) : fmt::format("{}d{}h", d, h % 24);
  if (d < 365 * 2) return fmt::format("{}d", d);
  const int64_t y = d / 365;
  if (d < 365 * 8) return d % 365 == 0 ? fmt::format("{}y", y) : fmt::format("{}y{}d", y, d % 365);
  return fmt::format("{}y", y);
}

std::string AgeOf(const json::Value& timestamp, base::Time now) {
  const auto time = base::ParseRfc3339(timestamp.AsString());
  return time ? HumanDuration(now - *time) : "<unknown>";
}

}  // namespace coppice::server
