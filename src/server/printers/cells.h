#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "server/printers/printers.h"

// Helpers for the printers of all kinds.
namespace coppice::server {

using Cells = std::vector<json::Value>;
using Object = const json::Value&;
using Printers = std::map<std::string, Printer, std::less<>>;

// Printers of some kinds, by storage name.
Printers CorePrinters();
Printers WorkloadPrinters();
Printers StoragePrinters();
Printers NetworkPrinters();
Printers PolicyPrinters();

// Columns from "Name|Status|!Wide": an exclamation mark puts a column into the wide output.
std::vector<PrinterColumn> Columns(std::string_view names);
// Columns "Name|Created At".
Printer NameAndCreation();

std::string NameOf(Object o);
std::string Age(Object o, base::Time now);
std::string Join(Object list, std::string_view separator = ",");
std::string OrNone(std::string text);
std::string SelectorText(Object selector);
std::string LabelsText(Object labels);
// One field of each container: names, images.
std::string Containers(Object pod_spec, std::string_view field);

}  // namespace coppice::server
