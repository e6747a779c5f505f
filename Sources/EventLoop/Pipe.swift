// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// A pipe whose ends are nonblocking by default: wakes a loop, or carries a child's input or
/// output.
package final class Pipe: Sendable {
  package let readEnd: Int32
  package let writeEnd: Int32
  private let isReadEndOpen = Atomic(true)
  private let isWriteEndOpen = Atomic(true)

  /// Creates a pipe.
  ///
  /// An end that a child program inherits should block; few programs support others.
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

  /// Closes this process's read end, so that writes fail once a child closes its copy.
  package func closeReadEnd() {
    if isReadEndOpen.exchange(false, ordering: .relaxed) { close(readEnd) }
  }

  package enum WriteResult {
    case written(Int)
    case wouldBlock
    /// All read ends are closed.
    case readerClosed
  }

  /// Writes as many bytes as fit.
  package func write(_ bytes: ArraySlice<UInt8>) -> WriteResult {
    let count = bytes.withUnsafeBytes { Glibc.write(writeEnd, $0.baseAddress, $0.count) }
    if count >= 0 { return .written(count) }
    return errno == EAGAIN || errno == EINTR ? .wouldBlock : .readerClosed
  }

  /// Closes this process's write end, so that reads find the end once a child closes its copy.
  package func closeWriteEnd() {
    if isWriteEndOpen.exchange(false, ordering: .relaxed) { close(writeEnd) }
  }

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

  /// Wakes the reader; ignores a full pipe, which wakes it as well.
  package func writeByte() {
    var byte: UInt8 = 1
    Glibc.write(writeEnd, &byte, 1)
  }

  package func drain() {
    while case .bytes = read() {}
  }
}

package enum FileDescriptor {
  /// Makes a descriptor nonblocking unless `blocks` is true, and sets its close-on-exec flag.
  package static func prepare(_ descriptor: Int32, blocks: Bool = false) {
    if !blocks { setNonblocking(descriptor) }
    setCloseOnExec(descriptor)
  }

  // `fcntl` is variadic; these two use the overloads of Swift's Glibc overlay.
  private static func setNonblocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  private static func setCloseOnExec(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }
}
