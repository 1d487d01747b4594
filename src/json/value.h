#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::json {

enum class Type : uint8_t { kNull, kBool, kInt, kDouble, kString, kArray, kObject };

struct Member;

// A JSON document or a part of one: 16 bytes, copied in constant time.
//
// Strings, arrays and objects are shared between copies and split when one of them is written to
// (copy on write), so handing an object from the API server to a cache to a controller costs one
// reference count. Strings of up to 15 bytes live inside the value. Members of an object are kept
// sorted by key: look-up is a binary search, equality is memberwise, output is canonical.
//
// Reading never fails: a missing key or a value of another type reads as null, "", 0 or false.
//
//   const std::string_view node = pod["spec"]["nodeName"].AsString();
//   pod.Mutable("metadata").Mutable("labels").Set("app", "a");
//
// Threads may read copies of one value at the same time; writing one copy never shows in another.
// A reference from Mutable() is good until its parent is written to or copied.
class Value {
 public:
  Value() = default;
  Value(std::nullptr_t) {}                                 // NOLINT: implicit by design
  Value(bool b) : tag_(Tag::kBool) { Store(int64_t{b}); }  // NOLINT
  Value(int i) : Value(static_cast<int64_t>(i)) {}         // NOLINT
  Value(unsigned i) : Value(static_cast<int64_t>(i)) {}    // NOLINT
  Value(long i) : tag_(Tag::kInt) { Store(int64_t{i}); }   // NOLINT
  Value(long long i) : Value(static_cast<long>(i)) {}      // NOLINT
  Value(unsigned long i) : Value(static_cast<long>(i)) {}  // NOLINT
  Value(double d) : tag_(Tag::kDouble) { std::memcpy(data_, &d, sizeof d); }  // NOLINT
  Value(std::string_view text);                                               // NOLINT
  Value(const char* text) : Value(std::string_view(text)) {}                  // NOLINT
  Value(const std::string& text) : Value(std::string_view(text)) {}           // NOLINT

  static Value Array();
  static Value Array(std::initializer_list<Value> items);
  static Value Array(std::vector<Value> items);
  static Value Object();
  static Value Object(std::initializer_list<std::pair<std::string_view, Value>> members);
  // From members in any order; of equal keys the last one wins.
  static Value Object(std::vector<Member> members);

  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  Type type() const;
  bool IsNull() const { return tag_ == Tag::kNull; }
  bool IsBool() const { return tag_ == Tag::kBool; }
  bool IsInt() const { return tag_ == Tag::kInt; }
  bool IsNumber() const { return tag_ == Tag::kInt || tag_ == Tag::kDouble; }
  bool IsString() const { return tag_ == Tag::kHeapString || IsSmall(); }
  bool IsArray() const { return tag_ == Tag::kArray; }
  bool IsObject() const { return tag_ == Tag::kObject; }

  bool AsBool(bool fallback = false) const { return IsBool() ? Load() != 0 : fallback; }
  // Doubles without a fraction read as integers too.
  int64_t AsInt(int64_t fallback = 0) const;
  double AsDouble(double fallback = 0) const;
  // Valid as long as this value is neither written to nor destroyed.
  std::string_view AsString(std::string_view fallback = {}) const;
  std::string ToString(std::string_view fallback = {}) const {
    return std::string(AsString(fallback));
  }

  // The member, or null when there is none.
  const Value& operator[](std::string_view key) const;
  const Value& operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  const Value* Find(std::string_view key) const;
  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  // The item, or null when there is none.
  const Value& At(size_t index) const;
  // Number of items or members; 0 for anything else.
  size_t size() const;
  bool empty() const { return size() == 0; }
  std::span<const Value> Items() const;
  std::span<const Member> Members() const;

  // Writing. A value of another type becomes an object or array first (losing what it held).
  // Mutable adds a null member when the key is missing; Set returns *this to chain.
  Value& Mutable(std::string_view key);
  Value& Set(std::string_view key, Value value);
  // Set unless the key is present already.
  Value& SetDefault(std::string_view key, Value value);
  // Null when there is no such member; does not add one.
  Value* FindMutable(std::string_view key);
  bool Erase(std::string_view key);
  Value& Append(Value item);
  Value& MutableAt(size_t index);
  // Direct access to the items; this becomes an array.
  std::vector<Value>& MutableItems();
  // Direct access to the members, whose keys must stay sorted; this becomes an object.
  std::vector<Member>& MutableMembers();

  // Equal documents; 1 equals 1.0.
  friend bool operator==(const Value& a, const Value& b);
  // True when both share one representation, which implies equality and costs nothing.
  bool SameAs(const Value& other) const {
    return tag_ == other.tag_ && std::memcmp(data_, other.data_, sizeof data_) == 0;
  }

 private:
  struct Tag {
    static constexpr uint8_t kNull = 0, kBool = 1, kInt = 2, kDouble = 3, kHeapString = 4,
                             kArray = 5, kObject = 6, kSmallString = 0x80;
  };
  struct StringRep;
  struct ArrayRep;
  struct ObjectRep;

  bool IsSmall() const { return (tag_ & Tag::kSmallString) != 0; }
  void Store(int64_t bits) { std::memcpy(data_, &bits, sizeof bits); }
  int64_t Load() const {
    int64_t bits;
    std::memcpy(&bits, data_, sizeof bits);
    return bits;
  }
  template <typename Rep>
  Rep* As() const {
    Rep* rep;
    std::memcpy(&rep, data_, sizeof rep);
    return rep;
  }
  void StorePointer(const void* rep) { std::memcpy(data_, &rep, sizeof rep); }
  void Retain() const;
  void Release();
  ObjectRep& OwnObject();
  ArrayRep& OwnArray();

  alignas(8) char data_[15] = {};
  uint8_t tag_ = Tag::kNull;
};

struct Member {
  Value key;  // Always a string.
  Value value;

  std::string_view name() const { return key.AsString(); }
};

static_assert(sizeof(Value) == 16);

}  // namespace coppice::json
