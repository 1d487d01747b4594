#pragma once

#include <string>
#include <string_view>
#include <vector>

// The forms that Kubernetes demands of names, label keys and label values. Each function returns
// what is wrong, in Kubernetes' words; nothing when the text is well formed.
namespace coppice::api {

using Problems = std::vector<std::string>;

Problems Dns1123LabelProblems(std::string_view text);      // "my-name", at most 63 bytes.
Problems Dns1123SubdomainProblems(std::string_view text);  // "example.com", at most 253 bytes.
Problems Dns1035LabelProblems(std::string_view text);      // As a label; starts with a letter.
Problems LabelKeyProblems(std::string_view text);          // "app" or "example.com/app".
Problems LabelValueProblems(std::string_view text);        // May be empty.

// Several problems in one text, as Kubernetes joins them.
std::string JoinProblems(const Problems& problems);

}  // namespace coppice::api
