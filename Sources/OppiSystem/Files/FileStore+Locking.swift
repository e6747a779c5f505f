// SPDX-License-Identifier: MIT

import EventLoop

extension FileStore {
  /// How long to wait for another holder, who only ever holds a lock for one small write.
  package static let patience = Duration.seconds(5)

  /// How long to wait before a lock is tried again: soon at first, as most are held for one write,
  /// and seldom where a holder works for minutes.
  ///
  /// A thread that waits in flock(2) instead cannot be cancelled without a signal, which it may miss
  /// on its way into the call; given up, it would still take the lock some time, and hold off others
  /// for a body that no longer runs.
  static func pause(after waited: Duration) -> Duration {
    min(max(.milliseconds(5), waited / 10), .seconds(1))
  }

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

  func take(
    _ file: any OpenFile,
    at path: String,
    until deadline: EventLoop.Instant
  ) async throws(FileError) {
    let begin = loop.now
    while true {
      do throws(SystemError) {
        if try file.tryLock() { return }
      } catch {
        throw .cannotWrite(path: path, error)
      }
      let now = loop.now
      guard now < deadline else { throw .lockHeld(path: path) }
      do {
        try await loop.sleep(until: min(deadline, now + Self.pause(after: begin.duration(to: now))))
      } catch {
        throw .lockHeld(path: path)
      }
    }
  }
}
