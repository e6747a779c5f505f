// SPDX-License-Identifier: MIT

/// A program that shows a menu: it reads rows, a line each, and prints the one that was chosen.
package struct Picker: Sendable {
  /// Where a menu can be shown.
  package enum Place: Sendable {
    case terminal
    case wayland
    case x11
  }

  /// What it prints of the row that was chosen.
  package enum Answer: Sendable {
    /// Its number, from 0 on.
    case index
    /// All of it.
    case row
    /// All of it with fields before it that are not shown: its number, and what it is about.
    case field
  }

  package let name: String
  /// The places where it works; any of them will do.
  package let places: Set<Place>
  package let answer: Answer
  /// The arguments for rows under a prompt.
  let rowArguments: @Sendable (_ prompt: String) -> [String]
  /// The arguments for a text that is typed; there are no rows then.
  let textArguments: @Sendable (_ prompt: String) -> [String]
  /// The arguments for rows of which all are to be seen in their order, with the first one chosen.
  ///
  /// The user's own settings of the program, which could change that, do not count. `nil` where that
  /// cannot be had, and nothing is approved by it.
  var decisionArguments: (@Sendable (_ prompt: String) -> [String])?
  /// The variables of the environment from which the program takes more options.
  var optionVariables: Set<String> = []

  /// Every picker there is a row for, the one that is taken first where several are there first.
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

  /// A program that is in no row: it gets the rows as they are, and no arguments.
  static func other(_ name: String) -> Picker {
    Picker(
      name: name,
      places: [.terminal, .wayland, .x11],
      answer: .row,
      rowArguments: { _ in [] },
      textArguments: { _ in [] }
    )
  }

  /// How many rows are seen at once.
  package static let lines = 15
  /// How wide a row of a decision may be.
  package static let columns = 56
  /// The width of fuzzel, which is half of that by itself.
  private static let wide = "--width=\(columns + 4)"

  /// What undoes options of `FZF_DEFAULT_OPTS` that would change the answer; the first is for menus
  /// of rows alone.
  private static let plainFzf = [
    "--no-print-query", "--no-multi", "--no-expect", "--no-ansi", "--no-print0", "--no-select-1",
    "--no-exit-0",
  ]
}

extension Picker {
  /// Whether it is shown on a terminal alone.
  package var isOnTerminal: Bool { places == [.terminal] }

  /// Whether a user's wish for it can be met; which displays it can do, its version knows best.
  func canBeShown(in there: Set<Place>) -> Bool {
    if isOnTerminal { return there.contains(.terminal) }
    // One that is in no row may need neither.
    return places.contains(.terminal) || !there.isDisjoint(with: [.wayland, .x11])
  }
}

/// How much of a menu is seen at once, whatever its program is set to.
package struct MenuSight: Equatable, Sendable {
  package let columns: Int
  package let rows: Int

  package init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
  }
}
