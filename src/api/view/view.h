#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "json/value.h"

// Typed views and editors of API objects: the building blocks of the headers api/view/GROUP.h and
// api/edit/GROUP.h. tools/make_views.py generates those when the build is configured: from the
// tables of built-in and foreign kinds (api/schema/tables, api/foreign), from the tables of other
// documents (api/documents), and from the structs of our own (api/grove, api/kai).
//
//   #include "api/view/core.h"
//
//   const view::core::Pod pod(object);  // Views do not own: `object` must outlive them.
//   if (pod.spec().nodeName().empty()) …
//   for (const view::core::Container container : pod.spec().containers()) …
//   if (pod.metadata().labels()["app"] == "web") …
//
//   #include "api/edit/core.h"
//
//   const edit::core::Pod edit(object);
//   edit.spec().set_nodeName("n1").set_priority(100);
//   edit.spec().add_tolerations().set_key("gpu").set_operator_("Exists");
//   edit.metadata().labels().Set("app", "web");
//
// The names themselves, for what takes a name (patches, paths), are in api/key/GROUP.h:
// key::core::PodSpec::nodeName.
//
// A field is called as in the API; a trailing underscore marks a name that C++ reserves. A field
// that is missing or of another type reads as "", 0, false, an empty list or an empty view: the API
// server has checked objects against their schema. Scalars take a fallback for that case:
// `spec().schedulerName("default-scheduler")`. A view is a pointer: copy it, pass it by value.
namespace coppice::view {

class View {
 public:
  explicit View(const json::Value& value) : value_(&value) {}
  explicit View(json::Value&&) = delete;

  const json::Value& Json() const { return *value_; }
  // Whether there is such an object at all.
  explicit operator bool() const { return value_->IsObject(); }
  // Equal documents.
  friend bool operator==(View a, View b) { return *a.value_ == *b.value_; }

 protected:
  const json::Value& Field(std::string_view key) const { return (*value_)[key]; }
  bool HasField(std::string_view key) const { return value_->Has(key); }

 private:
  const json::Value* value_;
};

// How an item of a list or map reads: text as std::string_view, structs as their view, the rest as
// it is.
template <typename T>
T ReadAs(const json::Value& value) {
  return T(value);
}
template <>
inline std::string_view ReadAs(const json::Value& value) {
  return value.AsString();
}
template <>
inline int64_t ReadAs(const json::Value& value) {
  return value.AsInt();
}
template <>
inline bool ReadAs(const json::Value& value) {
  return value.AsBool();
}
template <>
inline double ReadAs(const json::Value& value) {
  return value.AsDouble();
}
template <>
inline const json::Value& ReadAs(const json::Value& value) {
  return value;
}

template <typename T>
class List {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = T;

    Iterator() = default;
    explicit Iterator(const json::Value* item) : item_(item) {}
    T operator*() const { return ReadAs<T>(*item_); }
    Iterator& operator++() { return ++item_, *this; }
    Iterator operator++(int) { return Iterator(item_++); }
    friend bool operator==(Iterator a, Iterator b) = default;

   private:
    const json::Value* item_ = nullptr;
  };

  explicit List(const json::Value& value) : value_(&value) {}
  explicit List(json::Value&&) = delete;

  Iterator begin() const { return Iterator(value_->Items().data()); }
  Iterator end() const { return Iterator(value_->Items().data() + value_->Items().size()); }
  size_t size() const { return value_->IsArray() ? value_->size() : 0; }
  bool empty() const { return size() == 0; }
  // An empty view where there are not so many.
  T At(size_t index) const { return ReadAs<T>(value_->At(index)); }
  const json::Value& Json() const { return *value_; }

 private:
  const json::Value* value_;
};

template <typename T>
class Map {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::pair<std::string_view, T>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    Iterator() = default;
    explicit Iterator(const json::Member* member) : member_(member) {}
    value_type operator*() const { return {member_->name(), ReadAs<T>(member_->value)}; }
    Iterator& operator++() { return ++member_, *this; }
    Iterator operator++(int) { return Iterator(member_++); }
    friend bool operator==(Iterator a, Iterator b) = default;

   private:
    const json::Member* member_ = nullptr;
  };

  explicit Map(const json::Value& value) : value_(&value) {}
  explicit Map(json::Value&&) = delete;

  // An empty view, "" or 0 if there is no such key.
  T operator[](std::string_view key) const { return ReadAs<T>((*value_)[key]); }
  bool Has(std::string_view key) const { return value_->Has(key); }
  // In the order of their keys.
  Iterator begin() const { return Iterator(value_->Members().data()); }
  Iterator end() const { return Iterator(value_->Members().data() + value_->Members().size()); }
  size_t size() const { return value_->IsObject() ? value_->size() : 0; }
  bool empty() const { return size() == 0; }
  const json::Value& Json() const { return *value_; }

 private:
  const json::Value* value_;
};

// Of resources, as in `requests` and `allocatable`: strings or numbers, to be parsed.
using Quantities = Map<const json::Value&>;

}  // namespace coppice::view

namespace coppice::edit {

// A part of a document to write to; it must outlive the editor, and what an editor refers to is
// gone when its parent is written to past it (json::Value::Mutable).
class Edit {
 public:
  explicit Edit(json::Value& value) : value_(&value) {}

  json::Value& Json() const { return *value_; }

 protected:
  json::Value& Field(std::string_view key) const { return value_->Mutable(key); }
  void SetField(std::string_view key, json::Value value) const {
    value_->Set(key, std::move(value));
  }
  void ClearField(std::string_view key) const { value_->Erase(key); }

 private:
  json::Value* value_;
};

// A list of structs: each item has its own editor. Grows to at least the requested size.
template <typename T>
class List {
 public:
  explicit List(json::Value& value) : value_(&value) {}

  size_t size() const { return value_->size(); }
  T At(size_t index) const { return T(value_->MutableAt(index)); }
  T Add() const {
    value_->Append(json::Value::Object());
    return T(value_->MutableAt(value_->size() - 1));
  }
  json::Value& Json() const { return *value_; }

 private:
  json::Value* value_;
};

// A map from strings to scalars.
class Map {
 public:
  explicit Map(json::Value& value) : value_(&value) {}

  const Map& Set(std::string_view key, json::Value value) const {
    value_->Set(key, std::move(value));
    return *this;
  }
  bool Erase(std::string_view key) const { return value_->Erase(key); }
  json::Value& Json() const { return *value_; }

 private:
  json::Value* value_;
};

}  // namespace coppice::edit
