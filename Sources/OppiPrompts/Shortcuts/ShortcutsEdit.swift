// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiSystem
import OppiTerminal
import OppiText

enum ShortcutsEdit {
  struct Options: Sendable, Equatable {
    @Required var name: ShortcutName
    var isPrompt = false
  }

  static let command: Command = Command(
    "edit",
    "Edit a shortcut",
    discussion: """
      Your edit is validated before it is saved. If it is invalid, the shortcut is not changed, \
      and the next edit continues with your text. If the prompt and the other members are valid \
      only together, edit both; they are saved together. The editor is $VISUAL or $EDITOR.
      """,
    examples: [
      ("oppi shortcuts edit standup", "Edit the shortcut"),
      ("oppi shortcuts edit --prompt standup", "Edit only its prompt"),
    ],
    exitStatuses: [0, 64, 65, 66, 74, 78],
    members: NamedShortcut.shape.rows,
    options: Options(),
    arguments: [
      .flag("prompt", short: "p", \.isPrompt, "Edit only its prompt, as text"),
      .shortcut(\.$name),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (store, name, isPrompt) = (context.shortcuts, options.name, options.isPrompt)
    let file = try store.existing(name)
    let draft = try store.draft(of: name.text, isPrompt: isPrompt)
    let text: String
    if isPrompt {
      let prompt = try draft ?? store.shortcut(name).prompt
      text = try await edit(prompt, as: "\(name.text).md", in: context)
    } else {
      text = try await edit(draft ?? file.text, as: "\(name.text).json5", in: context) + "\n"
    }
    do {
      let edited = try take(text, isPrompt: isPrompt, of: file, as: name, in: store)
      return Report(
        NamedShortcut.shape.document(of: NamedShortcut(name: name, shortcut: edited.shortcut)),
        status: edited.file == file ? "not changed" : StyledText("changed \(name.text)")
      )
    } catch {
      try store.keepDraft(text, of: name.text, isPrompt: isPrompt)
      guard let error = error as? OppiError else { throw error }
      let command = "oppi shortcuts edit \(isPrompt ? "--prompt " : "")\(name.text)"
      throw OppiError(
        .badInput,
        error.message,
        hints: ["the shortcut was not changed; continue your edit with: \(command)"]
      )
    }
  }

  private typealias Edited = (file: ShortcutStore.File, shortcut: Shortcut)

  /// Combines an edited text, of the prompt or of the other members, with the current other half or,
  /// if that is invalid, with the draft of the other half.
  ///
  /// - Throws: `OppiError` if both combinations are invalid; file errors.
  private static func take(
    _ text: String,
    isPrompt: Bool,
    of file: ShortcutStore.File,
    as name: ShortcutName,
    in store: ShortcutStore
  ) throws -> Edited {
    func whole(_ other: String?) throws(OppiError) -> Edited {
      let json = isPrompt ? other ?? file.text : text
      var whole = ShortcutStore.File(text: json, prompt: file.prompt)
      if let prompt = isPrompt ? text : other {
        whole = try store.file(whole, withPrompt: prompt, named: name)
      }
      return (whole, try store.shortcut(in: whole, named: name))
    }
    var taken = [isPrompt]
    let edited: Edited
    do throws(OppiError) {
      edited = try whole(nil)
    } catch {
      guard let other = try store.draft(of: name.text, isPrompt: !isPrompt),
        let both = try? whole(other)
      else { throw error }
      edited = both
      taken.append(!isPrompt)
    }
    if edited.file != file { try store.save(edited.file, as: name.text) }
    for isPrompt in taken { try store.dropDraft(of: name.text, isPrompt: isPrompt) }
    return edited
  }

  private static func edit(
    _ text: String,
    as fileName: String,
    in context: Context
  ) async throws -> String {
    let edited = try await Editor.edit(
      text,
      as: fileName,
      environment: context.environment,
      on: context.loop
    )
    guard !edited.allSatisfy(\.isWhitespace) else {
      throw OppiError(.badInput, "the file is empty; the shortcut was not changed")
    }
    return edited
  }
}

extension ShortcutStore {
  /// The file with another prompt; keeps comments.
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
