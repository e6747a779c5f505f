// SPDX-License-Identifier: MIT

package import EventLoop

/// What files need of the operating system, one call each: the real one, or one made for a test.
package protocol Disk: Sendable {
  /// Opens a file, which closes with its last reference.
  func open(_ path: String, for access: FileAccess) throws(SystemError) -> any OpenFile

  /// Gives a file another name, in place of one that has it.
  func rename(_ path: String, to name: String) throws(SystemError)

  /// Removes a file.
  func remove(_ path: String) throws(SystemError)

  /// Who owns a folder, and what others may do with it.
  func status(ofFolder path: String) throws(SystemError) -> FileStatus

  /// Makes one folder.
  func makeFolder(_ path: String, for readers: Readers) throws(SystemError)

  /// Removes a folder that is empty.
  func removeFolder(_ path: String) throws(SystemError)

  /// Returns the names of what is in a folder, without `.` and `..`.
  func names(in folder: String) throws(SystemError) -> [String]

  /// Returns the file at the end of a path's links, also where it is not there yet.
  func target(of path: String) -> String

  /// Writes a folder's names through, as far as the file system can.
  func writeThrough(folder: String)
}

/// Whom a new file or folder is for, whatever the umask says.
package enum Readers: Sendable {
  /// This user alone.
  case owner
  /// All users, who may look and not change.
  case everyone

  package var fileMode: UInt32 { self == .owner ? 0o600 : 0o644 }
  package var folderMode: UInt32 { self == .owner ? 0o700 : 0o755 }
}

/// What a file is opened for.
package enum FileAccess: Sendable {
  /// To be read; what is there is not waited for.
  case reading
  /// To be filled: it is made for some readers, and must not be there.
  case creating(for: Readers)
  /// To be locked: it is made for this user alone where it is not there; a link is refused.
  case locking
  /// To be written to at its end, and read: it is made for this user alone where it is not there; a
  /// link is refused.
  case appending
}

/// An open file none of whose calls waits for another process.
package protocol OpenFile: AnyObject, Sendable {
  /// Who owns the file, and what others may do with it.
  func status() throws(SystemError) -> FileStatus

  /// Reads on, up to so many bytes; none at the end.
  func read(atMost count: Int) throws(SystemError) -> [UInt8]

  /// Reads up to so many bytes from a place; none behind the end.
  func read(atMost count: Int, from offset: Int) throws(SystemError) -> [UInt8]

  /// Writes all the bytes.
  func write(_ bytes: [UInt8]) throws(SystemError)

  /// Returns when the disk has what was written.
  func writeThrough() throws(SystemError)

  /// Whether a path still leads to this file, and not to another one or none.
  func isStill(at path: String) -> Bool

  /// Takes the lock that the kernel drops with the file; false where another holds it.
  func tryLock() throws(SystemError) -> Bool
}

/// Who may do what with a file.
package struct FileStatus: Sendable {
  /// Whether it belongs to this user or the system.
  package var isOwn: Bool
  /// The permission bits.
  package var mode: UInt32
  /// How many bytes it has; 0 for what is no ordinary file.
  package var size: Int

  package init(isOwn: Bool, mode: UInt32, size: Int = 0) {
    (self.isOwn, self.mode, self.size) = (isOwn, mode, size)
  }
}
