#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cel/program.h"
#include "json/value.h"

namespace coppice::api {

// One of x-kubernetes-validations.
class CompiledRule {
 public:
  static base::Result<CompiledRule> Compile(const json::Value& rule);

  const cel::Program& program() const { return program_; }
  const std::optional<cel::Program>& message_program() const { return message_program_; }
  // Compares with the state before: only checked on updates, unless `optional_old`.
  bool UsesOld() const { return program_.Uses("oldSelf"); }
  bool optional_old() const { return optional_old_; }
  const std::string& reason() const { return reason_; }
  const std::string& field_path() const { return field_path_; }
  // "failed rule: …" where the author gave none.
  const std::string& message() const { return message_; }
  // What an error calls the rule that it comes from.
  const std::string& title() const { return title_; }

 private:
  explicit CompiledRule(cel::Program program) : program_(std::move(program)) {}

  cel::Program program_;
  std::optional<cel::Program> message_program_;
  bool optional_old_ = false;
  std::string reason_;
  std::string field_path_;
  std::string message_;
  std::string title_;
};

}  // namespace coppice::api
