// SPDX-License-Identifier: MIT

/// The completion script for bash; the program itself computes the candidates.
public enum BashCompletion {
  /// Returns the script, ending with a line break.
  ///
  /// It requires bash 4.4 and nothing else.
  ///
  /// - Parameter name: The program's name: letters, digits and `.+_-`.
  /// - Returns: The script.
  public static func script(for name: String) -> String {
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
}
