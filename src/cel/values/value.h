#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/quantity.h"
#include "cel/values/semver.h"

namespace coppice::cel {

class Budget;
class Value;

// A list that lives elsewhere, such as in a JSON document.
class List {
 public:
  virtual ~List() = default;
  virtual size_t size() const = 0;
  virtual Value At(size_t index) const = 0;
  // Lists that are sets equal each other in any order.
  virtual bool IsUnordered() const { return false; }
};

// A map or object that lives elsewhere.
class Map {
 public:
  virtual ~Map() = default;
  virtual size_t size() const = 0;
  // Sets `out` and returns true if the key exists.
  virtual bool Find(const Value& key, Value& out) const = 0;
  virtual Value KeyAt(size_t index) const = 0;
};

// Something of the program around the expression that answers to methods, such as an authorizer.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string_view TypeName() const = 0;
  // NoOverload where it has no such method, or not with these arguments.
  virtual Value Call(std::string_view method, std::span<const Value> arguments) const = 0;
  // What `object.name` is; an error where it has no such field.
  virtual Value Field(std::string_view name) const;
};

using ListPtr = std::shared_ptr<const List>;
using MapPtr = std::shared_ptr<const Map>;
using ObjectPtr = std::shared_ptr<const Object>;

// A value of the expression language. Errors are values too: && and || may still give a result when
// one side is an error.
class Value {
 public:
  struct Null {
    friend bool operator==(const Null&, const Null&) = default;
  };
  struct Bytes {
    std::string data;
    friend bool operator==(const Bytes&, const Bytes&) = default;
  };
  struct Type {
    std::string name;
    friend bool operator==(const Type&, const Type&) = default;
  };
  struct Error {
    std::string message;
  };
  // Holds a value or nothing.
  struct Optional {
    std::shared_ptr<const Value> held;
  };
  using QuantityPtr = std::shared_ptr<const base::Quantity>;
  using SemverPtr = std::shared_ptr<const Semver>;
  using Held = std::variant<Null, bool, int64_t, uint64_t, double, std::string, Bytes, ListPtr,
                            MapPtr, base::Time, base::Duration, QuantityPtr, SemverPtr, ObjectPtr,
                            Optional, Type, Error>;

  Value() = default;
  Value(bool b) : held_(b) {}                                 // NOLINT: implicit by design
  Value(int64_t i) : held_(i) {}                              // NOLINT
  Value(int i) : held_(static_cast<int64_t>(i)) {}            // NOLINT
  Value(uint64_t u) : held_(u) {}                             // NOLINT
  Value(double d) : held_(d) {}                               // NOLINT
  Value(std::string text) : held_(std::move(text)) {}         // NOLINT
  Value(std::string_view text) : held_(std::string(text)) {}  // NOLINT
  Value(const char* text) : held_(std::string(text)) {}       // NOLINT
  Value(Bytes bytes) : held_(std::move(bytes)) {}             // NOLINT
  Value(ListPtr list) : held_(std::move(list)) {}             // NOLINT
  Value(MapPtr map) : held_(std::move(map)) {}                // NOLINT
  Value(ObjectPtr object) : held_(std::move(object)) {}       // NOLINT
  Value(base::Time time) : held_(time) {}                     // NOLINT
  Value(base::Duration duration) : held_(duration) {}         // NOLINT
  Value(const base::Quantity& quantity)                       // NOLINT
      : held_(std::make_shared<const base::Quantity>(quantity)) {}
  Value(Semver version)  // NOLINT
      : held_(std::make_shared<const Semver>(std::move(version))) {}
  Value(Type type) : held_(std::move(type)) {}  // NOLINT

  static Value MakeError(std::string message) { return Value(Error{std::move(message)}); }
  static Value NoOverload() { return MakeError("no such overload"); }
  static Value MakeList(std::vector<Value> items);
  // Of equal keys the last counts. The keys are such as IsMapKey allows.
  static Value MakeMap(std::vector<std::pair<Value, Value>> entries);
  static Value NoneOptional() { return Value(Optional{}); }
  static Value SomeOptional(Value value) {
    return Value(Optional{std::make_shared<const Value>(std::move(value))});
  }

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&held_);
  }
  bool IsError() const { return std::holds_alternative<Error>(held_); }
  bool IsNull() const { return std::holds_alternative<Null>(held_); }
  bool IsTrue() const { return As<bool>() != nullptr && *As<bool>(); }
  bool IsFalse() const { return As<bool>() != nullptr && !*As<bool>(); }
  bool IsNumber() const {
    return As<int64_t>() != nullptr || As<uint64_t>() != nullptr || As<double>() != nullptr;
  }
  const List* AsList() const { return As<ListPtr>() == nullptr ? nullptr : As<ListPtr>()->get(); }
  const Map* AsMap() const { return As<MapPtr>() == nullptr ? nullptr : As<MapPtr>()->get(); }
  const Object* AsObject() const {
    return As<ObjectPtr>() == nullptr ? nullptr : As<ObjectPtr>()->get();
  }
  // The message of an error, "" for anything else.
  std::string_view ErrorMessage() const {
    return IsError() ? std::string_view(As<Error>()->message) : std::string_view();
  }
  std::string_view TypeName() const;
  // Of a string or bytes, which are copied with the value; 0 for anything else.
  size_t TextSize() const;

 private:
  explicit Value(Error error) : held_(std::move(error)) {}
  explicit Value(Optional optional) : held_(std::move(optional)) {}

  Held held_;
};

// Deep equality; numbers compare by value, other types never equal each other. Charges what it
// reads; false once the budget is spent.
bool Equal(const Value& a, const Value& b, Budget& budget);

// Numbers without a fraction, strings and booleans may be keys of a map.
bool IsMapKey(const Value& value);

enum class Order { kLess, kEqual, kGreater, kUnordered, kNoOverload };
Order Compare(const Value& a, const Value& b);

}  // namespace coppice::cel
