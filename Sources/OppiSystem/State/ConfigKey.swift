// SPDX-License-Identifier: MIT

/// A setting of `config.json`.
package struct ConfigKey: Sendable, Equatable {
  /// The names that lead to it, joined by dots.
  package let name: String
  package let summary: String
  /// Whether a bare number in the file is as good as its text.
  let takesNumbers: Bool

  private init(_ name: String, _ summary: String, takesNumbers: Bool = false) {
    self.name = name
    self.summary = summary
    self.takesNumbers = takesNumbers
  }

  /// The workspace that `ask` uses when none is named.
  package static let workspace = ConfigKey(
    "workspace",
    "The workspace that ask uses when none is named"
  )

  /// The model of the sessions that `ask` makes.
  package static let model = ConfigKey("model", "The model of the sessions that ask makes")

  /// The thinking level of the sessions that `ask` makes.
  package static let thinking = ConfigKey(
    "thinking",
    "The thinking level of the sessions that ask makes"
  )

  /// How long an `ask` may take, waiting included.
  package static let timeout = ConfigKey(
    "timeout",
    "How long an ask may take, waiting included",
    takesNumbers: true
  )

  /// What `ask` does while it waits and a human is asked.
  package static let onAsk = ConfigKey("on-ask", "What a waiting ask does when a human is asked")

  /// The program that `new` opens in place of `oppi launch` in a terminal.
  package static let appCommand = ConfigKey(
    "app.command",
    "What new opens: a program and its arguments, quoted as for a shell"
  )

  /// Every setting there is.
  package static let all = [workspace, model, thinking, timeout, onAsk, appCommand]

  package var path: [String] { name.split(separator: ".").map(String.init) }
}
