// SPDX-License-Identifier: MIT

import CommandTable
import TestSupport
import Testing

/// The scripts in real shells, with a stand-in for the program.
@Suite("Completion scripts", .fewAtOnce)
struct CompletionScriptTests {
  /// Answers completion requests, and otherwise appends its arguments to a file, one line per call.
  private static let standIn = #"""
    #!/bin/sh
    if [ "$1" != __complete ]; then
        printf '<%s>' "$@" >>arguments
        echo >>arguments
        exit
    fi
    for typed; do :; done
    case $typed in
        fi* | --file=*) echo :files; exit ;;
        di* | --folder=*) echo :directories; exit ;;
        MY) printf 'My Server\tlaptop\n'; exit ;;
        HOME:*) printf 'home:work\tlaptop\n'; exit ;;
        --ws=*) option=--ws= ;;
        *) option= ;;
    esac
    for value in home:work home:play 'office|main' 'My Server' "it's \$HOME" \
        --dash 'a "b" `c` \d' größe
    do
        case $option$value in
            "$typed"*) printf '%s\tabout %s\n' "$option$value" "$value" ;;
        esac
    done

    """#

  private func home(of shell: CompletionShell) throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write(Self.standIn, to: "bin/oppi", mode: 0o755)
    try scratch.write(shell.script(for: SampleTool.tool.name), to: shell.scriptPath)
    try scratch.write(shell.startUpFile.text, to: shell.startUpFile.path)
    try scratch.write("", to: "first file.txt")
    try scratch.write("", to: "dir one/file")
    try scratch.write("", to: "dirfile")
    return scratch
  }

  // MARK: - Typing

  /// The typed text, where `⇥` is the tab key, and the arguments that the program receives.
  private static let lines: [(typed: String, arguments: String)] = [
    ("ask -w home:w⇥", "<ask><-w><home:work>"),
    ("ask -w hom⇥w⇥", "<ask><-w><home:work>"),
    ("ask -w MY⇥", "<ask><-w><My Server>"),
    ("ask -w home\\:w⇥", "<ask><-w><home:work>"),
    ("ask -w 'home:w⇥", "<ask><-w><home:work>"),
    ("ask -w off⇥", "<ask><-w><office|main>"),
    ("ask -w My⇥", "<ask><-w><My Server>"),
    ("ask -w My\\ S⇥", "<ask><-w><My Server>"),
    ("ask -w 'My S⇥", "<ask><-w><My Server>"),
    ("ask -w \"My S⇥", "<ask><-w><My Server>"),
    ("ask -w it⇥", "<ask><-w><it's $HOME>"),
    ("ask -w 'it⇥", "<ask><-w><it's $HOME>"),
    ("ask -w \"it⇥", "<ask><-w><it's $HOME>"),
    ("ask -w a⇥", "<ask><-w><a \"b\" `c` \\d>"),
    ("ask -w \"a⇥", "<ask><-w><a \"b\" `c` \\d>"),
    ("ask -w --d⇥", "<ask><-w><--dash>"),
    ("ask -w grö⇥", "<ask><-w><größe>"),
    ("ask --ws=home:w⇥", "<ask><--ws=home:work>"),
    ("ask --ws=My⇥", "<ask><--ws=My Server>"),
    ("ask --ws='My S⇥", "<ask><--ws=My Server>"),
    ("ask --ws=\"home:w⇥", "<ask><--ws=home:work>"),
    ("ask 'a b' -w My⇥ x", "<ask><a b><-w><My Server><x>"),
    ("ask -w nothing⇥", "<ask><-w><nothing>"),
    ("ask -F fi⇥", "<ask><-F><first file.txt>"),
    ("ask -F 'fi⇥", "<ask><-F><first file.txt>"),
    ("ask --file=fi⇥", "<ask><--file=first file.txt>"),
    ("ask --folder=di⇥", "<ask><--folder=dir one>"),
    ("ask -d dir⇥", "<ask><-d><dir one>"),
  ]

  @Test(
    "an inserted candidate reaches the program as its value",
    .needs("script"),
    arguments: CompletionShell.installed
  )
  func typing(shell: CompletionShell) async throws {
    let scratch = try home(of: shell)
    let keys = Self.lines.map { "oppi \($0.typed.replacing("⇥", with: "\t"))\r" }
    let result = try await scratch.run(
      "timeout",
      ["85", "script", "-qec", shell.interactiveCommand, "/dev/null"],
      input: keys.joined() + "exit\r"
    )
    // Some shells append a slash to the name of a folder.
    let arguments = scratch.read("arguments")?.replacing("/>", with: ">").split(separator: "\n")
    #expect(arguments == Self.lines.map { $0.arguments[...] }, "\(result.transcript)")
  }

  // MARK: - Listing

  @Test("bash describes candidates only when it lists them", .needs("bash"))
  func bashListing() async throws {
    let commands = """
      source oppi.bash
      COMP_LINE='oppi ask -w home:' COMP_POINT=17 COMP_TYPE=63 && _oppi
      printf '[%s]' "${COMPREPLY[@]}"
      COMP_TYPE=9 && _oppi
      printf '[%s]' "${COMPREPLY[@]}"
      COMP_LINE='oppi ask -w home:work tail' COMP_POINT=18 COMP_TYPE=63 && _oppi
      printf '[%s]' "${COMPREPLY[@]}"
      COMP_LINE='oppi ask -w HOME:w' COMP_POINT=18 && _oppi
      printf '[%s]' "${COMPREPLY[@]}"
      """
    let result = try await home(of: .bash).run("bash", ["--norc", "-c", commands])
    #expect(
      result.transcript
        == "[work  -- about home:work][play  -- about home:play][work][play][work][][exit 0]"
    )
  }

  @Test("fish shows descriptions beside candidates", .needs("fish"))
  func fishListing() async throws {
    let result = try await home(of: .fish).run("fish", ["-c", "complete -C 'oppi ask -w home'"])
    #expect(
      result.transcript == "home:work\tabout home:work\nhome:play\tabout home:play\n[exit 0]"
    )
  }

  @Test(
    "zsh lists candidates with descriptions in the program's order",
    .needs("zsh")
  )
  func zshListing() async throws {
    let commands = """
      compadd() { printf '[%s]' "${values[@]}" "${displays[@]}" }
      compdef() { : }
      source functions/_oppi
      words=(oppi ask -w ho) CURRENT=4 PREFIX=ho
      typeset -A compstate
      _oppi
      """
    let result = try await home(of: .zsh).run("zsh", ["-f", "-c", commands])
    #expect(
      result.transcript
        == "[home:work][home:play][home:work  -- about home:work][home:play  -- about home:play]"
        + "[exit 0]"
    )
  }

  // MARK: - Lint

  @Test("the shell's syntax check accepts its script", arguments: CompletionShell.installed)
  func syntax(shell: CompletionShell) async throws {
    let result = try await home(of: shell).run(shell.rawValue, ["-n", shell.scriptPath])
    #expect(result.transcript == "[exit 0]")
  }

  @Test(
    "shellcheck accepts the bash script",
    .needs("shellcheck")
  )
  func shellcheck() async throws {
    let result = try await home(of: .bash).run("shellcheck", ["-s", "bash", "oppi.bash"])
    #expect(result.transcript == "[exit 0]")
  }
}

extension CompletionShell {
  fileprivate static let installed = allCases.filter { has($0.rawValue) }

  /// The script's path in the shell's home.
  fileprivate var scriptPath: String {
    switch self {
    case .bash: "oppi.bash"
    case .zsh: "functions/_oppi"
    case .fish: ".config/fish/completions/oppi.fish"
    }
  }

  /// The start-up file in the shell's home, through which the shell finds the script.
  fileprivate var startUpFile: (path: String, text: String) {
    switch self {
    case .bash:
      (".bashrc", "source ~/oppi.bash\n")
    case .zsh:
      (".zshrc", "fpath=(~/functions $fpath); autoload -Uz compinit; compinit -u -D\n")
    case .fish:
      // Without this folder, fish fills it in the background for half a minute.
      (".local/share/fish/generated_completions/none.fish", "")
    }
  }

  fileprivate var interactiveCommand: String {
    self == .bash ? "bash --noprofile --rcfile .bashrc -i" : "\(rawValue) -i"
  }
}
