// SPDX-License-Identifier: MIT

import OppiSystem

/// The user's shortcuts: `shortcuts/NAME.json`, and `NAME.txt` for a prompt in its own file.
struct ShortcutStore: Sendable {
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
  func names() throws(FileError) -> [String] {
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

  private func json(_ name: String) -> JSONFile {
    JSONFile(path: path(of: name), in: files, limit: Self.sizeLimit)
  }

  private func text(at path: String) throws(FileError) -> String? {
    guard let bytes = try files.read(path, limit: Self.sizeLimit) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unusable(path: path, reason: "not valid UTF-8")
    }
    return text
  }
}
