// SPDX-License-Identifier: MIT

import EventLoop

extension FileStore {
  /// How long to wait for another holder, who only ever holds a lock for one small write.
  package static let patience = Duration.seconds(5)
  private static let pause = Duration.milliseconds(5)

  /// The hidden file beside a file that is locked in its place, since the file itself is replaced.
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
    let file: any OpenFile
    do {
      file = try disk.open(lockPath, for: .locking)
    } catch {
      throw .cannotCreate(path: lockPath, error)
    }
    try await take(file, at: lockPath, until: loop.now + patience)
    defer { withExtendedLifetime(file) {} }
    return try await body()
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
