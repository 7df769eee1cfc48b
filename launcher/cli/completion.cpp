#include <ostream>

#include "launcher/cli/help.hpp"
#include "launcher/cli/option_table.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

std::vector<std::string> spellings_with(const std::string& values) {
  std::vector<std::string> spellings;
  for (const OptionRow& row : option_table()) {
    if (row.values == values) spellings.insert(spellings.end(), row.spellings.begin(), row.spellings.end());
  }
  return spellings;
}

std::string spellings_of_arity(int arity, const std::string& separator) {
  std::vector<std::string> spellings;
  for (const OptionRow& row : option_table()) {
    if (row.arity == arity) spellings.insert(spellings.end(), row.spellings.begin(), row.spellings.end());
  }
  return join_text(spellings, separator);
}

void complete_words(std::ostream& out, const std::string& option, const std::string& words) {
  out << "    " << option << ") COMPREPLY=($(compgen -W '" << words << "' -- \"$current\")); return ;;\n";
}

}  // namespace

void print_bash_completion(std::ostream& out) {
  std::vector<std::string> all;
  for (const OptionRow& row : option_table()) all.insert(all.end(), row.spellings.begin(), row.spellings.end());
  out << "# bash completion of ringrun's options; of the program behind them, files.\n"
         "_ringrun() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} at word\n"
         "  for ((at = 1; at < COMP_CWORD; ++at)); do\n"
         "    word=${COMP_WORDS[at]}\n"
         "    case $word in\n"
         "    "
      << spellings_of_arity(2, "|")
      << ") ((at += 2)) ;;\n"
         "    "
      << spellings_of_arity(1, "|")
      << ") ((at += 1)) ;;\n"
         "    -*|=|:) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
         "    esac\n"
         "  done\n"
         "  case $previous in\n"
         "    "
      << join_text(spellings_with("FILE"), "|")
      << ") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
         "    "
      << join_text(spellings_with("DIR"), "|") << ") COMPREPLY=($(compgen -d -- \"$current\")); return ;;\n";
  complete_words(out, "--engine", "auto openmpi slurm");
  complete_words(out, "--transport", "mpi nccl");
  complete_words(out, "--on-hang", "end report");
  complete_words(out, "--map-by|-map-by", "slot node core numa package ppr:1:node seq");
  complete_words(out, "--rank-by|-rank-by", "slot node fill span");
  complete_words(out, "--bind-to|-bind-to", "none core hwthread l3cache numa package");
  out << "    " << spellings_of_arity(1, "|")
      << ") return ;;\n"
         "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W '"
      << join_text(all, " ")
      << "' -- \"$current\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$current\"; compgen -c -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _ringrun ringrun\n";
}

}  // namespace ringrun
