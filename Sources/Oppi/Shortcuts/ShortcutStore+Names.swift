// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension ShortcutStore {
  /// Returns the names of all shortcuts, sorted.
  func all() throws(FileError) -> [ShortcutName] {
    try names().compactMap { ShortcutName($0) }
  }

  /// Returns the texts of a shortcut, without validation.
  ///
  /// - Throws: `ShortcutError.notFound` if the shortcut does not exist; else as ``load(_:)``.
  func existing(_ name: ShortcutName) throws -> File {
    guard let file = try load(name.text) else {
      throw ShortcutError.notFound(name, known: try all())
    }
    return file
  }
}
