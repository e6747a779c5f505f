// SPDX-License-Identifier: MIT

import OppiModel

/// A setting of `config.json`.
package struct ConfigKey: Sendable, Equatable {
  /// The names that lead to it.
  package let path: [String]
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

  private init(path: [String], _ summary: String, as form: Form) {
    self.path = path
    self.summary = summary
    self.form = form
  }

  private init(_ name: String, _ summary: String, as form: Form = .text) {
    self.init(path: name.split(separator: ".").map(String.init), summary, as: form)
  }

  /// The names that lead to it, joined by dots; one that the user has chosen in quotation marks.
  package var name: String { Self.name(of: path) }

  /// The names that lead to a value, as ``name``.
  static func name(of path: [String]) -> String {
    path.enumerated().map { index, name in
      let isChosen = index == 1 && [directories, workspaces].contains(path[0])
      return isChosen ? JSONValue.string(name).text() : name
    }
    .joined(separator: ".")
  }

  /// The workspace that `ask` uses when none is named.
  package static let workspace = ConfigKey(
    "workspace",
    "The workspace of 'oppi ask' if -w is not given"
  )

  /// The model of the sessions that `ask` makes.
  package static let model = ConfigKey("model", "The model of new sessions")

  /// The thinking level of the sessions that `ask` makes.
  package static let thinking = ConfigKey(
    "thinking",
    "The thinking level of new sessions"
  )

  /// How long an `ask` may take, waiting included.
  package static let timeout = ConfigKey(
    "timeout",
    "The time limit of 'oppi ask', including waiting",
    as: .number
  )

  /// What `ask` does while it waits and a human is asked.
  package static let onAsk = ConfigKey("on-ask", "What --wait does when input is required")

  /// Whether prompts and the messages of chats are kept.
  package static let history = ConfigKey(
    "history",
    "Whether prompts and chat messages are saved: true or false",
    as: .truth
  )

  /// The program that `new` opens in place of `oppi launch` in a terminal.
  package static let appCommand = ConfigKey(
    "app.command",
    "The app of 'oppi new': a program and its arguments, quoted as in a shell"
  )

  /// The program that gets notifications where there is no desktop.
  package static let notifyCommand = ConfigKey(
    "notify.command",
    "The program that gets notifications as JSON if there is no desktop, with arguments"
  )

  /// When no notification is raised.
  package static let notifyQuiet = ConfigKey(
    "notify.quiet",
    "Hours without notifications, for example 22:00-07:00"
  )

  /// Whether notifications show nothing of what is said and done.
  package static let notifyPrivate = ConfigKey(
    "notify.private",
    "Whether notifications hide content: true or false",
    as: .truth
  )

  /// The program that shows the menus of `pick`.
  package static let picker = ConfigKey(
    "picker",
    "The menu program of 'oppi pick' with arguments, quoted as in a shell"
  )

  /// Every setting there is.
  package static let all = [
    workspace, model, thinking, timeout, onAsk, history, appCommand,
    notifyCommand, notifyQuiet, notifyPrivate, picker,
  ]
}

// MARK: - Entries under names of the user's choice

extension ConfigKey {
  /// The member whose entries are folders with their workspaces.
  static let directories = "directories"
  /// The member whose entries are workspaces with settings of their own.
  static let workspaces = "workspaces"

  /// The workspace that is meant in a folder, which stands there as `~/…` or as an absolute path.
  package static func directory(_ folder: String) -> ConfigKey {
    ConfigKey(
      path: [directories, folder],
      "The workspace of this folder and its subfolders",
      as: .text
    )
  }

  /// The settings that a workspace may have of its own.
  package static let ofWorkspaces = [model, thinking, timeout, onAsk]

  /// The name of all the settings of a workspace's own.
  package static func entry(ofWorkspace name: String) -> String {
    Self.name(of: [workspaces, name])
  }

  /// One of ``ofWorkspaces`` as one workspace has it, which stands there by any of its names.
  package func inWorkspace(_ name: String) -> ConfigKey {
    ConfigKey(
      path: [Self.workspaces, name] + path,
      "\(summary), for this workspace only",
      as: form
    )
  }

  /// The same for all workspaces.
  package var general: ConfigKey {
    path.first == Self.workspaces
      ? Self.ofWorkspaces.first { $0.path[...] == path[2...] } ?? self : self
  }

  /// What names it to `oppi config set`, fit for a shell; `nil` where that cannot set it.
  package var commandWords: String? {
    switch path.first {
    case Self.directories: nil
    case Self.workspaces: "-w \(ShellWords.quoted(path[1])) \(general.name)"
    default: name
    }
  }

  /// What there may be in the file under some names.
  enum Place {
    case setting
    /// Something that leads to settings.
    case group
    case nothing
  }

  static func place(at path: [String]) -> Place {
    if path == [directories] { return .setting }
    let isOfWorkspace = path.first == workspaces
    let names = path.dropFirst(isOfWorkspace ? 2 : 0)
    let keys = (isOfWorkspace ? ofWorkspaces : all).filter { $0.path.starts(with: names) }
    if keys.isEmpty { return .nothing }
    return keys.contains { $0.path[...] == names } ? .setting : .group
  }
}
