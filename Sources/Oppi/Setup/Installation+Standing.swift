// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

// MARK: - Ownership

extension Installation {
  enum Standing {
    case absent
    /// Identical to what this program would write now.
    case current
    /// Written by this program earlier.
    case outdated
    case changed
    case foreign
  }

  func standing(
    of path: String,
    wanted: [UInt8]?,
    in known: SetupRecord
  ) throws(FileError) -> Standing {
    // This program creates no symbolic links.
    if files.isLink(path) { return .foreign }
    guard let found = try files.read(path, privacy: .untrusted) else { return .absent }
    if found == wanted { return .current }
    guard let file = known[path] else { return .foreign }
    return file.owns(found) ? .outdated : .changed
  }
}

extension Installation.Outcome {
  var isFailure: Bool {
    if case .failed = self { true } else { false }
  }
}

extension Installation.Item {
  var folder: String { FileStore.parent(of: path) }
}

extension SetupRecord {
  /// Records a file that is about to be written, or that was found to be identical.
  mutating func expect(
    _ item: Installation.Item,
    _ outcome: Installation.Outcome,
    missing folders: [String]
  ) {
    switch outcome {
    case .written:
      add(folders: folders)
      let old = self[item.path]?.digests.filter { $0 != item.digest } ?? []
      self[item.path] = File(item, digests: old + [item.digest])
    case .unchanged:
      self[item.path] = File(item, digests: [item.digest])
    default: break
    }
  }

  /// The recorded files of the items' collections that are no longer among the items.
  func former(_ items: [Installation.Item]) -> [File] {
    let collections = Set(items.compactMap(\.collection))
    let paths = Set(items.map(\.path))
    return files.filter { file in
      file.collection.map(collections.contains) == true && !paths.contains(file.path)
    }
  }
}

extension SetupRecord.File {
  init(_ item: Installation.Item, digests: [String]) {
    self.init(path: item.path, what: item.what, digests: digests, collection: item.collection)
  }
}
