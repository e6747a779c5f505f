// SPDX-License-Identifier: MIT

import Glibc
import OppiTransport

/// A lock between the processes of one user, which the kernel drops with its holder.
package enum FileLock {
  /// How long to wait for another holder, who only ever holds it for one small write.
  static let patience = Duration.seconds(5)
  private static let pause: UInt32 = 5_000

  /// The hidden file beside a file that is locked in its place, since the file itself is replaced.
  package static func path(for file: String) -> String {
    "\(FileStore.parent(of: file))/.\(FileStore.name(of: file)).lock"
  }

  /// Runs the body while holding the lock on a file that is only there to be locked.
  package static func withLock<Result>(
    _ path: String,
    patience: Duration = patience,
    _ body: () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    try FileStore.makeFolder(FileStore.parent(of: path))
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, SystemError("open")) }
    defer { close(descriptor) }
    let deadline = ContinuousClock.now + patience
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw .cannotWrite(path: path, SystemError("flock"))
      }
      guard ContinuousClock.now < deadline else { throw .lockHeld(path: path) }
      usleep(pause)
    }
    return try body()
  }
}
