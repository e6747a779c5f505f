// SPDX-License-Identifier: MIT

/// The completion script for fish; the program itself computes the candidates.
public enum FishCompletion {
  /// Returns the script, ending with a line break.
  ///
  /// It requires fish 3.4.
  ///
  /// - Parameter name: The program's name: letters, digits and `.+_-`.
  /// - Returns: The script.
  public static func script(for name: String) -> String {
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
