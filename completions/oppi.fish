# fish completion for oppi

function __oppi_complete
    set -l words (commandline -opc)
    set -l raw (commandline -ct)
    # string unescape fails for an open quote; remove the quote character instead.
    set -l typed (string unescape -- $raw; or string replace -r '[\'"]' '' -- $raw)
    set -l answer (command oppi __complete -- $words[2..] "$typed" 2>/dev/null </dev/null)

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

complete -c oppi -f -k -a '(__oppi_complete)'
