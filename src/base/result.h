#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace coppice::base {

// A value or the error that prevented it. Reading the value of a failed result is a broken
// invariant and stops the process.
//
//   base::Result<Pod> pod = Read(name);
//   if (!pod) return pod.error();
//   Use(*pod);
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() & {
    COPPICE_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    COPPICE_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T value_or(T fallback) const& { return ok() ? value() : std::move(fallback); }

  const Error& error() const {
    COPPICE_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  bool Is(ErrorCode code) const { return !ok() && error().Is(code); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    COPPICE_CHECK(error_.has_value());
    return *error_;
  }
  bool Is(ErrorCode code) const { return error_ && error_->Is(code); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace coppice::base

#define COPPICE_CONCAT_INNER(a, b) a##b
#define COPPICE_CONCAT(a, b) COPPICE_CONCAT_INNER(a, b)

// Returns from the enclosing function when `expression` (a Result or Status) failed.
#define COPPICE_TRY(expression) \
  COPPICE_TRY_IMPL(COPPICE_CONCAT(coppice_try_, __COUNTER__), expression)
#define COPPICE_TRY_IMPL(temporary, expression) \
  do {                                          \
    auto&& temporary = (expression);            \
    if (!temporary) return temporary.error();   \
  } while (false)

// Declares `variable` from a Result, or returns its error.
//
//   COPPICE_ASSIGN(Pod pod, Read(name));
#define COPPICE_ASSIGN(variable, expression) \
  COPPICE_ASSIGN_IMPL(COPPICE_CONCAT(coppice_result_, __COUNTER__), variable, expression)
#define COPPICE_ASSIGN_IMPL(temporary, variable, expression) \
  auto temporary = (expression);                             \
  if (!temporary) return temporary.error();                  \
  variable = *std::move(temporary)
