#!/usr/bin/env zsh
# SPDX-License-Identifier: Apache-2.0
# Types each line into an interactive zsh, presses Tab, and prints the line as it then is:
#
#   zsh_complete.zsh FOLDER LINE...    FOLDER has the file _refract
zmodload zsh/zpty
folder=$1
shift
zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "PS1=; PROMPT=; RPROMPT=; unsetopt zle_bracketed_paste 2>/dev/null; fpath=(${(q)folder} \$fpath)"
zpty -w shell "autoload -Uz compinit && compinit -u -D"
# Control-X prints the line and empties it.
zpty -w shell "show() { print -r -- \$'\\n'LINE:\$BUFFER:; BUFFER=; zle accept-line }; zle -N show; bindkey '^X' show"
zpty -w shell "print -r READ''Y"
zpty -r shell output '*READY*' || exit 1
for line in "$@"; do
  zpty -w -n shell "$line"$'\t\x18'
  zpty -r shell output '*LINE:*:*' || exit 1
  output=${output##*LINE:}
  print -r -- ${output%%:*}
done
zpty -d shell
