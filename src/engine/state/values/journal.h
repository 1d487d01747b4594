#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace coppice::engine {

// The log that makes what-if cheap: every change by a trial is recorded with its undo information,
// and a rollback walks the log backwards. Changes that are exact in integers are recorded as the
// operation (whose reverse restores every bit); everything else as the previous value.
//
// Addresses of recorded values must stay valid until the entries are rolled back or forgotten.
class Journal {
 public:
  // Undoes the operations that the journal's owner defined.
  class Reverser {
   public:
    virtual ~Reverser() = default;
    virtual void Reverse(uint8_t operation, int32_t a, int32_t b, int64_t c) = 0;
  };

  explicit Journal(Reverser& reverser) : reverser_(reverser) {}

  bool recording() const { return recording_; }
  void Start() { recording_ = true; }
  void Stop() {
    recording_ = false;
    Forget();
  }

  size_t Mark() const { return entries_.size(); }
  void RollbackTo(size_t mark);
  // Makes all changes permanent.
  void Forget() {
    entries_.clear();
    objects_.clear();
  }

  void Operation(uint8_t operation, int32_t a, int32_t b, int64_t c) {
    if (recording_) entries_.push_back({c, nullptr, a, b, kOperation, operation});
  }
  // Records a small value that is about to change.
  template <typename T>
  void Save(T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(int64_t));
    if (!recording_) return;
    Entry entry{0, &value, 0, 0, kValue, sizeof(T)};
    std::memcpy(&entry.old, &value, sizeof(T));
    entries_.push_back(entry);
  }
  // Records a whole object that is about to change.
  template <typename T>
  void SaveObject(T& object) {
    if (!recording_) return;
    objects_.push_back(std::make_unique<Copy<T>>(object));
    entries_.push_back({0, nullptr, 0, 0, kObject, 0});
  }

 private:
  static constexpr uint8_t kOperation = 0, kValue = 1, kObject = 2;
  struct Entry {
    int64_t old;
    void* address;
    int32_t a, b;
    uint8_t kind, detail;
  };
  struct Saved {
    virtual ~Saved() = default;
    virtual void Restore() = 0;
  };
  template <typename T>
  struct Copy final : Saved {
    explicit Copy(T& object) : target(object), value(object) {}
    void Restore() override { target = std::move(value); }
    T& target;
    T value;
  };

  Reverser& reverser_;
  bool recording_ = false;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<Saved>> objects_;
};

}  // namespace coppice::engine
