#include "server/printers/printers.h"

#include "server/printers/cells.h"

namespace coppice::server {
namespace {

Printers AllPrinters() {
  Printers all = CorePrinters();
  all.merge(WorkloadPrinters());
  all.merge(StoragePrinters());
  all.merge(NetworkPrinters());
  all.merge(PolicyPrinters());
  return all;
}

}  // namespace

const Printer* FindPrinter(const std::string& storage) {
  static const Printers printers = AllPrinters();
  const auto found = printers.find(storage);
  return found == printers.end() ? nullptr : &found->second;
}

}  // namespace coppice::server
