// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
import OppiTerminal
import OppiText

package struct StatusFormat: Sendable {
  package enum Form: Sendable {
    /// The document of `--json`.
    case document
    case people
    case bar(@Sendable (BarText, StatusPresentation) -> [BarLine])
  }

  package let name: String
  /// The purpose, without a full stop.
  package let summary: String
  /// How a bar is configured to run the program, in the bar's own syntax.
  package var configuration = ""
  package let form: Form
  /// Whether the format supports a stream of lines.
  package var isStream = true
  /// Whether the exit status reports a pending approval.
  package var tellsUrgency = false

  /// Whether it has the details of the state beside every presentation, as in a menu.
  package var alwaysHasDetails = false

  /// Whether a bar reads the format; bars hide or replace the output of a failing program.
  package var isBar: Bool { if case .bar = form { true } else { false } }

  package static let all = [text, json, waybar, polybar, i3blocks, tmux, argos]

  package static let `default` = text

  static let text = StatusFormat(
    name: "text",
    summary: "Plain text, for people and scripts",
    form: .people
  )

  package static let json = StatusFormat(
    name: "json",
    summary: "The document of --json",
    form: .document
  )
}

extension StatusFormat: Equatable {
  package static func == (first: Self, second: Self) -> Bool { first.name == second.name }
}

extension StatusFormat {
  /// A title, a rule and a menu, in the format of Argos, kargos and xbar.
  static let argos = StatusFormat(
    name: "argos",
    summary: "A title and a menu, for Argos, kargos and xbar",
    configuration: "a script that runs oppi status --format argos",
    form: .bar { glance, presentation in
      let color = glance.color.map { " color=\($0)" } ?? ""
      let menu = glance.lines(.expanded).map { entry($0.plain) }
      return [entry(glance.line(presentation), color)] + [BarLine("---")] + menu
    },
    isStream: false,
    alwaysHasDetails: true
  )

  /// Removes bars, which begin attributes such as `bash=`, and leading hyphens.
  ///
  /// A leading hyphen makes a rule or a submenu.
  private static func entry(_ text: String, _ attributes: String = "") -> BarLine {
    var isStart = true
    return BarLine(
      text,
      escape: { scalar, _ in
        isStart = isStart && (scalar == "-" || scalar == " " || scalar == "|")
        return isStart || scalar == "|" ? "" : nil
      },
      after: " | useMarkup=false ansi=false emojize=false unescape=false\(attributes)"
    )
  }
}

extension StatusFormat {
  /// The full text, the short text and a colour, one per line, as plain text (`markup=none`).
  static let i3blocks = StatusFormat(
    name: "i3blocks",
    summary: "Full text, short text, colour; status 33 for a pending approval",
    configuration: """
      command=~/.local/bin/oppi status --format i3blocks
      interval=5
      """,
    form: .bar { glance, presentation in
      [BarLine(glance.line(presentation)), BarLine(glance.line(.minimal))]
        + [glance.color].compactMap(\.self).map { BarLine($0) }
    },
    isStream: false,
    tellsUrgency: true
  )
}

extension StatusFormat {
  /// A line with a colour tag for `custom/script`.
  static let polybar = StatusFormat(
    name: "polybar",
    summary: "A line with a colour tag",
    configuration: """
      exec = ~/.local/bin/oppi status --format polybar --follow
      type = custom/script
      tail = true
      """,
    form: .bar { glance, presentation in
      let color = glance.color
      return [
        BarLine(
          glance.line(presentation),
          escape: partingTags,
          before: color.map { "%{F\($0)}" } ?? "",
          after: color == nil ? "" : "%{F-}"
        )
      ]
    }
  )

  /// Inserts a zero-width space into `%{`.
  ///
  /// A tag such as `%{A1:command:}` would run a command when clicked, and tags cannot be escaped.
  private static func partingTags(_ scalar: Unicode.Scalar, _ before: Unicode.Scalar?) -> String? {
    scalar == "{" && before == "%" ? "\u{200B}{" : nil
  }
}

extension StatusFormat {
  /// A line for `#(…)` in a status line, with a style if it needs the user.
  static let tmux = StatusFormat(
    name: "tmux",
    summary: "A line with a style",
    configuration: "'#(~/.local/bin/oppi status --format tmux)' in status-right",
    form: .bar { glance, presentation in
      let style = style(of: glance.state.status)
      return [
        BarLine(
          glance.line(presentation),
          escape: { scalar, _ in scalar == "#" ? "##" : nil },
          before: style.map { "#[\($0)]" } ?? "",
          after: style == nil ? "" : "#[default]"
        )
      ]
    }
  )

  /// Both colours, because the status line has any background, by default green; `nil` for the
  /// style of the status line.
  ///
  /// The colours are the terminal's. These two pairs are legible in the usual palettes.
  private static func style(of status: ContentState.Status) -> String? {
    switch status {
    case .awaitingApproval, .awaitingAnswer: "fg=black,bg=yellow"
    case .error: "fg=white,bg=red"
    case .processing, .completed, .idle, .offline, .notPaired: nil
    }
  }
}

extension StatusFormat {
  /// One JSON object per line for a custom module with `return-type: json`; the texts are Pango
  /// markup.
  static let waybar = StatusFormat(
    name: "waybar",
    summary: "JSON with text, alt, tooltip, class and percentage",
    configuration: """
      "exec": "~/.local/bin/oppi status --format waybar --follow",
      "return-type": "json", "restart-interval": 5
      """,
    form: .bar { glance, presentation in
      let state = glance.state
      let classes = [state.status.rawValue] + (state.isStale ? ["stale"] : [])
      return [
        BarLine(
          json: .object([
            "text": .string(pango(glance.line(presentation))),
            "alt": .string(state.status.rawValue),
            "tooltip": .string(
              glance.lines(.expanded).map { pango($0.plain) }.joined(separator: "\n")
            ),
            "class": .array(classes.map(JSONValue.string)),
            "percentage": state.todo?.percentage.map { .integer(Int64($0)) },
          ])
        )
      ]
    },
    alwaysHasDetails: true
  )

  private static func pango(_ text: String) -> String {
    BarLine.escaped(text) { scalar, _ in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      default: nil
      }
    }
  }
}

extension StatusFormat: ArgumentValue {
  static var placeholder: String { "FORMAT" }
  static var choices: [String] { all.map(\.name) }

  init(argument: String) throws(ArgumentValueError) {
    guard let format = Self.all.first(where: { $0.name == argument }) else {
      throw ArgumentValueError("expects \(Self.choices.alternatives)")
    }
    self = format
  }

  var argumentText: String? { name }
}
