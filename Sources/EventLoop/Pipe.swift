// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// A pipe whose read end does not block: wakes a loop, or carries a child's output.
package final class Pipe: Sendable {
  package let readEnd: Int32
  package let writeEnd: Int32
  private let isWriteEndOpen = Mutex(true)

  /// Makes a pipe; the write end blocks where a program gets it, since few know what else to do
  /// with a full one.
  package init(blocksWriter: Bool = false) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    FileDescriptor.prepare(ends[0])
    FileDescriptor.prepare(ends[1], blocks: blocksWriter)
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    closeWriteEnd()
  }

  /// Leaves the pipe to a child that holds the write end, too, so that its end can be seen.
  package func closeWriteEnd() {
    isWriteEndOpen.withLock { isOpen in
      if isOpen { close(writeEnd) }
      isOpen = false
    }
  }

  /// What one nonblocking read found.
  package enum ReadResult {
    case bytes(ArraySlice<UInt8>)
    case endOfStream
    case wouldBlock
  }

  package func read() -> ReadResult {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(readEnd, &bytes, bytes.count)
    if count > 0 { return .bytes(bytes[..<count]) }
    return count == 0 ? .endOfStream : .wouldBlock
  }

  /// A full pipe is as good as a written one: the reader wakes either way.
  package func writeByte() {
    var byte: UInt8 = 1
    write(writeEnd, &byte, 1)
  }

  package func drain() {
    while case .bytes = read() {}
  }
}

/// The flags that every descriptor of the loop has.
package enum FileDescriptor {
  /// Makes a descriptor nonblocking unless it shall block, and keeps it from child processes.
  package static func prepare(_ descriptor: Int32, blocks: Bool = false) {
    if !blocks { setNonblocking(descriptor) }
    setCloseOnExec(descriptor)
  }

  // `fcntl` is variadic; these two go through the overloads of Swift's Glibc overlay.
  private static func setNonblocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  private static func setCloseOnExec(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }
}
