// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

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

package struct SystemDisk: Disk {
  /// The system itself follows no longer chain of links.
  private static let linkLimit = 40

  package init() {}

  package func open(_ path: String, for access: FileAccess) throws(SystemError) -> any OpenFile {
    let flags =
      switch access {
      // Opening a pipe must not block the program.
      case .reading: O_RDONLY | O_NONBLOCK
      case .creating: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      case .locking: O_RDWR | O_CREAT | O_NOFOLLOW
      case .appending: O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
      }
    let descriptor = Glibc.open(path, flags | O_CLOEXEC, Readers.owner.fileMode)
    guard descriptor >= 0 else { throw SystemError("open") }
    // The umask limits the mode passed to `open`.
    if case .creating(let readers) = access { fchmod(descriptor, readers.fileMode) }
    return SystemFile(descriptor)
  }

  package func rename(_ path: String, to name: String) throws(SystemError) {
    guard Glibc.rename(path, name) == 0 else { throw SystemError("rename") }
  }

  package func remove(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 else { throw SystemError("unlink") }
  }

  package func status(ofFolder path: String) throws(SystemError) -> FileStatus {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SystemError("stat") }
    return FileStatus(status)
  }

  package func makeFolder(_ path: String, for readers: Readers) throws(SystemError) {
    guard mkdir(path, readers.folderMode) == 0 else { throw SystemError("mkdir") }
    if case .everyone = readers { chmod(path, readers.folderMode) }
  }

  package func removeFolder(_ path: String) throws(SystemError) {
    guard rmdir(path) == 0 else { throw SystemError("rmdir") }
  }

  package func names(in folder: String) throws(SystemError) -> [String] {
    guard let entries = opendir(folder) else { throw SystemError("opendir") }
    defer { closedir(entries) }
    var names: [String] = []
    while true {
      // Only `errno` distinguishes the end from a failure.
      errno = 0
      guard let entry = readdir(entries) else {
        guard errno == 0 else { throw SystemError("readdir") }
        return names
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  package func target(of path: String) -> String {
    var path = path
    for _ in 0..<Self.linkLimit {
      if let real = realpath(path, nil) {
        defer { free(real) }
        return String(cString: real)
      }
      var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
      let length = readlink(path, &bytes, bytes.count)
      guard length > 0 else { return path }
      let target = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
      path = target.hasPrefix("/") ? target : "\(FileStore.parent(of: path))/\(target)"
    }
    return path
  }

  package func writeThrough(folder: String) {
    let descriptor = Glibc.open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // A folder that cannot be flushed (on some network file systems) still contains the new file.
    fsync(descriptor)
    close(descriptor)
  }

  /// Removes a folder with its content as far as possible; never follows a symbolic link.
  package func removeTree(_ folder: String) {
    for name in (try? names(in: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      if unlink(path) != 0, errno == EISDIR { removeTree(path) }
    }
    rmdir(folder)
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    self.init(
      isOwn: status.st_uid == geteuid() || status.st_uid == 0,
      mode: status.st_mode & 0o7777,
      size: Int(status.st_size)
    )
  }
}

private final class SystemFile: OpenFile {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  func status() throws(SystemError) -> FileStatus {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat") }
    return FileStatus(status)
  }

  func read(atMost count: Int) throws(SystemError) -> [UInt8] {
    try bytes(atMost: count) { Glibc.read(descriptor, $0, count) }
  }

  func read(atMost count: Int, from offset: Int) throws(SystemError) -> [UInt8] {
    try bytes(atMost: count) { pread(descriptor, $0, count, offset) }
  }

  private func bytes(
    atMost count: Int,
    _ read: (UnsafeMutablePointer<UInt8>?) -> Int
  ) throws(SystemError) -> [UInt8] {
    while true {
      var length = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        length = read(buffer.baseAddress)
        initialized = max(0, length)
      }
      if length >= 0 { return bytes }
      guard errno == EINTR else { throw SystemError("read") }
    }
  }

  func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { raw in
        Glibc.write(descriptor, raw.baseAddress.map { $0 + written }, raw.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw SystemError("write")
      }
    }
  }

  func writeThrough() throws(SystemError) {
    guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
  }

  func isStill(at path: String) -> Bool {
    var (own, other) = (stat(), stat())
    guard fstat(descriptor, &own) == 0, lstat(path, &other) == 0 else { return false }
    return own.st_dev == other.st_dev && own.st_ino == other.st_ino
  }

  func tryLock() throws(SystemError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw SystemError("flock") }
    }
    return true
  }
}
