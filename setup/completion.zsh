#compdef heterotune
# setup/completion.zsh - command lines of heterotune in zsh, completed with what its --help and --list say.
# SPDX-License-Identifier: LGPL-2.1-or-later
# `make install` puts it where zsh looks for it; without that, name it _heterotune in a folder of $fpath. As completion.bash.

_heterotune_options() {
	"$1" "$2" --help 2> /dev/null < /dev/null |
		sed -nE 's/^  (-.), (--[^ ]+ ?[^ ]*)( .*|$)/\1 \2\n\2/p; s/^      (--[^ ]+ ?[^ ]*)( .*|$)/\1/p' |
		sed -E 's/^(-[^-]) --[^ ]+/\1/'
}

_heterotune_names() { "$1" "$2" --list 2> /dev/null < /dev/null | sed -nE "$3"'s/^([a-z][^ ]*) .*/\1/p'; }

_heterotune_commands() { "$1" --help 2> /dev/null < /dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p'; }

_heterotune() {
	local ht=$words[1] command=$words[2] cur=$words[CURRENT] option= i
	local -a found
	if (( CURRENT == 2 )); then
		found=($(_heterotune_commands $ht) help --help --version)
		compadd -- $found
		return
	fi
	for (( i = 3; i < CURRENT; i++ )); do
		case $words[i] in
		--) # what follows is another command with its own words
			if (( i == CURRENT - 1 )); then _command_names -e; else _files; fi
			return
			;;
		-*) option=$words[i] ;;
		esac
	done
	case $command,$cur in
	help,*)
		found=($(_heterotune_commands $ht))
		compadd -- $found
		return
		;;
	*,-*)
		found=($(_heterotune_options $ht $command | cut -d ' ' -f 1))
		compadd -- $found
		return
		;;
	esac
	# Values: compare's --policy takes several, all others the word after.
	[[ $option = $words[CURRENT-1] || $command = compare ]] || option=
	case $command,$option in
	replay,-p | replay,--policy | compare,-p | compare,--policy) found=($(_heterotune_names $ht replay '1d;')) ;;
	export,-f | export,--format) found=($(_heterotune_names $ht export '')) ;;
	plot,--only)
		compset -P '*,' # several, separated by commas
		found=($(_heterotune_names $ht plot '1d;'))
		;;
	plot,--term) found=(png svg pdf blocks dumb) ;;
	replay,--format) found=(chrome paje) ;;
	graph,) (( CURRENT > 3 )) || found=($(_heterotune_names $ht graph '1d;')) ;;
	*,-*) # "on|off", "recorded|SHARE"
		found=($(_heterotune_options $ht $command | sed -n "s/^$option .*|.*/&/p" | cut -d ' ' -f 2 |
			tr '|' '\n' | grep -E '^[a-z]+$'))
		;;
	esac
	if (( $#found )); then compadd -- $found; else _files; fi
}

# zsh has read this as the function that completes, the first time it is asked.
[[ $funcstack[1] != _heterotune ]] || _heterotune "$@"
