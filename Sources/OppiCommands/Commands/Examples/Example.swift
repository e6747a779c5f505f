// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// A trigger that runs shortcuts, as it is installed: a folder of `Examples/`.
struct Example: Sendable {
  /// A file of it.
  struct File: Sendable {
    let path: String
    /// As it is in the folder, with its last line break.
    let text: String
  }

  /// The program's path in all of them.
  static let placeholder = "/usr/local/bin/oppi"

  let name: String
  /// `README.md` before the others.
  let files: [File]

  /// What it is, which stands behind the name in the first line of its README.
  var summary: String {
    let heading = files.first?.text.prefix { $0 != "\n" } ?? ""
    return heading.split(separator: ": ", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
  }

  /// The same with a program's path in place of the common one.
  func calling(_ path: String) -> Example {
    Example(
      name: name,
      files: files.map { file in
        File(path: file.path, text: file.text.replacing(Self.placeholder, with: path))
      }
    )
  }

  /// Whether a path means the same unquoted in a shell, a crontab, a unit, a menu entry and a window
  /// manager's file.
  static func canCall(_ path: String) -> Bool {
    path.hasPrefix("/")
      && path.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._+-".utf8.contains($0) }
  }

  /// Finds one by its name.
  ///
  /// - Throws: `OppiError` where there is none.
  static func named(_ name: String) throws(OppiError) -> Example {
    if let example = all.first(where: { $0.name == name }) { return example }
    let close = Suggestions.closest(to: name, among: all.map(\.name)).first
    throw .noSuchExample(name, closest: close)
  }

  /// Finds one of its files.
  ///
  /// - Throws: `OppiError` where there is none.
  func file(_ path: String) throws(OppiError) -> File {
    if let file = files.first(where: { $0.path == path }) { return file }
    throw .noFile(path, in: name, files: files.map(\.path))
  }
}
