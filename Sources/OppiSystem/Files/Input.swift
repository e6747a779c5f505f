// SPDX-License-Identifier: MIT

import Glibc
package import OppiTransport

/// Text that the user hands to a command.
package enum Input {
  /// Reads standard input to its end, without blocking the loop's signals and deadlines.
  package static func standardInput(
    on loop: EventLoop,
    limit: Int
  ) async throws -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      _ = try await loop.wait(for: [.readable(STDIN_FILENO)], until: nil)
      let count = read(STDIN_FILENO, &chunk, chunk.count)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      if count > 0 {
        bytes += chunk[..<count]
      } else if errno != EINTR, errno != EAGAIN {
        throw FileError.cannotRead(path: "standard input", SystemError("read"))
      }
      guard bytes.count <= limit else {
        throw FileError.tooLarge(path: "standard input", limit: limit)
      }
    }
  }

  /// Reads a file that the user named; `nil` where there is none.
  package static func file(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .cannotRead(path: path, SystemError("open"))
    }
    defer { close(descriptor) }
    return try FileStore.bytes(from: descriptor, limit: limit, path: path)
  }
}
