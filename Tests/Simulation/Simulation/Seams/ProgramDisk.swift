// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
package import OppiSystem
import Synchronization

/// The disk as seen by one program until its death.
package struct ProgramDisk: Disk {
  let disk: VirtualDisk
  let life: Life

  package init(disk: VirtualDisk, life: Life) {
    self.disk = disk
    self.life = life
  }

  /// Counts a call of the program, which may kill the program or fail.
  func enter(_ call: String, isWrite: Bool) throws(SystemError) {
    guard life.mayGoOn() else { throw SystemError(call, code: EIO) }
    guard isWrite, disk.happens(disk.faults.withLock(\.disk)) else { return }
    throw SystemError(call, code: disk.kernel.randomBits() & 1 == 0 ? ENOSPC : EROFS)
  }

  package func open(_ path: String, for access: FileAccess) throws(SystemError) -> any OpenFile {
    try enter("open", isWrite: access.isCreating)
    let opened = disk.state.withLock { state -> Result<(Int, Int), SystemError> in
      let parent = FileStore.parent(of: path)
      guard state.folders[parent] != nil else {
        return .failure(SystemError("open", code: ENOENT))
      }
      state.lastHandle += 1
      switch (access, state.names[path]) {
      case (.reading, nil): return .failure(SystemError("open", code: ENOENT))
      case (.creating, _?): return .failure(SystemError("open", code: EEXIST))
      case (_, let file?): return .success((file, state.lastHandle))
      case (_, nil):
        let file = state.addFile(mode: access.readers.fileMode)
        state.names[path] = file
        return .success((file, state.lastHandle))
      }
    }
    let (file, handle) = try opened.get()
    let misreading = access.isReading ? try disk.misreading(of: path) : nil
    return ProgramFile(file, handle, for: access, of: self, readAs: misreading)
  }

  package func rename(_ path: String, to name: String) throws(SystemError) {
    try enter("rename", isWrite: true)
    let isThere = disk.state.withLock { state in
      guard let file = state.names.removeValue(forKey: path) else { return false }
      state.previous[name] = state.names[name].flatMap { state.files[$0]?.bytes }
      state.names[name] = file
      return true
    }
    guard isThere else { throw SystemError("rename", code: ENOENT) }
  }

  package func remove(_ path: String) throws(SystemError) {
    try enter("unlink", isWrite: false)
    let file = disk.state.withLock { $0.names.removeValue(forKey: path) }
    guard file != nil else { throw SystemError("unlink", code: ENOENT) }
  }

  package func status(ofFolder path: String) throws(SystemError) -> FileStatus {
    try enter("stat", isWrite: false)
    let mode = disk.state.withLock { $0.folders[path] }
    guard let mode else { throw SystemError("stat", code: ENOENT) }
    return FileStatus(isOwn: true, mode: mode)
  }

  package func makeFolder(_ path: String, for readers: Readers) throws(SystemError) {
    try enter("mkdir", isWrite: false)
    let code: Int32? = disk.state.withLock { state in
      guard state.folders[path] == nil else { return EEXIST }
      guard state.folders[FileStore.parent(of: path)] != nil else { return ENOENT }
      state.folders[path] = readers.folderMode
      return nil
    }
    if let code { throw SystemError("mkdir", code: code) }
  }

  package func removeFolder(_ path: String) throws(SystemError) {
    try enter("rmdir", isWrite: false)
    let code: Int32? = disk.state.withLock { state in
      guard state.folders[path] != nil else { return ENOENT }
      let isUsed = state.allPaths.contains { $0.hasPrefix("\(path)/") }
      guard !isUsed else { return ENOTEMPTY }
      state.folders[path] = nil
      return nil
    }
    if let code { throw SystemError("rmdir", code: code) }
  }

  package func names(in folder: String) throws(SystemError) -> [String] {
    try enter("opendir", isWrite: false)
    try disk.checkListing(of: folder)
    let names = disk.state.withLock { state -> [String]? in
      guard state.folders[folder] != nil else { return nil }
      return state.allPaths.filter { FileStore.parent(of: $0) == folder && $0 != "/" }
        .map { String(FileStore.name(of: $0)) }.sorted()
    }
    guard let names else { throw SystemError("opendir", code: ENOENT) }
    return names
  }

  package func target(of path: String) -> String { path }

  package func writeThrough(folder: String) {
    guard life.mayGoOn() else { return }
    disk.state.withLock { state in
      for path in Set(state.names.keys).union(state.durableNames.keys)
      where FileStore.parent(of: path) == folder {
        state.durableNames[path] = state.names[path]
      }
    }
  }
}

extension FileAccess {
  fileprivate var isCreating: Bool {
    if case .creating = self { true } else { false }
  }

  fileprivate var isReading: Bool {
    if case .reading = self { true } else { false }
  }

  fileprivate var readers: Readers {
    if case .creating(let readers) = self { readers } else { .owner }
  }
}
