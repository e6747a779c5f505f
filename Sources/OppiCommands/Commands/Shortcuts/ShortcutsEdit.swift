// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi shortcuts edit`.
enum ShortcutsEdit {
  struct Options: Sendable, Equatable {
    var name: ShortcutName?
    var isPrompt = false
  }

  static let command = Command(
    "edit",
    "Change a shortcut in your editor",
    discussion: """
      What you leave is checked before it takes the place of what was there. Where it is of no use, \
      the shortcut stays as it was, and the next edit goes on with what you wrote. $VISUAL or $EDITOR is \
      the editor.
      """,
    examples: [
      CommandExample("oppi shortcuts edit standup", "Where it asks, and how"),
      CommandExample("oppi shortcuts edit --prompt standup", "What it asks"),
    ],
    exitStatuses: [0, 64, 65, 66, 74, 78],
    members: ShortcutRow.shape.rows,
    options: Options(),
    arguments: [
      .flag("prompt", short: "p", \.isPrompt, "Its prompt alone, as text"),
      .positional(
        "name",
        required: true,
        completion: .dynamic("shortcut"),
        \.name,
        "The shortcut's name"
      ),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    guard let name = options.name else { throw UsageError(.missingPositional("NAME")) }
    let store = context.shortcuts
    guard let file = try store.load(name.text) else {
      _ = try store.shortcut(name)
      throw UsageError(.missingPositional("NAME"))
    }
    let edited: ShortcutStore.File
    if options.isPrompt {
      let shortcut = try store.shortcut(name)
      let draft = try store.draft(of: name.text, isPrompt: true)
      let prompt = try edit(draft ?? shortcut.prompt, as: "\(name.text).md", in: context)
      do {
        edited = try store.file(file, withPrompt: prompt, named: name)
        _ = try store.shortcut(in: edited, named: name)
      } catch {
        try store.keepDraft(prompt, of: name.text, isPrompt: true)
        throw notTaken(OppiError(error), "oppi shortcuts edit --prompt \(name.text)")
      }
    } else {
      let draft = try store.draft(of: name.text, isPrompt: false)
      let text = try edit(draft ?? file.text, as: "\(name.text).json5", in: context) + "\n"
      edited = ShortcutStore.File(text: text, prompt: file.prompt)
    }
    return try keep(edited, insteadOf: file, as: name, in: context)
  }

  private static func edit(
    _ text: String,
    as fileName: String,
    in context: Context
  ) throws -> String {
    let edited = try Editor.edit(text, as: fileName, environment: context.environment)
    guard !edited.allSatisfy(\.isWhitespace) else {
      throw OppiError(.badInput, "the editor left nothing; the shortcut is as it was")
    }
    return edited
  }

  private static func notTaken(_ error: OppiError, _ command: String) -> OppiError {
    OppiError(
      .badInput,
      error.message,
      hints: ["the shortcut is as it was; go on with your text: \(command)"]
    )
  }

  private static func keep(
    _ edited: ShortcutStore.File,
    insteadOf file: ShortcutStore.File,
    as name: ShortcutName,
    in context: Context
  ) throws -> Report {
    let store = context.shortcuts
    let shortcut: Shortcut
    do {
      shortcut = try store.shortcut(in: edited, named: name)
    } catch {
      try store.keepDraft(edited.text, of: name.text, isPrompt: false)
      throw notTaken(error, "oppi shortcuts edit \(name.text)")
    }
    if edited != file { try store.save(edited, as: name.text) }
    try store.dropDrafts(of: name.text)
    return Report(
      ShortcutRow.shape.document(of: ShortcutRow(name: name, shortcut: shortcut)),
      status: edited == file ? "not changed" : StyledText("changed \(name.text)")
    )
  }
}

extension ShortcutStore {
  /// The texts with another prompt; comments stay.
  func file(
    _ file: File,
    withPrompt prompt: String,
    named name: ShortcutName
  ) throws(OppiError) -> File {
    let json = try? JSONValue(parsingJSON5: Array(file.text.utf8))
    let isApart = json?[Shortcut.promptFileMember] != .null
    guard !isApart, !prompt.contains("\n") else {
      var text = file.text
      if !isApart {
        text = try edited(text, name) { bytes throws(JSONError) in
          let rest = try JSON5Edit.remove(["prompt"], from: bytes)
          let member = Shortcut.promptFileMember
          return try JSON5Edit.set([member], to: .string("\(name.text).txt"), in: rest)
        }
      }
      return File(text: text, prompt: prompt + "\n")
    }
    let text = try edited(file.text, name) { bytes throws(JSONError) in
      try JSON5Edit.set(["prompt"], to: .string(prompt), in: bytes)
    }
    return File(text: text, prompt: nil)
  }

  private func edited(
    _ text: String,
    _ name: ShortcutName,
    _ change: ([UInt8]) throws(JSONError) -> [UInt8]
  ) throws(OppiError) -> String {
    do {
      return String(decoding: try change(Array(text.utf8)), as: UTF8.self)
    } catch {
      throw OppiError(FileError.corrupt(path: path(of: name.text), error))
    }
  }
}
