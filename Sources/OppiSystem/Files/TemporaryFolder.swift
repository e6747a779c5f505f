// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

/// A fresh folder that only this user can look into, for as long as something is done in it.
package struct TemporaryFolder: Sendable {
  /// Where it is.
  package let path: String

  /// Makes one in `TMPDIR`, or in `/tmp` without that.
  ///
  /// - Parameters:
  ///   - name: The beginning of its name.
  ///   - environment: The variables.
  /// - Throws: `FileError.cannotCreate`.
  package init(named name: String, environment: [String: String]) throws(FileError) {
    let parent = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(parent)/\(name).XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .cannotCreate(path: parent, SystemError("mkdtemp"))
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes it with everything in it.
  package func remove() {
    SystemDisk().removeTree(path)
  }
}
