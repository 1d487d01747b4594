#include "store/store_image_testing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "base/check.h"
#include "store/sqlite/sqlite_journal.h"

namespace coppice::store {
namespace {

std::filesystem::path MakeFolder() {
  std::error_code error;
  const bool in_memory = std::filesystem::is_directory("/dev/shm", error);
  std::string name = (in_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
                     "/coppice-store-XXXXXX";
  COPPICE_CHECK(mkdtemp(name.data()) != nullptr);
  return name;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

StoreFolder::StoreFolder() : dir_(MakeFolder()), path_(dir_ / "coppice.db") {}

StoreFolder::~StoreFolder() {
  store_.reset();
  std::filesystem::remove_all(dir_);
}

base::Status StoreFolder::Start(bool accept_loss) {
  store_.reset();
  COPPICE_ASSIGN(auto journal, OpenSqliteJournal(path_, {.accept_loss = accept_loss}));
  COPPICE_ASSIGN(store_, Store::Open(std::move(journal), {}));
  return {};
}

bool StoreFolder::Put(const std::string& name, int value, size_t size) {
  const VersionPtr old = store_->Get("pods", name);
  json::Value object = json::Value::Object({{"n", value}, {"text", std::string(size, 'x')}});
  const auto put = store_->Put("pods", name, old ? old->revision() : 0, std::move(object));
  if (!put) return false;
  acknowledged_.objects[name] = value;
  acknowledged_.revision = (*put)->revision();
  return true;
}

bool StoreFolder::Delete(const std::string& name) {
  const VersionPtr old = store_->Get("pods", name);
  const auto deleted = store_->Delete("pods", name, old ? old->revision() : 0);
  if (!deleted) return false;
  acknowledged_.objects.erase(name);
  acknowledged_.revision = (*deleted)->revision();
  return true;
}

void StoreFolder::Work(int writes) {
  for (int i = 0; i < writes; ++i, ++next_) {
    const std::string name = "p" + std::to_string(next_ * 7 % 40);
    const bool there = store_->Get("pods", name) != nullptr;
    const size_t size = next_ % 5 == 0 ? 12000 : 300;
    COPPICE_CHECK(there && next_ % 3 == 0 ? Delete(name) : Put(name, next_, size));
  }
}

Image StoreFolder::Take() const {
  Image image;
  for (const char* suffix : {"", "-wal", "-promise"}) {
    if (std::filesystem::exists(path_ + suffix)) image[suffix] = ReadBytes(path_ + suffix);
  }
  return image;
}

void StoreFolder::Put(const Image& image) {
  Stop();
  for (const auto& each : std::filesystem::directory_iterator(dir_)) {
    std::filesystem::remove(each.path());
  }
  for (const auto& [suffix, bytes] : image) {
    std::ofstream(path_ + suffix, std::ios::binary) << bytes;
  }
}

std::string StoreFolder::Missing() const {
  if (store_->revision() < acknowledged_.revision) {
    return fmt::format("revision {} of {}", store_->revision(), acknowledged_.revision);
  }
  for (const auto& [name, value] : acknowledged_.objects) {
    const VersionPtr found = store_->Get("pods", name);
    if (!found || found->value()["n"].AsInt() != value) return name;
  }
  if (store_->Count("pods") == acknowledged_.objects.size()) return "";
  return "what was deleted is back";
}

}  // namespace coppice::store
