// SPDX-License-Identifier: MIT

package import EventLoop

/// The file operations of the operating system, one per call; tests use their own implementation.
package protocol Disk: Sendable {
  /// Opens a file, which closes with its last reference.
  func open(_ path: String, for access: FileAccess) throws(SystemError) -> any OpenFile

  /// Renames a file, replacing any file of the new name.
  func rename(_ path: String, to name: String) throws(SystemError)

  func remove(_ path: String) throws(SystemError)

  func status(ofFolder path: String) throws(SystemError) -> FileStatus

  func makeFolder(_ path: String, for readers: Readers) throws(SystemError)

  func removeFolder(_ path: String) throws(SystemError)

  /// Returns the names in a folder, without `.` and `..`.
  func names(in folder: String) throws(SystemError) -> [String]

  /// Resolves all symbolic links of a path, even if the file does not exist yet.
  func target(of path: String) -> String

  /// Flushes a folder's entries to the disk, if the file system supports it.
  func writeThrough(folder: String)
}

/// The users that may read a new file or folder, regardless of the umask.
package enum Readers: Sendable {
  /// This user only.
  case owner
  /// All users may read, only this user may write.
  case everyone

  package var fileMode: UInt32 { self == .owner ? 0o600 : 0o644 }
  package var folderMode: UInt32 { self == .owner ? 0o700 : 0o755 }
}

package enum FileAccess: Sendable {
  /// For reading, without blocking.
  case reading
  /// For writing; creates the file, which must not exist.
  case creating(for: Readers)
  /// For locking; creates a missing file for this user only, and rejects a symbolic link.
  case locking
  /// For appending and reading, otherwise as for locking.
  case appending
}

/// An open file; no call waits for another process.
package protocol OpenFile: AnyObject, Sendable {
  func status() throws(SystemError) -> FileStatus

  /// Reads the next bytes, up to `count`; none at the end.
  func read(atMost count: Int) throws(SystemError) -> [UInt8]

  /// Reads up to `count` bytes at an offset; none after the end.
  func read(atMost count: Int, from offset: Int) throws(SystemError) -> [UInt8]

  func write(_ bytes: [UInt8]) throws(SystemError)

  /// Flushes the data to the disk.
  func writeThrough() throws(SystemError)

  /// Whether a path still refers to this file.
  func isStill(at path: String) -> Bool

  /// Locks the file until it is closed; returns false if another process holds the lock.
  func tryLock() throws(SystemError) -> Bool
}

package struct FileStatus: Sendable {
  /// Whether it belongs to this user or to root.
  package var isOwn: Bool
  package var mode: UInt32
  /// In bytes; 0 unless it is a regular file.
  package var size: Int

  package init(isOwn: Bool, mode: UInt32, size: Int = 0) {
    (self.isOwn, self.mode, self.size) = (isOwn, mode, size)
  }
}
