// SPDX-License-Identifier: MIT

/// A program that shows a menu: it reads one row per line and prints the chosen one.
package struct Picker: Sendable {
  package enum Display: Sendable {
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

  let name: String
  /// The environments in which it works; one of them is enough.
  let places: Set<Display>
  let answer: Answer
  /// The arguments for a menu of rows; in each argument, `{}` is the prompt.
  var rows: [String] = []
  /// The arguments for typed text, without rows.
  var text: [String] = []
  /// The arguments for a menu in which all rows are visible in order, with the first one selected.
  ///
  /// They override the user's own settings of the program. `nil` if the program does not support
  /// that; it is then not used for approvals.
  var decision: [String]?
  /// The environment variables from which the program takes options.
  var optionVariables: Set<String> = []

  /// All known pickers, in order of preference.
  static let all = [
    Picker(
      name: "fzf",
      places: [.terminal],
      answer: .field,
      rows: ["--prompt={}> ", "--delimiter=\t", "--with-nth=4..", "--tiebreak=index"] + plainFzf,
      text: ["--prompt={}> ", "--print-query", "--info=hidden"] + plainFzf.dropFirst(),
      decision: [
        "--prompt={}> ", "--delimiter=\t", "--with-nth=4..", "--layout=reverse", "--no-sort",
        "--disabled",
      ],
      optionVariables: ["FZF_DEFAULT_OPTS", "FZF_DEFAULT_OPTS_FILE"]
    ),
    Picker(
      name: "fuzzel",
      places: [.wayland],
      answer: .index,
      rows: ["--dmenu", "--index", "--lines=\(lines)", wide, "--prompt={}: "],
      text: ["--dmenu", "--lines=0", wide, "--prompt={}: "],
      decision: [
        "--config=/dev/null", "--dmenu", "--index", "--lines=\(lines)", wide, "--prompt={}: ",
      ]
    ),
    Picker(
      name: "rofi",
      places: [.x11],
      answer: .index,
      rows: ["-dmenu", "-i", "-no-custom", "-format", "i", "-l", "\(lines)", "-p", "{}"],
      text: ["-dmenu", "-l", "0", "-p", "{}"],
      decision: [
        "-no-config", "-dmenu", "-i", "-no-custom", "-format", "i", "-l", "\(lines)", "-p", "{}",
        "-theme-str", "window {width: \(columns + 8)ch;}",
      ]
    ),
    Picker(
      name: "wofi",
      places: [.wayland],
      answer: .row,
      rows: [
        "--dmenu", "--insensitive", "--cache-file=/dev/null", "--lines=\(lines)", "--prompt={}",
      ],
      text: ["--dmenu", "--cache-file=/dev/null", "--lines=1", "--prompt={}"]
    ),
    Picker(
      name: "bemenu",
      places: [.wayland, .x11],
      answer: .row,
      rows: ["--ignorecase", "--list=\(lines)", "--prompt={}"],
      text: ["--prompt={}"],
      decision: ["--ignorecase", "--list=\(lines)", "--prompt={}"],
      optionVariables: ["BEMENU_OPTS"]
    ),
    Picker(
      name: "dmenu",
      places: [.x11],
      answer: .row,
      rows: ["-i", "-l", "\(lines)", "-p", "{}"],
      text: ["-p", "{}"],
      decision: ["-i", "-l", "\(lines)", "-p", "{}"]
    ),
  ]

  /// An unknown program: it gets the rows unchanged, and no arguments.
  static func other(_ name: String) -> Picker {
    Picker(name: name, places: [.terminal, .wayland, .x11], answer: .row)
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

  var isOnTerminal: Bool { places == [.terminal] }

  /// Whether it can be shown if the user names it; supported displays depend on its version.
  func canBeShown(in there: Set<Display>) -> Bool {
    if isOnTerminal { return there.contains(.terminal) }
    // An unknown program may need neither.
    return places.contains(.terminal) || !there.isDisjoint(with: [.wayland, .x11])
  }
}

extension Picker {
  /// Selects the program that the user named, with the user's own arguments, else the first
  /// installed picker that works here.
  static func choose(
    _ named: [String]?,
    in places: Set<Display>,
    has: (String) -> Bool
  ) throws(MenuError) -> (picker: Picker, words: [String]) {
    if let named, let program = named.first {
      let name = program.split(separator: "/").last.map(String.init) ?? program
      let picker = all.first { $0.name == name } ?? .other(program)
      guard has(program) else { throw .noSuchProgram(program) }
      guard picker.canBeShown(in: places) else {
        throw .noPlace(program: name, needsTerminal: picker.isOnTerminal)
      }
      return (picker, named)
    }
    let fitting = all.filter { !$0.places.isDisjoint(with: places) }
    guard let picker = fitting.first(where: { has($0.name) }) else {
      throw .noProgram(fitting: fitting.map(\.name))
    }
    return (picker, [picker.name])
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
