# setup/completion.fish - command lines of heterotune in fish, completed with what its --help and --list say.
# SPDX-License-Identifier: LGPL-2.1-or-later
# `make install` puts it where fish looks for it; without that, source it. As completion.bash.

function __heterotune_options
    $argv[1] $argv[2] --help 2>/dev/null </dev/null |
        sed -nE 's/^  (-.), (--[^ ]+ ?[^ ]*)( .*|$)/\1 \2\n\2/p; s/^      (--[^ ]+ ?[^ ]*)( .*|$)/\1/p' |
        sed -E 's/^(-[^-]) --[^ ]+/\1/'
end

function __heterotune_names
    $argv[1] $argv[2] --list 2>/dev/null </dev/null | sed -nE $argv[3]'s/^([a-z][^ ]*) .*/\1/p'
end

function __heterotune_commands
    $argv[1] --help 2>/dev/null </dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p'
end

# A line for each word that may stand here; none where files do.
function __heterotune_words
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l ht $words[1]
    set -l option ''
    if test (count $words) -eq 1
        __heterotune_commands $ht
        printf '%s\n' help --help --version
        return
    end
    set -l command $words[2]
    for word in $words[3..-1]
        switch $word
            case --
                __fish_complete_subcommand --fcs-skip=(math (contains -i -- -- $words))
                return
            case '-*'
                set option $word
        end
    end
    if test $command = help
        __heterotune_commands $ht
        return
    end
    if string match -q -- '-*' $cur
        __heterotune_options $ht $command | cut -d ' ' -f 1
        return
    end
    # Values: compare's --policy takes several, all others the word after.
    if test "$option" != "$words[-1]" -a $command != compare
        set option ''
    end
    switch $command,$option
        case replay,-p replay,--policy compare,-p compare,--policy
            __heterotune_names $ht replay '1d;'
        case export,-f export,--format
            __heterotune_names $ht export ''
        case plot,--only # several, separated by commas
            set -l before (string replace -r '[^,]*$' '' -- $cur)
            printf "$before%s\n" (__heterotune_names $ht plot '1d;')
        case plot,--term
            printf '%s\n' png svg pdf blocks dumb
        case replay,--format
            printf '%s\n' chrome paje
        case graph,
            if test (count $words) -eq 2
                __heterotune_names $ht graph '1d;'
            end
        case '*,-*' # "on|off", "recorded|SHARE"
            __heterotune_options $ht $command | sed -n "s/^$option .*|.*/&/p" | cut -d ' ' -f 2 | tr '|' '\n' |
                grep -E '^[a-z]+$'
    end
end

complete -c heterotune -a '(__heterotune_words)'
