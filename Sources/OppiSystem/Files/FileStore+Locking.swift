// SPDX-License-Identifier: MIT

import EventLoop

extension FileStore {
  /// How long to wait for a lock, which is usually held for one small write.
  package static let lockTimeout = Duration.seconds(5)

  /// Returns the pause before the next attempt: short at first, because most locks are held for one
  /// write, and longer if the holder works for minutes.
  ///
  /// A blocking flock(2) on another thread cannot be cancelled reliably: a signal may arrive before
  /// the call. An abandoned one would still take the lock at some time, and block others for a body
  /// that no longer runs.
  static func pause(after waited: Duration) -> Duration {
    min(max(.milliseconds(5), waited / 10), .seconds(1))
  }

  /// The hidden file that is locked for a file, because the file itself is replaced.
  ///
  /// It is kept unless it is removed with the file by ``removeLocked(_:)``.
  static func lockPath(for file: String) -> String {
    "\(parent(of: file))/.\(name(of: file)).lock"
  }

  /// Runs the body while no other process of this user holds the lock of a file; the kernel
  /// releases the lock if its holder dies.
  ///
  /// A lock without a file is removed at the end, unless the body fails.
  ///
  /// - Throws: `.lockHeld` if another process holds the lock for longer than `lockTimeout`, or the
  ///   task is cancelled.
  package func withLock<Result>(
    on path: String,
    lockTimeout: Duration = lockTimeout,
    hasFile: Bool = true,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    let lockPath = Self.lockPath(for: path)
    try makeFolder(Self.parent(of: path))
    let deadline = loop.now + lockTimeout
    var file = try openLock(lockPath)
    try await take(file, at: lockPath, until: deadline)
    // The previous holder may have removed the lock together with its file.
    while !file.isStill(at: lockPath) {
      file = try openLock(lockPath)
      try await take(file, at: lockPath, until: deadline)
    }
    defer { withExtendedLifetime(file) {} }
    let result = try await body()
    if !hasFile { try remove(lockPath) }
    return result
  }

  /// Runs a body that may throw any error under the lock of a file, or `ifHeld` instead of it if
  /// another process holds the lock for longer than `lockTimeout`.
  ///
  /// - Throws: `FileError` if the lock cannot be used; what the body throws, also if that is an
  ///   error of another lock.
  package func withLock<Value>(
    on path: String,
    lockTimeout: Duration,
    _ body: () async throws -> Value,
    ifHeld: () async throws -> Value
  ) async throws -> Value {
    let result: Result<Value, any Error>
    do throws(FileError) {
      result = try await withLock(on: path, lockTimeout: lockTimeout) { () throws(FileError) in
        do {
          return .success(try await body())
        } catch {
          return .failure(error)
        }
      }
    } catch .lockHeld {
      return try await ifHeld()
    }
    return try result.get()
  }

  /// Removes a file and its lock, which the caller must hold; succeeds if they are already gone.
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
