# setup/completion.bash - command lines of heterotune in bash, completed with what its --help and --list say.
# SPDX-License-Identifier: LGPL-2.1-or-later
# `make install` puts it where bash-completion looks for it; without that, source it.

# The options of a command with the names of their values: "--output RUN". A short option has a line of its own.
_heterotune_options() {
	"$1" "$2" --help 2> /dev/null < /dev/null |
		sed -nE 's/^  (-.), (--[^ ]+ ?[^ ]*)( .*|$)/\1 \2\n\2/p; s/^      (--[^ ]+ ?[^ ]*)( .*|$)/\1/p' |
		sed -E 's/^(-[^-]) --[^ ]+/\1/'
}

# The first word of the lines after the title of a --list that stand at its left.
_heterotune_names() { "$1" "$2" --list 2> /dev/null < /dev/null | sed -nE "$3"'s/^([a-z][^ ]*) .*/\1/p'; }

_heterotune() {
	local ht=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} option='' words='' before='' i
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words="$("$ht" --help 2> /dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p') help --help --version"
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) # what follows is another command with its own words
			if [ "$i" -eq $((COMP_CWORD - 1)) ]; then mapfile -t COMPREPLY < <(compgen -c -- "$cur"); fi
			return
			;;
		-*) option=${COMP_WORDS[i]} ;;
		esac
	done
	case $command,$cur in
	help,*)
		words=$("$ht" --help 2> /dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p')
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
		;;
	*,-*)
		words=$(_heterotune_options "$ht" "$command" | cut -d ' ' -f 1)
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
		;;
	esac
	# Values: compare's --policy takes several, all others the word after.
	[ "$option" = "${COMP_WORDS[COMP_CWORD - 1]}" ] || [ "$command" = compare ] || option=''
	case $command,$option in
	replay,-p | replay,--policy | compare,-p | compare,--policy) words=$(_heterotune_names "$ht" replay 1d\;) ;;
	export,-f | export,--format) words=$(_heterotune_names "$ht" export '') ;;
	plot,--only) # several, separated by commas
		words=$(_heterotune_names "$ht" plot 1d\;)
		[ "${cur%,*}" = "$cur" ] || before=${cur%,*},
		;;
	plot,--term) words='png svg pdf blocks dumb' ;;
	replay,--format) words='chrome paje' ;;
	graph,) [ "$COMP_CWORD" -gt 2 ] || words=$(_heterotune_names "$ht" graph 1d\;) ;;
	*,-*) # "on|off", "recorded|SHARE"
		words=$(_heterotune_options "$ht" "$command" | sed -n "s/^$option .*|.*/&/p" | cut -d ' ' -f 2 |
			tr '|' '\n' | grep -E '^[a-z]+$')
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${cur#"$before"}")
}

complete -o bashdefault -o default -F _heterotune heterotune
