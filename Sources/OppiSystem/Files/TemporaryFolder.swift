// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

/// A new folder that only this user can access, for temporary files.
package struct TemporaryFolder: Sendable {
  package let path: String

  /// Creates the folder in `TMPDIR`, or in `/tmp` if that is unset.
  ///
  /// - Parameters:
  ///   - name: The start of the folder's name.
  ///   - environment: The environment variables.
  /// - Throws: `FileError.cannotCreate`.
  package init(named name: String, environment: [String: String]) throws(FileError) {
    let parent = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(parent)/\(name).XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .cannotCreate(path: parent, SystemError("mkdtemp"))
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package func remove() {
    SystemDisk().removeTree(path)
  }
}
