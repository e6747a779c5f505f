// SPDX-License-Identifier: MIT

/// The completion script for zsh; the program itself computes the candidates.
public enum ZshCompletion {
  /// Returns the script, ending with a line break.
  ///
  /// It works in a folder of `fpath` and when sourced.
  ///
  /// - Parameter name: The program's name: letters, digits and `.+_-`.
  /// - Returns: The script.
  public static func script(for name: String) -> String {
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
}
