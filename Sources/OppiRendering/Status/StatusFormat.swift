// SPDX-License-Identifier: MIT

/// What reads the status of all sessions: a person, a program or a bar.
package struct StatusFormat: Sendable {
  /// How it is written.
  package enum Form: Sendable {
    /// The document of `--json`.
    case document
    /// Lines for people's eyes.
    case people
    /// What a bar reads for a glance.
    case bar(@Sendable (Glance, StatusPresentation) -> [BarLine])
  }

  /// What it is called on the command line.
  package let name: String
  /// What it is for, without a full stop.
  package let summary: String
  package let form: Form
  /// Whether it can go on line by line.
  package let isStream: Bool
  /// Whether the exit status tells that an approval waits.
  package let tellsUrgency: Bool

  init(
    _ name: String,
    _ summary: String,
    _ form: Form,
    isStream: Bool = true,
    tellsUrgency: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.form = form
    self.isStream = isStream
    self.tellsUrgency = tellsUrgency
  }

  /// Whether a bar shows it: one that hides or replaces what a failing program says.
  package var isBar: Bool { if case .bar = form { true } else { false } }
}

extension StatusFormat {
  /// Every format there is; a new one is a file and a row here.
  package static let all = [text, json, waybar, polybar, i3blocks, tmux, argos]

  /// The one that is meant where none is named.
  package static let `default` = text

  static let text = StatusFormat("text", "Plain text, for people and scripts", .people)

  package static let json = StatusFormat("json", "The document of --json", .document)
}

extension StatusFormat: Equatable {
  package static func == (first: Self, second: Self) -> Bool { first.name == second.name }
}
