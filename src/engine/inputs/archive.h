#pragma once

#include <boost/pfr.hpp>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/quantity.h"
#include "engine/model/input.h"

// The engine's input as bytes: every field of every spec, in the order of its declaration. Both
// sides must be of one build; the log's header says which layout it has (kArchiveVersion).

namespace coppice::engine {

// Raise it when a spec changes.
inline constexpr uint32_t kArchiveVersion = 1;

// Appends values to a string. Pods of one shape share its bytes: it is written once per writer.
class ArchiveWriter {
 public:
  template <typename T>
  void Write(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out_.push_back(value ? 1 : 0);
    } else if constexpr (std::is_enum_v<T>) {
      Number(static_cast<uint64_t>(value));
    } else if constexpr (std::is_unsigned_v<T>) {
      Number(value);
    } else if constexpr (std::is_integral_v<T>) {
      const auto wide = static_cast<int64_t>(value);
      Number(static_cast<uint64_t>(wide) << 1 ^ static_cast<uint64_t>(wide >> 63));
    } else if constexpr (std::is_floating_point_v<T>) {
      out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    } else {
      static_assert(std::is_aggregate_v<T>);
      boost::pfr::for_each_field(value, [this](const auto& field) { Write(field); });
    }
  }
  void Write(const std::string& text) {
    Number(text.size());
    out_ += text;
  }
  void Write(const base::Quantity& amount) { Write(amount.ToString()); }
  void Write(const base::Time& time) { Write(time.time_since_epoch().count()); }
  void Write(const base::Duration& duration) { Write(duration.count()); }
  template <typename T>
  void Write(const std::optional<T>& value) {
    Write(value.has_value());
    if (value) Write(*value);
  }
  template <typename T>
  void Write(const std::vector<T>& values) {
    Number(values.size());
    for (const T& value : values) Write(value);
  }
  template <typename K, typename V>
  void Write(const std::map<K, V>& values) {
    Number(values.size());
    for (const auto& [key, value] : values) {
      Write(key);
      Write(value);
    }
  }
  template <typename... T>
  void Write(const std::variant<T...>& value) {
    Number(value.index());
    std::visit([this](const auto& held) { Write(held); }, value);
  }
  void Write(const std::shared_ptr<const PodShape>& shape) {
    const auto [known, added] = shapes_.try_emplace(shape.get(), shapes_.size());
    Number(known->second);
    if (!added) return;
    kept_.push_back(shape);
    Write(*shape);
  }

  std::string Take() { return std::exchange(out_, {}); }
  size_t size() const { return out_.size(); }

 private:
  void Number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }

  std::string out_;
  std::unordered_map<const PodShape*, size_t> shapes_;
  std::vector<std::shared_ptr<const PodShape>> kept_;  // So that no address is used twice.
};

// Reads what a writer wrote. Bytes that nobody wrote make it fail, not misbehave: check `ok` before
// you use what was read.
class ArchiveReader {
 public:
  // What comes next. It must outlive the reads.
  void Use(std::string_view bytes) { rest_ = bytes; }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  template <typename T>
  T Read() {
    T value{};
    Into(value);
    return value;
  }

 private:
  template <typename T>
  void Into(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = Number() != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(Number());
    } else if constexpr (std::is_unsigned_v<T>) {
      value = static_cast<T>(Number());
    } else if constexpr (std::is_integral_v<T>) {
      const uint64_t coded = Number();
      value = static_cast<T>(static_cast<int64_t>(coded >> 1 ^ (~(coded & 1) + 1)));
    } else if constexpr (std::is_floating_point_v<T>) {
      const std::string_view bytes = Bytes(sizeof(value));
      if (ok_) std::memcpy(&value, bytes.data(), sizeof(value));
    } else {
      boost::pfr::for_each_field(value, [this](auto& field) { Into(field); });
    }
  }
  void Into(std::string& text) { text = Bytes(Number()); }
  void Into(base::Quantity& amount) {
    auto parsed = base::Quantity::Parse(Read<std::string>());
    if (parsed) {
      amount = *parsed;
    } else {
      ok_ = false;
    }
  }
  void Into(base::Time& time) { time = base::Time(base::Duration(Read<int64_t>())); }
  void Into(base::Duration& duration) { duration = base::Duration(Read<int64_t>()); }
  template <typename T>
  void Into(std::optional<T>& value) {
    if (Read<bool>()) Into(value.emplace());
  }
  template <typename T>
  void Into(std::vector<T>& values) {
    for (uint64_t left = Number(); left > 0 && ok_; --left) Into(values.emplace_back());
  }
  template <typename K, typename V>
  void Into(std::map<K, V>& values) {
    for (uint64_t left = Number(); left > 0 && ok_; --left) {
      K key = Read<K>();
      Into(values[std::move(key)]);
    }
  }
  template <typename... T>
  void Into(std::variant<T...>& value) {
    const uint64_t index = Number();
    size_t at = 0;
    ((index == at++ ? static_cast<void>(value = Read<T>()) : static_cast<void>(0)), ...);
    ok_ &= index < sizeof...(T);
  }
  void Into(std::shared_ptr<const PodShape>& shape) {
    const uint64_t number = Number();
    if (number == shapes_.size() && ok_) {
      shapes_.push_back(nullptr);
      shapes_.back() = std::make_shared<const PodShape>(Read<PodShape>());
    }
    ok_ &= number < shapes_.size();
    if (ok_) shape = shapes_[number];
  }

  uint64_t Number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = Bytes(1);
      if (!ok_) return 0;
      value |= (static_cast<uint64_t>(byte[0]) & 0x7f) << shift;
      if ((byte[0] & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view Bytes(uint64_t count) {
    if (count > rest_.size()) ok_ = false;
    if (!ok_) return {};
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }

  std::string_view rest_;
  bool ok_ = true;
  std::vector<std::shared_ptr<const PodShape>> shapes_;
};

}  // namespace coppice::engine
