// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// An installable example of a trigger that runs shortcuts: a folder of `Examples/`.
struct Example: Sendable {
  struct File: Sendable {
    let path: String
    /// As stored, with the final line break.
    let text: String
  }

  /// The program's path in all examples.
  static let placeholder = "/usr/local/bin/oppi"

  let name: String
  /// `README.md` comes first.
  let files: [File]

  /// The text after the name in the first line of its README.
  var summary: String {
    let heading = files.first?.text.prefix { $0 != "\n" } ?? ""
    return heading.split(separator: ": ", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
  }

  /// The example with a program's path in place of the placeholder.
  func calling(_ path: String) -> Example {
    Example(
      name: name,
      files: files.map { file in
        File(path: file.path, text: file.text.replacing(Self.placeholder, with: path))
      }
    )
  }

  /// Whether a path needs no quoting in a shell, a crontab, a unit, a desktop entry and a window
  /// manager's configuration.
  static func canCall(_ path: String) -> Bool {
    path.hasPrefix("/")
      && path.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._+-".utf8.contains($0) }
  }

  /// - Throws: `OppiError` if there is none.
  static func named(_ name: String) throws(OppiError) -> Example {
    if let example = all.first(where: { $0.name == name }) { return example }
    let close = Suggestions.closest(to: name, among: all.map(\.name)).first
    throw .noSuchExample(name, closest: close)
  }

  /// - Throws: `OppiError` if there is none.
  func file(_ path: String) throws(OppiError) -> File {
    if let file = files.first(where: { $0.path == path }) { return file }
    throw .noFile(path, in: name, files: files.map(\.path))
  }
}
