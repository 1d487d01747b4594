#pragma once

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <string_view>
#include <type_traits>

// Described structs, from which schemas and CRDs are generated (api/typed/crd.h).
//
// A struct lists its members once, named as in the API; where C++ reserves a name, a trailing
// underscore is added, which the JSON key does not have:
//
//   struct PodCliqueSpec {
//     std::string roleName;
//     int32_t replicas = 0;
//     std::optional<int32_t> minAvailable;
//     std::vector<std::string> startsAfter;
//     json::Value podSpec;  // Kept as it is.
//   };
//   BOOST_DESCRIBE_STRUCT(PodCliqueSpec, (), (roleName, replicas, minAvailable, startsAfter,
//   podSpec))
//
// Members may be: std::string, bool, int32_t, int64_t, double, base::Quantity, json::Value
// (anything), described enums (by enumerator name), described structs (members of described bases
// count as their own), and std::optional, std::vector and std::map<std::string, …> of these.
namespace coppice::api::typed {

template <typename T>
concept DescribedStruct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <typename T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;

template <typename T>
using MembersOf = boost::describe::describe_members<T, boost::describe::mod_public |
                                                           boost::describe::mod_inherited>;

// The JSON key of a member or enumerator: its name without the trailing underscore.
constexpr std::string_view KeyOf(std::string_view name) {
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

}  // namespace coppice::api::typed
