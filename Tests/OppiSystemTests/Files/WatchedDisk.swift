// SPDX-License-Identifier: MIT

import EventLoop

@testable import OppiSystem

/// The system's disk, on which other processes act after each opening and before each renaming.
final class WatchedDisk: Disk {
  private let disk = SystemDisk()
  private let afterOpening: @Sendable (String, FileAccess, any OpenFile) -> Void
  private let beforeRenaming: @Sendable (String) -> Void

  init(
    afterOpening: @escaping @Sendable (String, FileAccess, any OpenFile) -> Void,
    beforeRenaming: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.afterOpening, self.beforeRenaming) = (afterOpening, beforeRenaming)
  }

  func open(_ path: String, for access: FileAccess) throws(SystemError) -> any OpenFile {
    let file = try disk.open(path, for: access)
    afterOpening(path, access, file)
    return file
  }
  func rename(_ path: String, to name: String) throws(SystemError) {
    beforeRenaming(path)
    try disk.rename(path, to: name)
  }
  func remove(_ path: String) throws(SystemError) { try disk.remove(path) }
  func status(ofFolder path: String) throws(SystemError) -> FileStatus {
    try disk.status(ofFolder: path)
  }
  func makeFolder(_ path: String, for readers: Readers) throws(SystemError) {
    try disk.makeFolder(path, for: readers)
  }
  func removeFolder(_ path: String) throws(SystemError) { try disk.removeFolder(path) }
  func names(in folder: String) throws(SystemError) -> [String] { try disk.names(in: folder) }
  func target(of path: String) -> String { disk.target(of: path) }
  func writeThrough(folder: String) { disk.writeThrough(folder: folder) }
}
