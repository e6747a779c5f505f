// SPDX-License-Identifier: MIT

/// A setting of `config.json`.
package struct ConfigKey: Sendable, Equatable {
  /// The names that lead to it, joined by dots.
  package let name: String
  package let summary: String
  /// What stands in the file for its value.
  let form: Form

  /// How a value is written in the file.
  enum Form: Sendable {
    case text
    /// A text, or a bare number that is as good as its text.
    case number
    /// `true` or `false`.
    case truth
  }

  private init(_ name: String, _ summary: String, as form: Form = .text) {
    self.name = name
    self.summary = summary
    self.form = form
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
    as: .number
  )

  /// What `ask` does while it waits and a human is asked.
  package static let onAsk = ConfigKey("on-ask", "What a waiting ask does when a human is asked")

  /// Whether the messages of chats are kept.
  package static let history = ConfigKey(
    "history",
    "Whether chats keep the messages that you send, for Up and Ctrl-R: true or false",
    as: .truth
  )

  /// The program that `new` opens in place of `oppi launch` in a terminal.
  package static let appCommand = ConfigKey(
    "app.command",
    "What new opens: a program and its arguments, quoted as for a shell"
  )

  /// The program that gets notifications where there is no desktop.
  package static let notifyCommand = ConfigKey(
    "notify.command",
    "What gets notifications as JSON where there is no desktop: a program and its arguments"
  )

  /// When no notification is raised.
  package static let notifyQuiet = ConfigKey(
    "notify.quiet",
    "When no notification is raised, such as 22:00-07:00"
  )

  /// Whether notifications show nothing of what is said and done.
  package static let notifyPrivate = ConfigKey(
    "notify.private",
    "Whether notifications show nothing of what is said and done: true or false",
    as: .truth
  )

  /// Every setting there is.
  package static let all = [
    workspace, model, thinking, timeout, onAsk, history, appCommand,
    notifyCommand, notifyQuiet, notifyPrivate,
  ]

  package var path: [String] { name.split(separator: ".").map(String.init) }
}
