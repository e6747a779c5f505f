// SPDX-License-Identifier: MIT

/// A shell with a completion script, to which the program itself gives the candidates.
package enum CompletionShell: String, Sendable, CaseIterable, ArgumentValue {
  case bash
  case zsh
  case fish

  /// Returns the script, ending with a line break, for a program whose name has letters, digits and
  /// `.+_-`.
  package func script(for name: String) -> String {
    switch self {
    case .bash: Self.bash(name)
    case .zsh: Self.zsh(name)
    case .fish: Self.fish(name)
    }
  }

  /// Requires bash 4.4 and nothing else.
  private static func bash(_ name: String) -> String {
    #"""
    # bash completion for \#(name)

    # Splits the line up to the cursor into words like bash, without expansions.
    # Sets words, quote (the open quote character, if any) and cut (the number of
    # characters of the last word that readline keeps, up to a break such as ":").
    _\#(name)_split() {
        local line=${COMP_LINE:0:COMP_POINT} char word='' started=''
        local -i i before=0
        words=() quote='' cut=0
        for ((i = 0; i < ${#line}; i++)); do
            char=${line:i:1}
            if [[ $char == \\ && $quote != "'" ]]; then
                i+=1
                char=${line:i:1}
                [[ $quote && $char != [\\\"\$\`] ]] && word+=\\
                word+=$char
            elif [[ $quote ]]; then
                if [[ $char == "$quote" ]]; then
                    quote='' cut=$before
                else
                    word+=$char
                fi
            elif [[ $char == [\'\"] ]]; then
                quote=$char before=$cut cut=${#word}
            elif [[ $char == [[:space:]] ]]; then
                [[ $started ]] && words+=("$word")
                word='' started='' cut=0
                continue
            else
                word+=$char
                [[ $COMP_WORDBREAKS == *"$char"* ]] && cut=${#word}
            fi
            started=1
        done
        words+=("$word")
    }

    _\#(name)() {
        local words quote line value
        local -i cut
        local -a answer descriptions=()
        COMPREPLY=()
        _\#(name)_split
        mapfile -t answer < <(
            command \#(name) __complete -- "${words[@]:1}" 2>/dev/null </dev/null
        )
        case ${answer[*]} in
            :files) compopt -o default 2>/dev/null; return ;;
            :directories) compopt -o dirnames 2>/dev/null; return ;;
        esac
        compopt -o nosort 2>/dev/null

        for line in "${answer[@]}"; do
            value=${line%%$'\t'*}
            # readline cannot change the part that it keeps, not even its case.
            [[ ${value:0:cut} == "${words[-1]:0:cut}" ]] || continue
            value=${value:cut}
            case $quote in
                "'") value=${value//\'/\'\\\'\'} ;;
                '"')
                    value=${value//\\/\\\\}
                    value=${value//\"/\\\"}
                    value=${value//\$/\\\$}
                    value=${value//\`/\\\`}
                    ;;
                *) printf -v value %q "$value" ;;
            esac
            COMPREPLY+=("$value")
            descriptions+=("${line#*$'\t'}")
        done

        # Add descriptions only to a list that is shown; bash would insert them otherwise.
        if [[ $COMP_TYPE == 63 && ${#COMPREPLY[@]} -gt 1 ]]; then
            local -i i
            for i in "${!COMPREPLY[@]}"; do
                [[ ${descriptions[i]} ]] && COMPREPLY[i]+="  -- ${descriptions[i]}"
            done
        fi
    }

    complete -F _\#(name) \#(name)

    """#
  }

  /// Works in a folder of `fpath` and when sourced.
  private static func zsh(_ name: String) -> String {
    #"""
    #compdef \#(name)

    _\#(name)() {
        local typed=$PREFIX line value description
        local -a lines values displays
        local -i width=0

        # In an open quote, PREFIX is already unquoted.
        [[ -n $compstate[quote] ]] || typed=${(Q)PREFIX}
        lines=("${(@f)$(
            command \#(name) __complete -- "${(@Q)words[2,CURRENT-1]}" "$typed" \
                2>/dev/null </dev/null
        )}")

        case $lines[1] in
            :files) compset -P '--*='; _files; return ;;
            :directories) compset -P '--*='; _files -/; return ;;
        esac

        for line in $lines; do
            value=${line%%$'\t'*}
            values+=("$value")
            (( ${#value} > width )) && width=${#value}
        done
        for line in $lines; do
            value=${line%%$'\t'*} description=${line#*$'\t'}
            [[ -n $description ]] && value="${(r:width:)value}  -- $description"
            displays+=("$value")
        done
        # The program has matched the candidates; keep those that differ in case.
        compadd -l -d displays -V \#(name) \
            -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -a -- values
    }

    if [[ $funcstack[1] == _\#(name) ]]; then
        _\#(name) "$@"
    else
        compdef _\#(name) \#(name)
    fi

    """#
  }

  /// Requires fish 3.4.
  private static func fish(_ name: String) -> String {
    #"""
    # fish completion for \#(name)

    function __\#(name)_complete
        set -l words (commandline -opc)
        set -l raw (commandline -ct)
        # string unescape fails for an open quote; remove the quote character instead.
        set -l typed (string unescape -- $raw; or string replace -r '[\'"]' '' -- $raw)
        set -l answer (command \#(name) __complete -- $words[2..] "$typed" 2>/dev/null </dev/null)

        switch "$answer"
            case :files :directories
                set -l option (string match -r -- '^--[^=]*=' $typed)
                set -l path (string replace -r -- '^--[^=]*=' '' $typed)
                set -l complete_paths __fish_complete_path
                test "$answer" = :directories; and set complete_paths __fish_complete_directories
                for found in ($complete_paths "$path")
                    echo "$option$found"
                end
            case '*'
                printf '%s\n' $answer
        end
    end

    complete -c \#(name) -f -k -a '(__\#(name)_complete)'

    """#
  }
}
