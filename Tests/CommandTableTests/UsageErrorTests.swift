// SPDX-License-Identifier: MIT

import Testing

@testable import CommandTable

@Suite("Usage errors")
struct UsageErrorTests {
  /// A wrong command line with its expected message, hint and command path.
  struct Case: Sendable, CustomTestStringConvertible {
    let words: [String]
    let message: String
    let hint: String
    let path: [String]

    var testDescription: String { words.joined(separator: " ") }

    init(_ words: [String], _ message: String, _ hint: String, in path: String = "") {
      self.words = words
      self.message = message
      self.hint = hint
      self.path = path.split(separator: " ").map(String.init)
    }

    /// A command line whose words are separated by blanks.
    init(_ line: String, _ message: String, _ hint: String, in path: String = "") {
      self.init(line.split(separator: " ").map(String.init), message, hint, in: path)
    }
  }

  private static let commandList = "list the commands with: oppi -h"
  private static let askOptions =
    "options: --workspace, --model, --thinking, --session, --file, --wait, --follow, --dry-run"
  private static let askUsage = "usage: oppi ask [OPTION]... [PROMPT...]"
  private static let stopUsage = "usage: oppi stop [OPTION]... SESSION"

  private static let cases: [Case] = [
    // Commands
    Case([], "no command given", "usage: oppi [OPTION]... COMMAND [ARGUMENT]..."),
    Case("--json", "no command given", "usage: oppi [OPTION]... COMMAND [ARGUMENT]..."),
    Case("aks", "unknown command 'aks'", "did you mean 'ask'?"),
    Case("ASK", "unknown command 'ASK'", "did you mean 'ask'?"),
    Case("sess", "unknown command 'sess'", "did you mean 'sessions'?"),
    Case("login", "unknown command 'login'", "pair with a server: oppi pair INVITE"),
    Case("LOGIN", "unknown command 'LOGIN'", "pair with a server: oppi pair INVITE"),
    Case("servers login", "unknown command 'login'", "commands: list, rename", in: "servers"),
    Case("frobnicate", "unknown command 'frobnicate'", commandList),
    Case("__complet", "unknown command '__complet'", commandList),
    Case("aks --help", "unknown command 'aks'", "did you mean 'ask'?"),
    Case([""], "unknown command ''", commandList),
    Case("-", "unknown command '-'", commandList),
    Case(
      "schedule",
      "'oppi schedule' needs a command: add or remove",
      "usage: oppi schedule COMMAND [ARGUMENT]...",
      in: "schedule"
    ),
    Case("schedule remov", "unknown command 'remov'", "did you mean 'remove'?", in: "schedule"),
    Case("servers nope", "unknown command 'nope'", "commands: list, rename", in: "servers"),

    Case("servers mv", "unknown command 'mv'", "did you mean 'rename'?", in: "servers"),
    Case("schedule delete", "unknown command 'delete'", "did you mean 'remove'?", in: "schedule"),

    // Options
    Case("ask --jsno", "unknown option '--jsno'", "did you mean '--json'?", in: "ask"),
    Case("ask --jsno=x", "unknown option '--jsno'", "did you mean '--json'?", in: "ask"),
    Case("ask -json", "unknown option '-j' in '-json'", "did you mean '--json'?", in: "ask"),
    Case("ask -x", "unknown option '-x'", askOptions, in: "ask"),
    Case("ask -nx", "unknown option '-x' in '-nx'", askOptions, in: "ask"),
    Case("ask --kye", "unknown option '--kye'", askOptions, in: "ask"),
    Case("ask --mod", "unknown option '--mod'", "did you mean '--model'?", in: "ask"),
    Case("ask --fil", "unknown option '--fil'", "did you mean '--file'?", in: "ask"),
    Case("ask --=x", "unknown option '--=x'", askOptions, in: "ask"),
    Case("ask -=x", "unknown option '-=' in '-=x'", askOptions, in: "ask"),
    Case("ask ---", "unknown option '---'", askOptions, in: "ask"),
    Case("ask --no-wait", "unknown option '--no-wait'", askOptions, in: "ask"),
    Case("ask --no-json", "unknown option '--no-json'", askOptions, in: "ask"),
    Case("stop -x", "unknown option '-x'", "options: --session", in: "stop"),
    Case(
      "stop --CzT5M5I",
      "unknown option '--CzT5M5I'",
      "to use it as SESSION, write: -- --CzT5M5I",
      in: "stop"
    ),
    Case("-w x ask", "unknown option '-w'", "-w must follow the command: oppi ask -w"),
    Case(
      "--limit sessions",
      "unknown option '--limit'",
      "--limit must follow the command: oppi sessions --limit"
    ),

    Case(
      ["ask", "- fix it"],
      "unknown option '- ' in '- fix it'",
      "put -- before a text that starts with a hyphen: oppi ask -- '- fix it'",
      in: "ask"
    ),
    Case(
      ["ask", "--wat is this"],
      "unknown option '--wat is this'",
      "put -- before a text that starts with a hyphen: oppi ask -- '--wat is this'",
      in: "ask"
    ),

    // Values
    Case("ask --model", "--model needs a value (MODEL)", "--model: which model answers", in: "ask"),
    Case("ask -nm", "-m needs a value (MODEL)", "-m: which model answers", in: "ask"),
    Case("--color", "--color needs a value (auto|always|never)", "--color: when to use colour"),
    Case("ask --json=x", "--json takes no value", "--json: print JSON", in: "ask"),
    Case("ask --json=", "--json takes no value", "--json: print JSON", in: "ask"),
    Case("ask -n=x", "-n takes no value", "-n: only say what would be sent", in: "ask"),
    Case(
      "ask --help=x",
      "--help takes no value",
      "--help: show help; -h shows a summary",
      in: "ask"
    ),
    Case(
      "sessions -n ten",
      "-n expects a whole number, not 'ten'",
      "-n: show at most so many",
      in: "sessions"
    ),
    Case(
      "sessions --limit=",
      "--limit expects a whole number, not ''",
      "--limit: show at most so many",
      in: "sessions"
    ),
    Case(
      "sessions --color=alway",
      "--color expects auto, always or never, not 'alway'",
      "did you mean 'always'?",
      in: "sessions"
    ),
    Case(
      "sessions --timeout soon",
      "--timeout expects a duration such as 500ms, 5s, 10m, 2h or 7d, not 'soon'",
      "--timeout: give up after this long",
      in: "sessions"
    ),
    Case(
      "completions alwys",
      "SHELL expects auto, always or never, not 'alwys'",
      "did you mean 'always'?",
      in: "completions"
    ),
    Case(["stop", ""], "SESSION expects an id, not ''", "SESSION: which session", in: "stop"),

    // Positional arguments
    Case("stop", "SESSION is missing", stopUsage, in: "stop"),
    Case(
      "schedule add x",
      "TIME is missing",
      "usage: oppi schedule add NAME TIME...",
      in: "schedule add"
    ),
    Case("stop a b", "unexpected argument 'b'", stopUsage, in: "stop"),
    Case(
      "servers --offline list",
      "unexpected argument 'list'",
      "usage: oppi servers list [OPTION]...",
      in: "servers list"
    ),

    // Contradictions
    Case("ask --wait --follow", "--wait and --follow exclude each other", askUsage, in: "ask"),

    // The first mistake is reported; words are escaped and shortened.
    Case("ask --nope --model", "unknown option '--nope'", askOptions, in: "ask"),
    Case(["a\n\u{1B}[31mb\u{9B}"], "unknown command 'a\\n\\u{1B}[31mb\\u{009B}'", commandList),
    Case(["a\u{202E}b\u{2028}"], "unknown command 'a\\u{202E}b\\u{2028}'", commandList),
    Case(
      ["stop", "a", String(repeating: "x", count: 100)],
      "unexpected argument '\(String(repeating: "x", count: 59))…'",
      stopUsage,
      in: "stop"
    ),
  ]

  @Test("each mistake has its own message and hint", arguments: cases)
  func message(wrong: Case) {
    let error = #expect(throws: UsageError.self) { try SampleTool.tool.parse(wrong.words) }
    #expect(error?.message == wrong.message)
    #expect(error?.hint == wrong.hint)
    #expect(error?.commandPath == wrong.path)
  }

  @Test("up to eight options of a command are listed in the hint", arguments: [1, 8, 9])
  func options(count: Int) {
    let flags = (1...count).map { number -> Argument<StopOptions> in
      .flag("f\(number)", \.session, "A flag")
    }
    let command = SampleTool.Command(
      "many",
      "Has options",
      group: "G",
      options: StopOptions(),
      arguments: flags,
      run: { options, journal in await journal.write(options) }
    )
    let tool = SampleTool.Tool(commands: [command])
    let error = #expect(throws: UsageError.self) { try tool.parse(["many", "--nope"]) }
    let isListed = error?.hint?.hasPrefix("options: --f1") == true
    #expect(isListed == (count <= 8), "\(error?.hint ?? "")")
  }

  @Test("a command's own error keeps its hint")
  func ownHint() {
    let error = UsageError(.custom("no prompt"), hint: "pass - to read standard input")
    #expect(error.message == "no prompt")
    #expect(error.hint == "pass - to read standard input")
    #expect(error.commandPath.isEmpty)
  }
}

@Suite("Suggestions")
struct SuggestionsTests {
  @Test(
    "the distance counts insertions, deletions, replacements and swaps",
    arguments: [
      ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "ab", 1),
      ("abc", "xabc", 1), ("abc", "abx", 1), ("abc", "acb", 1), ("abcd", "badc", 2),
      ("kitten", "sitting", 3), ("ca", "abc", 3),
    ]
  )
  func distance(a: String, b: String, expected: Int) {
    #expect(Suggestions.distance(Array(a), Array(b)) == expected)
    #expect(Suggestions.distance(Array(b), Array(a)) == expected)
  }

  @Test(
    "at most two of the closest names are suggested",
    arguments: [
      ("lst", ["list", "last", "lust", "x"], ["list", "last"]),
      ("statsu", ["status", "start"], ["status"]),
      ("stat", ["start", "status"], ["start", "status"]),
      ("LIST", ["list"], ["list"]),
      ("make", ["name", "take"], ["take"]),
      ("make", ["name"], []),
      ("workspcae", ["workspaces"], ["workspaces"]),
      ("x", ["list"], []),
      ("", ["a"], []),
      ("--", ["--a"], []),
      (String(repeating: "a", count: 41), [String(repeating: "a", count: 41)], []),
    ]
  )
  func closest(word: String, candidates: [String], expected: [String]) {
    #expect(Suggestions.closest(to: word, among: candidates) == expected)
  }

  @Test(
    "a word that names an action suggests only names of the same action",
    arguments: [
      ("remove", ["list", "forget", "revoke"], "did you mean 'forget'?"),
      ("Remove", ["list", "revoke"], nil), ("rm", ["list", "drop"], "did you mean 'drop'?"),
      ("forgt", ["list", "forget", "revoke"], "did you mean 'forget'?"),
      ("revok", ["list", "forget", "revoke"], "did you mean 'revoke'?"),
    ] as [(String, [String], String?)]
  )
  func actions(word: String, names: [String], hint: String?) {
    #expect(Suggestions.hint(forCommand: word, among: names) == hint)
  }

  @Test("a hint quotes the suggested names")
  func hint() {
    #expect(
      Suggestions.hint(for: "lst", among: ["list", "last"]) == "did you mean 'list' or 'last'?"
    )
    #expect(Suggestions.hint(for: "zzz", among: ["list"]) == nil)
  }
}
