// SPDX-License-Identifier: MIT

/// A program that shows a menu: it reads one row per line and prints the chosen one.
package struct Picker: Sendable {
  package enum Place: Sendable {
    case terminal
    case wayland
    case x11
  }

  /// What the program prints for the chosen row.
  package enum Answer: Sendable {
    /// The index, from 0.
    case index
    case row
    /// The whole row after hidden fields: its index and its subject.
    case field
  }

  package let name: String
  /// The environments in which it works; one of them is enough.
  package let places: Set<Place>
  package let answer: Answer
  /// The arguments for a menu of rows.
  let rowArguments: @Sendable (_ prompt: String) -> [String]
  /// The arguments for typed text, without rows.
  let textArguments: @Sendable (_ prompt: String) -> [String]
  /// The arguments for a menu in which all rows are visible in order, with the first one selected.
  ///
  /// They override the user's own settings of the program. `nil` if the program does not support
  /// that; it is then not used for approvals.
  var decisionArguments: (@Sendable (_ prompt: String) -> [String])?
  /// The environment variables from which the program takes options.
  var optionVariables: Set<String> = []

  /// All known pickers, in order of preference.
  static let all = [
    Picker(
      name: "fzf",
      places: [.terminal],
      answer: .field,
      rowArguments: { prompt in
        [
          "--prompt=\(prompt)> ", "--delimiter=\t", "--with-nth=4..", "--tiebreak=index",
        ] + plainFzf
      },
      textArguments: {
        ["--prompt=\($0)> ", "--print-query", "--info=hidden"] + plainFzf.dropFirst()
      },
      decisionArguments: { prompt in
        [
          "--prompt=\(prompt)> ", "--delimiter=\t", "--with-nth=4..", "--layout=reverse",
          "--no-sort", "--disabled",
        ]
      },
      optionVariables: ["FZF_DEFAULT_OPTS", "FZF_DEFAULT_OPTS_FILE"]
    ),
    Picker(
      name: "fuzzel",
      places: [.wayland],
      answer: .index,
      rowArguments: { ["--dmenu", "--index", "--lines=\(lines)", wide, "--prompt=\($0): "] },
      textArguments: { ["--dmenu", "--lines=0", wide, "--prompt=\($0): "] },
      decisionArguments: {
        [
          "--config=/dev/null", "--dmenu", "--index", "--lines=\(lines)", wide,
          "--prompt=\($0): ",
        ]
      }
    ),
    Picker(
      name: "rofi",
      places: [.x11],
      answer: .index,
      rowArguments: { ["-dmenu", "-i", "-no-custom", "-format", "i", "-l", "\(lines)", "-p", $0] },
      textArguments: { ["-dmenu", "-l", "0", "-p", $0] },
      decisionArguments: {
        [
          "-no-config", "-dmenu", "-i", "-no-custom", "-format", "i", "-l", "\(lines)", "-p", $0,
          "-theme-str", "window {width: \(columns + 8)ch;}",
        ]
      }
    ),
    Picker(
      name: "wofi",
      places: [.wayland],
      answer: .row,
      rowArguments: {
        [
          "--dmenu", "--insensitive", "--cache-file=/dev/null", "--lines=\(lines)",
          "--prompt=\($0)",
        ]
      },
      textArguments: { ["--dmenu", "--cache-file=/dev/null", "--lines=1", "--prompt=\($0)"] }
    ),
    Picker(
      name: "bemenu",
      places: [.wayland, .x11],
      answer: .row,
      rowArguments: { ["--ignorecase", "--list=\(lines)", "--prompt=\($0)"] },
      textArguments: { ["--prompt=\($0)"] },
      decisionArguments: { ["--ignorecase", "--list=\(lines)", "--prompt=\($0)"] },
      optionVariables: ["BEMENU_OPTS"]
    ),
    Picker(
      name: "dmenu",
      places: [.x11],
      answer: .row,
      rowArguments: { ["-i", "-l", "\(lines)", "-p", $0] },
      textArguments: { ["-p", $0] },
      decisionArguments: { ["-i", "-l", "\(lines)", "-p", $0] }
    ),
  ]

  /// An unknown program: it gets the rows unchanged, and no arguments.
  static func other(_ name: String) -> Picker {
    Picker(
      name: name,
      places: [.terminal, .wayland, .x11],
      answer: .row,
      rowArguments: { _ in [] },
      textArguments: { _ in [] }
    )
  }

  /// The number of visible rows.
  package static let lines = 15
  /// The maximum width of a row in a decision.
  package static let columns = 56
  /// The width of fuzzel, whose default is about half of it.
  private static let wide = "--width=\(columns + 4)"

  /// Reverts `FZF_DEFAULT_OPTS` that change the answer; the first is only for menus of rows.
  private static let plainFzf = [
    "--no-print-query", "--no-multi", "--no-expect", "--no-ansi", "--no-print0", "--no-select-1",
    "--no-exit-0",
  ]

  package var isOnTerminal: Bool { places == [.terminal] }

  /// Whether it can be shown if the user names it; supported displays depend on its version.
  func canBeShown(in there: Set<Place>) -> Bool {
    if isOnTerminal { return there.contains(.terminal) }
    // An unknown program may need neither.
    return places.contains(.terminal) || !there.isDisjoint(with: [.wayland, .x11])
  }
}

/// How much of a menu is visible at once, regardless of the program's settings.
package struct MenuSight: Equatable, Sendable {
  package let columns: Int
  package let rows: Int

  package init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
  }
}

struct ChosenPicker: Sendable {
  let picker: Picker
  /// The program and the user's own arguments.
  let words: [String]

  struct Environment {
    var places: Set<Picker.Place>
    var has: (String) -> Bool
  }

  /// Selects the program that the user named, else the first installed picker that works here.
  init(_ named: [String]?, in environment: Environment) throws(MenuError) {
    if let named, let program = named.first {
      let name = program.split(separator: "/").last.map(String.init) ?? program
      picker = Picker.all.first { $0.name == name } ?? .other(program)
      words = named
      guard environment.has(program) else { throw .noSuchProgram(program) }
      guard picker.canBeShown(in: environment.places) else {
        throw .noPlace(program: name, needsTerminal: picker.isOnTerminal)
      }
      return
    }
    let fitting = Picker.all.filter { !$0.places.isDisjoint(with: environment.places) }
    guard let picker = fitting.first(where: { environment.has($0.name) }) else {
      throw .noProgram(fitting: fitting.map(\.name))
    }
    self.picker = picker
    words = [picker.name]
  }

  /// The command with arguments; the user's own follow and take precedence.
  func words(with arguments: [String]) -> [String] {
    words.prefix(1) + arguments + words.dropFirst()
  }
}
