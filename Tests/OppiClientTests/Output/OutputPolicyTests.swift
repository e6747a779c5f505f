// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import OppiClient

@Suite struct OutputPolicyTests {
  /// The input of a policy, and the expected theme.
  struct Case: Sendable {
    var color = ColorChoice.auto
    var environment: [String: String] = [:]
    var isTerminal = true
    var theme: Theme
  }

  @Test(
    "--color takes precedence over NO_COLOR, then TERM=dumb, then the terminal",
    arguments: [
      Case(theme: .standard), Case(isTerminal: false, theme: .plain),
      Case(environment: ["NO_COLOR": "1"], theme: .plain),
      Case(environment: ["NO_COLOR": ""], theme: .standard),
      Case(environment: ["TERM": "dumb"], theme: .plain),
      Case(environment: ["TERM": "linux"], theme: .linuxConsole),
      Case(environment: ["TERM": "linux"], isTerminal: false, theme: .plain),
      Case(environment: ["TERM": "linux", "NO_COLOR": "1"], theme: .plain),
      Case(color: .always, environment: ["TERM": "linux"], theme: .linuxConsole),
      Case(color: .always, environment: ["NO_COLOR": "1"], isTerminal: false, theme: .standard),
      Case(color: .never, theme: .plain),
    ]
  )
  func theme(_ test: Case) {
    var options = GlobalOptions()
    options.color = test.color
    let policy = OutputPolicy(
      options: options,
      environment: test.environment,
      destination: .init(isOutputTerminal: test.isTerminal, isErrorTerminal: true, width: nil)
    )
    #expect(policy.theme == test.theme)
  }

  @Test(
    "the setting of the theme decides where the command line and the environment do not",
    arguments: [
      (.auto, .auto, "xterm", .standard, .standard, true),
      (.auto, .dark, "xterm-direct", .dark, .exact, false),
      (.auto, .light, "xterm-256color", .light, .indexed, false),
      (.auto, .mono, "xterm", .mono, .standard, false),
      (.auto, .standard, "xterm", .standard, .standard, false),
      (.auto, .dark, "dumb", .plain, .standard, false),
      (.auto, .dark, "linux", .linuxConsole, .standard, false),
      (.never, .dark, "xterm", .plain, .standard, false),
      (.always, .dark, "dumb", .dark, .standard, false),
    ] as [(ColorChoice, ThemeChoice, String, Theme.Scheme, ColorDepth, Bool)]
  )
  func setting(
    option: ColorChoice,
    choice: ThemeChoice,
    terminal: String,
    scheme: Theme.Scheme,
    depth: ColorDepth,
    followsBackground: Bool
  ) {
    var options = GlobalOptions()
    options.color = option
    let colors = [Style.code: Appearance("red") ?? Appearance()]
    let policy = OutputPolicy(
      options: options,
      environment: ["TERM": terminal],
      destination: .init(isOutputTerminal: true, isErrorTerminal: true, width: nil)
    ).applying(choice, replacing: colors)
    #expect((policy.theme.scheme, policy.errorTheme.scheme) == (scheme, scheme))
    if scheme != .plain { #expect(policy.theme.depth == depth) }
    let isReplaced = scheme != .plain && scheme != .linuxConsole
    #expect((policy.theme.codes(of: .code) == [31]) == isReplaced)
    #expect(policy.followsBackground == followsBackground)
  }

  @Test(
    "the option decides on the accessible mode, then ACCESSIBLE, then the setting",
    arguments: [
      (false, nil, false, nil), (false, nil, true, .bySetting), (false, "", true, .bySetting),
      (false, "1", false, .byVariable), (false, "yes", true, .byVariable),
      (false, "0", true, nil), (true, "0", false, .byOption), (true, nil, true, .byOption),
    ] as [(Bool, String?, Bool, AccessibleMode?)]
  )
  func accessible(option: Bool, variable: String?, setting: Bool, mode: AccessibleMode?) {
    var options = GlobalOptions()
    options.isAccessible = option
    let policy = OutputPolicy(
      options: options,
      environment: ["TERM": "xterm"].merging(variable.map { ["ACCESSIBLE": $0] } ?? [:]) { $1 },
      destination: .init(isOutputTerminal: true, isErrorTerminal: true, width: nil)
    ).applying(isAccessible: setting)
    #expect(policy.accessible == mode)
    #expect(policy.canDraw == (mode == nil))
  }

  @Test(
    "the marks of Markdown stay without styles and for listeners, and the addresses without links",
    arguments: [
      (["TERM": "xterm"], MarkdownLook.styled), (["TERM": "foot"], .linked),
      (["TERM": "foot", "NO_COLOR": "1"], .marked), (["TERM": "dumb"], .marked),
      (["TERM": "foot", "ACCESSIBLE": "1"], .spoken),
    ]
  )
  func look(environment: [String: String], look: MarkdownLook) {
    let policy = OutputPolicy(
      options: GlobalOptions(),
      environment: environment,
      destination: .init(isOutputTerminal: true, isErrorTerminal: true, width: nil)
    )
    #expect(policy.look == look)
  }

  @Test("the width is the terminal's, else COLUMNS, else 80")
  func width() {
    func width(_ terminal: Int?, _ columns: String?) -> Int {
      OutputPolicy(
        options: GlobalOptions(),
        environment: columns.map { ["COLUMNS": $0] } ?? [:],
        destination: .init(isOutputTerminal: true, isErrorTerminal: true, width: terminal)
      ).width
    }
    #expect(width(120, "40") == 120)
    #expect(width(nil, "40") == 40)
    #expect(width(nil, "wide") == 80)
    #expect(width(nil, nil) == 80)
  }

  @Test("--json selects JSON for any destination; otherwise a terminal gets text for people")
  func form() {
    func form(isJSON: Bool, isTerminal: Bool) -> OutputForm {
      var options = GlobalOptions()
      options.isJSON = isJSON
      return OutputPolicy(
        options: options,
        environment: [:],
        destination: .init(isOutputTerminal: isTerminal, isErrorTerminal: true, width: 80)
      ).form
    }
    #expect(form(isJSON: true, isTerminal: true) == .json)
    #expect(form(isJSON: true, isTerminal: false) == .json)
    #expect(form(isJSON: false, isTerminal: true) == .terminal)
    #expect(form(isJSON: false, isTerminal: false) == .pipe)
  }
}
