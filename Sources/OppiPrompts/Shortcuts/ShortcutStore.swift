// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
package import OppiModel
package import OppiSystem
package import OppiText
package import OppiWire

/// The user's shortcuts: `shortcuts/NAME.json`, and `NAME.txt` for a prompt in its own file.
package struct ShortcutStore: Sendable {
  struct File: Sendable, Equatable {
    var text: String
    /// The text of the prompt's own file, if any.
    var prompt: String?
  }

  /// In bytes: as much as a protocol message of 16 MiB.
  private static let sizeLimit = 16 << 20

  let folder: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    folder = paths.shortcutsFolder
    self.files = files
  }

  func path(of name: String) -> String { "\(folder)/\(name).json" }

  /// The path of the prompt's own file, if the shortcut has one.
  func promptPath(of name: String) -> String { "\(folder)/\(name).txt" }

  /// Returns the names of all shortcuts, sorted.
  package func names() throws(FileError) -> [String] {
    try files.jsonNames(in: folder)
  }

  /// Returns the files of a shortcut without parsing them; `nil` if it does not exist.
  ///
  /// - Throws: Also `.newerVersion` if a later version of this program wrote it.
  func load(_ name: String) throws(FileError) -> File? {
    try json(name).checkVersion()
    guard let text = try self.text(at: path(of: name)) else { return nil }
    return File(text: text, prompt: try self.text(at: promptPath(of: name)))
  }

  /// Replaces a shortcut: first the prompt's own file, then the JSON file that refers to it.
  func save(_ file: File, as name: String) throws(FileError) {
    try json(name).checkVersion()
    if let prompt = file.prompt {
      try files.replace(promptPath(of: name), with: Array(prompt.utf8))
    }
    try files.replace(path(of: name), with: Array(file.text.utf8))
    if file.prompt == nil { try files.remove(promptPath(of: name)) }
  }

  /// An edit that was rejected; `nil` if there is none.
  func draft(of name: String, isPrompt: Bool) throws(FileError) -> String? {
    try text(at: draftPath(of: name, isPrompt))
  }

  /// Stores a rejected edit of a shortcut or of its prompt.
  func keepDraft(_ text: String, of name: String, isPrompt: Bool) throws(FileError) {
    try files.replace(draftPath(of: name, isPrompt), with: Array(text.utf8))
  }

  func dropDraft(of name: String, isPrompt: Bool) throws(FileError) {
    try files.remove(draftPath(of: name, isPrompt))
  }

  private func draftPath(of name: String, _ isPrompt: Bool) -> String {
    "\(folder)/.\(name).\(isPrompt ? "prompt" : "json").draft"
  }

  /// Removes a shortcut with its prompt and its drafts.
  func remove(_ name: String) throws(FileError) {
    try json(name).remove()
    try files.remove(promptPath(of: name))
    for isPrompt in [false, true] { try dropDraft(of: name, isPrompt: isPrompt) }
  }

  private func json(_ name: String) -> RecordFile<JSONObject> {
    RecordFile(path(of: name), in: files, limit: Self.sizeLimit)
  }

  private func text(at path: String) throws(FileError) -> String? {
    guard let bytes = try files.read(path, limit: Self.sizeLimit) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unusable(path: path, reason: "not valid UTF-8")
    }
    return text
  }
}

extension ShortcutStore {
  /// Returns the names of all shortcuts, sorted.
  package func all() throws(FileError) -> [ShortcutName] {
    try names().compactMap { ShortcutName($0) }
  }

  /// Returns the texts of a shortcut, without validation.
  ///
  /// - Throws: `OppiError` if the shortcut does not exist; else as ``load(_:)``.
  func existing(_ name: ShortcutName) throws -> File {
    guard let file = try load(name.text) else {
      let close = Suggestions.closest(to: name.text, among: try all().map(\.text)).first
      let hint = close.map { "did you mean '\($0)'?" } ?? "list them with: oppi shortcuts"
      throw OppiError(.noSuchShortcut, "no shortcut '\(name.text)'", hints: [hint])
    }
    return file
  }
}

/// The session that a shortcut continues, in `shortcut-sessions.json`.
package struct ContinuedSession: ShapedRecord {
  var workspace: WorkspaceReference
  var id: String

  package static let shape = RecordShape(
    ContinuedSession(workspace: .blank, id: ""),
    [
      .required("workspace", { $1(&$0.workspace) }, .workspace),
      .required("sessionId", { $1(&$0.id) }, .wireID),
    ]
  )
}

extension RecordFile<KeyedRecords<ContinuedSession>> {
  /// Returns the session of a shortcut's last run; `nil` if it is unknown or was in another
  /// workspace.
  ///
  /// - Throws: If the file cannot be read, because a new session would lose the conversation.
  package func session(
    of shortcut: String,
    in workspace: WorkspaceReference
  ) throws(FileError) -> String? {
    guard let session = try load()?[shortcut], session.workspace == workspace else { return nil }
    return session.id
  }
}

extension Services {
  /// Checks that a name is unused, or that its shortcut may be replaced.
  ///
  /// - Throws: `OppiError` if it exists and may not be replaced; `FileError`.
  func checkShortcut(_ name: ShortcutName, mayReplace: Bool) throws {
    let isNew = try shortcuts.load(name.text) == nil
    guard mayReplace || isNew else {
      throw OppiError(
        .cannotCreate,
        "shortcut \(name.text) already exists",
        hints: ["change it with: oppi shortcuts edit \(name.text)", "or add --replace"]
      )
    }
  }

  /// Writes the texts of a shortcut, and discards a rejected edit of it.
  func addShortcut(_ file: ShortcutStore.File, as name: ShortcutName) async throws(FileError) {
    // A new shortcut does not continue the session of a removed shortcut with the same name, whose
    // prompt may have been delivered after the removal.
    if try shortcuts.load(name.text) == nil {
      try await shortcutSessions.update { $0[name.text] = nil }
      try await conditions.update { $0[name.text] = nil }
    }
    try shortcuts.save(file, as: name.text)
    for isPrompt in [false, true] { try shortcuts.dropDraft(of: name.text, isPrompt: isPrompt) }
  }

  /// Writes a shortcut for the body; restores the earlier state after a failure.
  func addShortcut(
    _ file: ShortcutStore.File,
    as name: ShortcutName,
    for body: () async throws -> Void
  ) async throws {
    let before = try shortcuts.load(name.text)
    do {
      try await addShortcut(file, as: name)
      try await body()
    } catch {
      do throws(FileError) {
        if let before {
          try shortcuts.save(before, as: name.text)
        } else {
          try shortcuts.remove(name.text)
        }
      } catch {
        await reporter.warn("could not restore shortcut \(name.text)", because: error)
      }
      throw error
    }
  }

  /// Removes a shortcut, even a damaged one; warns if the record of its session cannot be removed.
  ///
  /// - Throws: `OppiError` if the shortcut does not exist or has a schedule; `FileError`.
  func removeShortcut(_ name: ShortcutName) async throws {
    _ = try shortcuts.existing(name)
    guard try !schedules.all().contains(name) else {
      throw OppiError(
        .usage,
        "shortcut \(name.text) has a schedule",
        hints: ["remove the schedule first: oppi schedule remove \(name.text)"]
      )
    }
    try shortcuts.remove(name.text)
    do {
      try await shortcutSessions.update { $0[name.text] = nil }
    } catch {
      await reporter.warn("could not remove the record of the shortcut's session", because: error)
    }
  }
}

extension Services {
  package var shortcuts: ShortcutStore { ShortcutStore(paths: paths, files: files) }

  package var shortcutSessions: RecordFile<KeyedRecords<ContinuedSession>> {
    RecordFile(paths.shortcutSessionsFile, in: files)
  }
}
