#include "api/schema/errors/field_path.h"

#include <fmt/format.h>

#include <iterator>

namespace coppice::api {

std::string FieldPath::ToString() const {
  std::string out;
  AppendTo(out, false);
  return out;
}

std::string FieldPath::Names() const {
  std::string out;
  AppendTo(out, true);
  return out;
}

void FieldPath::AppendTo(std::string& out, bool names_only) const {
  if (parent_ != nullptr) parent_->AppendTo(out, names_only);
  switch (kind_) {
    case Kind::kRoot:
      return;
    case Kind::kEntry:
      if (names_only) return;
      [[fallthrough]];
    case Kind::kChild:
      if (!out.empty()) out += '.';
      out += name_;
      return;
    case Kind::kIndex:
      if (!names_only) fmt::format_to(std::back_inserter(out), "[{}]", index_);
      return;
    case Kind::kKey:
      if (!names_only) fmt::format_to(std::back_inserter(out), "[{}]", name_);
      return;
  }
}

}  // namespace coppice::api
