// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// A pipe whose own end does not block: wakes a loop, or carries a child's input or output.
package final class Pipe: Sendable {
  package let readEnd: Int32
  package let writeEnd: Int32
  private let isReadEndOpen = Mutex(true)
  private let isWriteEndOpen = Mutex(true)

  /// Makes a pipe; an end blocks where a program gets it, since few know what else to do with a
  /// full or an empty one.
  package init(blocksReader: Bool = false, blocksWriter: Bool = false) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    FileDescriptor.prepare(ends[0], blocks: blocksReader)
    FileDescriptor.prepare(ends[1], blocks: blocksWriter)
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    closeReadEnd()
    closeWriteEnd()
  }

  /// Leaves the pipe to a child that holds the read end, too, so that writing fails after its end.
  package func closeReadEnd() {
    isReadEndOpen.withLock { isOpen in
      if isOpen { close(readEnd) }
      isOpen = false
    }
  }

  /// What one nonblocking write came to.
  package enum WriteResult {
    case written(Int)
    case wouldBlock
    /// Nobody reads any more.
    case readerGone
  }

  /// Writes as much as there is room for.
  package func write(_ bytes: ArraySlice<UInt8>) -> WriteResult {
    let count = bytes.withUnsafeBytes { Glibc.write(writeEnd, $0.baseAddress, $0.count) }
    if count >= 0 { return .written(count) }
    return errno == EAGAIN || errno == EINTR ? .wouldBlock : .readerGone
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
    Glibc.write(writeEnd, &byte, 1)
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
