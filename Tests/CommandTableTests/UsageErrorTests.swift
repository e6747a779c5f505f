// SPDX-License-Identifier: MIT

import CommandTable
import Testing

@Suite("Usage errors")
struct UsageErrorTests {
  /// A wrong command line with its expected message, hint and command path.
  struct Case: Sendable, CustomTestStringConvertible {
    let words: [String]
    let message: String
    let hint: String
    let path: [String]

    var testDescription: String { words.joined(separator: " ") }

    init(_ words: [String], _ message: String, _ hint: String, _ path: [String] = []) {
      self.words = words
      self.message = message
      self.hint = hint
      self.path = path
    }
  }

  private static let cases: [Case] = [
    // Commands
    Case([], "no command given", "see 'oppi --help'"),
    Case(["--json"], "no command given", "see 'oppi --help'"),
    Case(["aks"], "unknown command 'aks'", "did you mean 'ask'?"),
    Case(["ASK"], "unknown command 'ASK'", "did you mean 'ask'?"),
    Case(["sess"], "unknown command 'sess'", "did you mean 'sessions'?"),
    Case(["login"], "unknown command 'login'", "pair with a server: oppi pair INVITE"),
    Case(["LOGIN"], "unknown command 'LOGIN'", "pair with a server: oppi pair INVITE"),
    Case(
      ["servers", "login"],
      "unknown command 'login'",
      "see 'oppi servers --help'",
      ["servers"]
    ),
    Case(["frobnicate"], "unknown command 'frobnicate'", "see 'oppi --help'"),
    Case(["__complet"], "unknown command '__complet'", "see 'oppi --help'"),
    Case(["aks", "--help"], "unknown command 'aks'", "did you mean 'ask'?"),
    Case([""], "unknown command ''", "see 'oppi --help'"),
    Case(["-"], "unknown command '-'", "see 'oppi --help'"),
    Case(
      ["schedule"],
      "'oppi schedule' needs a command: add or remove",
      "see 'oppi schedule --help'",
      ["schedule"]
    ),
    Case(
      ["schedule", "remov"],
      "unknown command 'remov'",
      "did you mean 'remove'?",
      ["schedule"]
    ),
    Case(["servers", "nope"], "unknown command 'nope'", "see 'oppi servers --help'", ["servers"]),

    // Options
    Case(["ask", "--jsno"], "unknown option '--jsno'", "did you mean '--json'?", ["ask"]),
    Case(["ask", "--jsno=x"], "unknown option '--jsno'", "did you mean '--json'?", ["ask"]),
    Case(["ask", "-json"], "unknown option '-j' in '-json'", "did you mean '--json'?", ["ask"]),
    Case(["ask", "-x"], "unknown option '-x'", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "-nx"], "unknown option '-x' in '-nx'", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "--kye"], "unknown option '--kye'", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "--mod"], "unknown option '--mod'", "did you mean '--model'?", ["ask"]),
    Case(["ask", "--fil"], "unknown option '--fil'", "did you mean '--file'?", ["ask"]),
    Case(["ask", "--=x"], "unknown option '--=x'", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "-=x"], "unknown option '-=' in '-=x'", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "---"], "unknown option '---'", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "--no-wait"], "unknown option '--no-wait'", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "--no-json"], "unknown option '--no-json'", "see 'oppi ask --help'", ["ask"]),
    Case(["stop", "-x"], "unknown option '-x'", "see 'oppi stop --help'", ["stop"]),
    Case(
      ["stop", "--CzT5M5I"],
      "unknown option '--CzT5M5I'",
      "to use it as SESSION, write: -- --CzT5M5I",
      ["stop"]
    ),
    Case(["-w", "x", "ask"], "unknown option '-w'", "-w must follow the command: oppi ask -w"),
    Case(
      ["--limit", "ls"],
      "unknown option '--limit'",
      "--limit must follow the command: oppi sessions --limit"
    ),

    Case(
      ["ask", "- fix it"],
      "unknown option '- ' in '- fix it'",
      "put -- before a text that starts with a hyphen: oppi ask -- '- fix it'",
      ["ask"]
    ),
    Case(
      ["ask", "--wat is this"],
      "unknown option '--wat is this'",
      "put -- before a text that starts with a hyphen: oppi ask -- '--wat is this'",
      ["ask"]
    ),

    // Values
    Case(["ask", "--model"], "--model needs a value (MODEL)", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "-nm"], "-m needs a value (MODEL)", "see 'oppi ask --help'", ["ask"]),
    Case(["--color"], "--color needs a value (auto|always|never)", "see 'oppi --help'"),
    Case(["ask", "--json=x"], "--json takes no value", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "--json="], "--json takes no value", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "-n=x"], "-n takes no value", "see 'oppi ask --help'", ["ask"]),
    Case(["ask", "--help=x"], "--help takes no value", "see 'oppi ask --help'", ["ask"]),
    Case(
      ["ask", "--no-animation=x"],
      "--no-animation takes no value",
      "see 'oppi ask --help'",
      ["ask"]
    ),
    Case(
      ["ls", "-n", "ten"],
      "-n expects a whole number, not 'ten'",
      "see 'oppi sessions --help'",
      ["sessions"]
    ),
    Case(
      ["ls", "--limit="],
      "--limit expects a whole number, not ''",
      "see 'oppi sessions --help'",
      ["sessions"]
    ),
    Case(
      ["ls", "--color=alway"],
      "--color expects auto, always or never, not 'alway'",
      "did you mean 'always'?",
      ["sessions"]
    ),
    Case(
      ["ls", "--timeout", "soon"],
      "--timeout expects a duration such as 500ms, 5s, 10m, 2h or 7d, not 'soon'",
      "see 'oppi sessions --help'",
      ["sessions"]
    ),
    Case(
      ["completions", "alwys"],
      "SHELL expects auto, always or never, not 'alwys'",
      "did you mean 'always'?",
      ["completions"]
    ),
    Case(["stop", ""], "SESSION expects an id, not ''", "see 'oppi stop --help'", ["stop"]),

    // Positional arguments
    Case(
      ["stop"],
      "SESSION is missing",
      "SESSION: which session; see 'oppi stop --help'",
      ["stop"]
    ),
    Case(
      ["schedule", "add", "x"],
      "TIME is missing",
      "TIME: when to run it; see 'oppi schedule add --help'",
      ["schedule", "add"]
    ),
    Case(["stop", "a", "b"], "unexpected argument 'b'", "see 'oppi stop --help'", ["stop"]),
    Case(
      ["servers", "--offline", "list"],
      "unexpected argument 'list'",
      "see 'oppi servers list --help'",
      ["servers", "list"]
    ),

    // Contradictions
    Case(
      ["ask", "--wait", "--follow"],
      "--wait and --follow exclude each other",
      "see 'oppi ask --help'",
      ["ask"]
    ),

    // The first mistake is reported; words are escaped and shortened.
    Case(
      ["ask", "--nope", "--model"],
      "unknown option '--nope'",
      "see 'oppi ask --help'",
      ["ask"]
    ),
    Case(
      ["a\n\u{1B}[31mb\u{9B}"],
      "unknown command 'a\\n\\u{1B}[31mb\\u{009B}'",
      "see 'oppi --help'"
    ),
    Case(
      ["a\u{202E}b\u{2028}"],
      "unknown command 'a\\u{202E}b\\u{2028}'",
      "see 'oppi --help'"
    ),
    Case(
      ["stop", "a", String(repeating: "x", count: 100)],
      "unexpected argument '\(String(repeating: "x", count: 59))…'",
      "see 'oppi stop --help'",
      ["stop"]
    ),
  ]

  @Test("each mistake has its own message and hint", arguments: cases)
  func message(wrong: Case) {
    let error = #expect(throws: UsageError.self) { try SampleTool.tool.parse(wrong.words) }
    #expect(error?.message == wrong.message)
    #expect(error?.hint == wrong.hint)
    #expect(error?.commandPath == wrong.path)
  }

  @Test("a command's own error keeps its hint")
  func ownHint() {
    let error = UsageError(.custom("no prompt"), hint: "pass - to read standard input")
    #expect(error.message == "no prompt")
    #expect(error.hint == "pass - to read standard input")
    #expect(error.commandPath.isEmpty)
  }
}
