// SPDX-License-Identifier: MIT

import EventLoop

extension FileStore {
  /// How long to wait for another holder, who only ever holds a lock for one small write.
  package static let patience = Duration.seconds(5)
  private static let pause = Duration.milliseconds(5)

  /// The hidden file beside a file that is locked in its place, since the file itself is replaced.
  ///
  /// It stays for good, unless it is removed with the file by ``removeLocked(_:)``.
  static func lockPath(for file: String) -> String {
    "\(parent(of: file))/.\(name(of: file)).lock"
  }

  /// Runs the body while no other process of this user holds the lock of a file; the kernel drops
  /// the lock with its holder.
  ///
  /// - Throws: `.lockHeld` where another has held it for the whole patience, or the task was
  ///   cancelled meanwhile.
  package func withLock<Result>(
    on path: String,
    patience: Duration = patience,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    let lockPath = Self.lockPath(for: path)
    try makeFolder(Self.parent(of: path))
    let deadline = loop.now + patience
    var file = try openLock(lockPath)
    try await take(file, at: lockPath, until: deadline)
    // Whoever had it may have removed it together with what it was the lock of.
    while !file.isStill(at: lockPath) {
      file = try openLock(lockPath)
      try await take(file, at: lockPath, until: deadline)
    }
    defer { withExtendedLifetime(file) {} }
    return try await body()
  }

  /// Removes a file and its lock, which the caller holds; done also where they are gone already.
  package func removeLocked(_ path: String) throws(FileError) {
    try remove(path)
    try? disk.remove(Self.lockPath(for: path))
  }

  private func openLock(_ path: String) throws(FileError) -> any OpenFile {
    do {
      return try disk.open(path, for: .locking)
    } catch {
      throw .cannotCreate(path: path, error)
    }
  }

  private func take(
    _ file: any OpenFile,
    at path: String,
    until deadline: EventLoop.Instant
  ) async throws(FileError) {
    while true {
      do throws(SystemError) {
        if try file.tryLock() { return }
      } catch {
        throw .cannotWrite(path: path, error)
      }
      guard loop.now < deadline else { throw .lockHeld(path: path) }
      do {
        try await loop.sleep(for: Self.pause)
      } catch {
        throw .lockHeld(path: path)
      }
    }
  }
}
