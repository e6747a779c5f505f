// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - Whose a file is

extension Installation {
  enum Standing {
    case absent
    /// What this program would write now.
    case current
    /// What it has written once.
    case outdated
    case changed
    case foreign
  }

  func standing(
    of path: String,
    wanted: [UInt8]?,
    in known: SetupRecord
  ) throws(FileError) -> Standing {
    // This program makes no links.
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
  /// Notes what is about to be written, or was found to be this program's.
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

  /// The files of the items' collections that are no longer among the items.
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
