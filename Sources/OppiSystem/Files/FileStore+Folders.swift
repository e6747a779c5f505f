// SPDX-License-Identifier: MIT

import Glibc

extension FileStore {
  /// The names of what is in a folder, without `.` and `..`; none where it cannot be read.
  package static func names(in folder: String) -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a file, where there is one.
  static func remove(_ path: String) {
    unlink(path)
  }

  /// Removes a folder and all that is in it, as far as that goes; never follows a link.
  package static func removeTree(_ folder: String) {
    for name in names(in: folder) {
      let path = "\(folder)/\(name)"
      if unlink(path) != 0, errno == EISDIR { removeTree(path) }
    }
    rmdir(folder)
  }
}
