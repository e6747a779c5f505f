// SPDX-License-Identifier: MIT

package struct StatusFormat: Sendable {
  package enum Form: Sendable {
    /// The document of `--json`.
    case document
    case people
    case bar(@Sendable (Glance, StatusPresentation) -> [BarLine])
  }

  package let name: String
  /// The purpose, without a full stop.
  package let summary: String
  /// How a bar is configured to run the program, in the bar's own syntax.
  package let configuration: String
  package let form: Form
  /// Whether the format supports a stream of lines.
  package let isStream: Bool
  /// Whether the exit status reports a pending approval.
  package let tellsUrgency: Bool

  init(
    _ name: String,
    _ summary: String,
    configuration: String = "",
    _ form: Form,
    isStream: Bool = true,
    tellsUrgency: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.configuration = configuration
    self.form = form
    self.isStream = isStream
    self.tellsUrgency = tellsUrgency
  }

  /// Whether a bar reads the format; bars hide or replace the output of a failing program.
  package var isBar: Bool { if case .bar = form { true } else { false } }
}

extension StatusFormat {
  package static let all = [text, json, waybar, polybar, i3blocks, tmux, argos]

  package static let `default` = text

  static let text = StatusFormat("text", "Plain text, for people and scripts", .people)

  package static let json = StatusFormat("json", "The document of --json", .document)
}

extension StatusFormat: Equatable {
  package static func == (first: Self, second: Self) -> Bool { first.name == second.name }
}
