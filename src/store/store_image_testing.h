#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "store/store.h"

namespace coppice::store {

// The bytes of a database's files, by what follows the database's name: "", "-wal", "-promise".
using Image = std::map<std::string, std::string>;

// What clients were told.
struct Acknowledged {
  std::map<std::string, int> objects;
  int64_t revision = 0;
};

// A database in a folder of its own, in memory where the machine has a place for that. Everything
// that it acknowledges is kept, to be compared with what a later process finds. For tests.
class StoreFolder {
 public:
  StoreFolder();
  ~StoreFolder();

  const std::string& path() const { return path_; }
  Store& store() { return *store_; }

  // Opens it as it lies there. The error is that of the start.
  base::Status Start(bool accept_loss = false);
  void Stop() { store_.reset(); }
  // Creates, replaces and deletes some objects. Stops the test when it cannot.
  void Work(int writes);
  bool Put(const std::string& name, int value, size_t size);
  bool Delete(const std::string& name);

  // What a killed process would leave; the store may be running.
  Image Take() const;
  void Put(const Image& image);

  const Acknowledged& acknowledged() const { return acknowledged_; }
  void SetAcknowledged(Acknowledged what) { acknowledged_ = std::move(what); }
  // What is not there as it was acknowledged; "" when everything is.
  std::string Missing() const;

 private:
  const std::filesystem::path dir_;
  const std::string path_;
  std::unique_ptr<Store> store_;
  Acknowledged acknowledged_;
  int next_ = 0;
};

}  // namespace coppice::store
