// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// `oppi shortcuts`: named prompts for triggers.
enum Shortcuts {
  static let command: Command = Command(
    "shortcuts",
    "Show and manage shortcuts",
    discussion: """
      A shortcut is a stored prompt with its workspace and options. Triggers contain only its \
      name, because crontabs, units and key bindings interpret characters such as %, $ and ;, and \
      other users may be able to read them:

          oppi shortcuts add standup -w web --queue 'what was done yesterday?'
          oppi shortcuts add review -w web --input --wait 'review: {{input}}'
          oppi shortcuts add deploy -w web --session same 'deploy {{branch}}'
          oppi run standup
          git diff | oppi run review
          oppi run deploy --var branch=release

      A shortcut is a file; see 'oppi help shortcut-file'.
      """,
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [
      ShortcutsList.command, ShortcutsShow.command, ShortcutsAdd.command, ShortcutsEdit.command,
      ShortcutsRemove.command,
    ]
  )

  /// The argument for one shortcut.
  static let name = RequiredPositional<ShortcutName>(
    "name",
    completion: .dynamic("shortcut"),
    "The shortcut's name"
  )
}

extension ShortcutStore {
  /// Returns a shortcut.
  ///
  /// - Throws: `ShortcutError.notFound`; `OppiError` if the file is invalid; the errors of
  ///   ``load(_:)``.
  func shortcut(_ name: ShortcutName) throws -> Shortcut {
    try shortcut(in: try existing(name), named: name)
  }

  /// Parses the file of a shortcut.
  ///
  /// - Throws: `OppiError` with the defect.
  func shortcut(in file: File, named name: ShortcutName) throws(OppiError) -> Shortcut {
    let json: JSONValue
    do {
      json = try JSONValue(parsingJSON5: Array(file.text.utf8))
    } catch {
      throw OppiError(FileError.corrupt(path: path(of: name.text), error))
    }
    let promptFile = json[Shortcut.promptFileMember]
    if promptFile != .null, promptFile.string != "\(name.text).txt" {
      throw defect(of: name, "has a member 'promptFile' that is not '\(name.text).txt'")
    }
    if promptFile != .null, json["prompt"] != .null {
      throw defect(of: name, "has both prompt and promptFile")
    }
    do {
      return try Shortcut(json: json, promptFile: file.prompt.map(Self.withoutLastBreak))
    } catch {
      throw defect(of: name, error.message)
    }
  }

  private func defect(of name: ShortcutName, _ words: String) -> OppiError {
    .damagedShortcut(name, words, path: path(of: name.text))
  }

  /// A final line break belongs to the file, not to the prompt.
  private static func withoutLastBreak(_ text: String) -> String {
    text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  /// The file of a shortcut; a prompt with several lines gets its own file.
  func file(of shortcut: Shortcut, named name: ShortcutName) -> File {
    var members = Shortcut.shape.document(of: shortcut).object ?? [:]
    guard shortcut.prompt.contains("\n") else {
      return File(text: JSONValue.object(members).text(.indented) + "\n", prompt: nil)
    }
    members = JSONObject(
      members.map { member in
        member.key == "prompt"
          ? (Shortcut.promptFileMember, .string("\(name.text).txt")) : (member.key, member.value)
      }
    )
    return File(
      text: JSONValue.object(members).text(.indented) + "\n",
      prompt: shortcut.prompt + "\n"
    )
  }
}
