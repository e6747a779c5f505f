// SPDX-License-Identifier: MIT

import EventLoop

extension FileStore {
  /// Whether another process holds the lock of a file; does not create a file.
  package func isLocked(_ path: String) throws(FileError) -> Bool {
    let lockPath = Self.lockPath(for: path)
    guard try names(in: Self.parent(of: path)).contains(String(Self.name(of: lockPath))) else {
      return false
    }
    do throws(SystemError) {
      return try !disk.open(lockPath, for: .locking).tryLock()
    } catch {
      throw .cannotRead(path: lockPath, error)
    }
  }
}
