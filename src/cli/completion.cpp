#include "cli/completion.h"

#include <fmt/format.h>

namespace coppice::cli {
namespace {

// Inside single quotes, for any of the three shells.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out + "'";
}

// Escapes the characters of zsh's own notation.
std::string ZshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> Words(const CommandShape& command) {
  std::vector<std::string> words = command.words;
  for (const auto& flag : command.flags) words.push_back(flag.name);
  return words;
}

std::string Bash(const std::vector<CommandShape>& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const CommandShape& command : commands) {
    names.push_back(command.name);
    cases += fmt::format("    {}) words={}{} ;;\n", command.name,
                         Quoted(fmt::format("{}", fmt::join(Words(command), " "))),
                         command.takes_objects ? "; objects=1" : "");
  }
  return fmt::format(R"sh(_coppice() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command= objects= word words
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {}) command=$word; break ;; esac
  done
  case $command in
{}    *) words={} ;;
  esac
  if [ -n "$objects" ] && [[ $current != -* ]]; then
    words="$words $("${{COMP_WORDS[0]}}" __names "${{COMP_WORDS[@]:1:COMP_CWORD-1}}" "$current" 2>/dev/null)"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}}
complete -o filenames -F _coppice coppice
)sh",
                     fmt::join(names, "|"), cases,
                     Quoted(fmt::format("{}", fmt::join(names, " "))));
}

std::string ZshArguments(const CommandShape& command) {
  if (command.takes_objects) return "*:object:_coppice_names";
  if (command.words.empty()) return "*:argument:_files";
  return fmt::format("*:argument:({})", fmt::join(command.words, " "));
}

std::string Zsh(const std::vector<CommandShape>& commands) {
  std::string list, cases;
  for (const CommandShape& command : commands) {
    list +=
        fmt::format("    {}\n", Quoted(fmt::format("{}:{}", command.name, ZshText(command.about))));
    cases += fmt::format("    {}) _arguments", command.name);
    for (const auto& flag : command.flags) {
      cases +=
          " " + Quoted(fmt::format("{}{}[{}]{}", flag.name, flag.takes_value ? "=" : "",
                                   ZshText(flag.about), flag.takes_value ? ":value:_files" : ""));
    }
    cases += " " + Quoted(ZshArguments(command)) + " ;;\n";
  }
  return fmt::format(R"sh(#compdef coppice
_coppice_names() {{
  compadd -- ${{(f)"$(coppice __names ${{words[1,CURRENT]}} 2>/dev/null)"}}
}}
_coppice() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
compdef _coppice coppice
)sh",
                     list, cases);
}

std::string Fish(const std::vector<CommandShape>& commands) {
  std::string out = "complete -c coppice -f\n";
  for (const CommandShape& command : commands) {
    out += fmt::format("complete -c coppice -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       Quoted(command.about));
    const std::string here = Quoted("__fish_seen_subcommand_from " + command.name);
    for (const auto& flag : command.flags) {
      out += fmt::format("complete -c coppice -n {} -l {}{} -d {}\n", here, flag.name.substr(2),
                         flag.takes_value ? " -r" : "", Quoted(flag.about));
    }
    if (command.takes_objects) {
      out += fmt::format("complete -c coppice -n {} -a {}\n", here,
                         Quoted("(coppice __names (commandline -opc)[2..] (commandline -ct) "
                                "2>/dev/null)"));
    }
    if (!command.words.empty()) {
      out += fmt::format("complete -c coppice -n {} -a {}\n", here,
                         Quoted(fmt::format("{}", fmt::join(command.words, " "))));
    }
  }
  return out;
}

}  // namespace

base::Result<std::string> CompletionScript(std::string_view shell,
                                           const std::vector<CommandShape>& commands) {
  if (shell == "bash") return Bash(commands);
  if (shell == "zsh") return Zsh(commands);
  if (shell == "fish") return Fish(commands);
  return base::InvalidArgument(
      fmt::format("no completion for \"{}\"; there is one for bash, zsh and fish", shell));
}

}  // namespace coppice::cli
