// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import Synchronization

/// A descriptor that is written to without blocking the loop: a slow reader delays only the writer.
///
/// Writes are not interleaved: each one waits for the previous one.
package final class OutputStream: Sendable {
  package enum Failure: Error, Equatable {
    /// The reader closed its end.
    case readerClosed
    case failed(SystemError)
    /// The reader accepted nothing within the time limit.
    case timedOut
    case cancelled
  }

  private struct State {
    var outlet: Outlet?
    var isBusy = false
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }

  private let descriptor: Int32
  private let state = Mutex(State())

  /// Does not change the descriptor's flags, because other processes share the open file.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  package convenience init(_ stream: StandardStream) {
    self.init(descriptor: stream.descriptor)
  }

  deinit {
    state.withLock { $0.outlet?.close() }
  }

  /// Writes all bytes, and suspends while there is no room.
  package func write(_ bytes: [UInt8], on loop: EventLoop) async throws(Failure) {
    await takeTurn()
    defer { passTurn() }
    let outlet = outlet()
    var rest = bytes[...]
    while try !outlet.write(&rest) {
      guard (try? await loop.wait(for: [.writable(outlet.descriptor)], until: nil)) != nil else {
        throw .cancelled
      }
    }
    // For a file or a fast reader there is always room.
    await loop.yieldIfDue()
  }

  /// Writes all bytes without a loop, and blocks while there is no room.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to write.
  ///   - limit: The longest time without progress; `nil` for no limit.
  /// - Throws: `Failure` if not all bytes were written.
  package func writeBlocking(
    _ bytes: [UInt8],
    limit: Duration? = nil
  ) throws(Failure) {
    let outlet = outlet()
    var rest = bytes[...]
    while try !outlet.write(&rest) {
      guard outlet.waitForRoom(limit: limit) else { throw .timedOut }
    }
  }

  /// The outlet is created by the first write.
  private func outlet() -> Outlet {
    state.withLock { state in
      let outlet = state.outlet ?? Outlet(descriptor)
      state.outlet = outlet
      return outlet
    }
  }

  // MARK: - Order of writes

  private func takeTurn() async {
    await withUnsafeContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isBusy else {
          state.isBusy = true
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func passTurn() {
    let next = state.withLock { state in
      state.isBusy = !state.waiting.isEmpty
      return state.isBusy ? state.waiting.removeFirst() : nil
    }
    next?.resume()
  }
}

/// Writes to a descriptor of any type without blocking.
struct Outlet: Sendable {
  private enum Kind {
    /// A file or a device, which accepts all bytes at once.
    case file
    /// This program's own non-blocking open file.
    case reopened
    case socket
    /// A blocking pipe or terminal that other processes share.
    case shared
  }

  let descriptor: Int32
  private let kind: Kind

  /// Determines the type of a descriptor.
  ///
  /// A pipe or a terminal is reopened if permitted: only this gives non-blocking writes without
  /// changing the flags of the open file that other processes share.
  init(_ descriptor: Int32, reopens: Bool = true) {
    let kind = Self.kind(of: descriptor)
    if reopens, kind == .shared, let own = Self.reopen(descriptor) {
      (self.descriptor, self.kind) = (own, .reopened)
    } else {
      (self.descriptor, self.kind) = (descriptor, kind)
    }
  }

  private static func kind(of descriptor: Int32) -> Kind {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .file }
    return switch status.st_mode & S_IFMT {
    case S_IFIFO: .shared
    case S_IFSOCK: .socket
    case S_IFCHR where isatty(descriptor) == 1: .shared
    default: .file
    }
  }

  private static func reopen(_ descriptor: Int32) -> Int32? {
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let own = open("/proc/self/fd/\(descriptor)", flags)
    return own < 0 ? nil : own
  }

  func close() {
    if kind == .reopened { Glibc.close(descriptor) }
  }

  /// Writes as much as fits, removes it from the bytes, and returns whether all was written.
  func write(_ bytes: inout ArraySlice<UInt8>) throws(OutputStream.Failure) -> Bool {
    while !bytes.isEmpty {
      let count = writeSome(bytes)
      if count >= 0 {
        bytes = bytes.dropFirst(count)
        continue
      }
      switch errno {
      case EAGAIN: return false
      case EINTR: continue
      case EPIPE: throw .readerClosed
      default: throw .failed(SystemError("write"))
      }
    }
    return true
  }

  private func writeSome(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBytes { raw in
      switch kind {
      case .file, .reopened: return Glibc.write(descriptor, raw.baseAddress, raw.count)
      case .socket:
        return send(descriptor, raw.baseAddress, raw.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      case .shared:
        guard waitForRoom(limit: .zero) else {
          errno = EAGAIN
          return -1
        }
        // A write of this size does not block (pipe(7)).
        return Glibc.write(descriptor, raw.baseAddress, min(raw.count, Int(PIPE_BUF)))
      }
    }
  }

  /// Blocks until there is room or an error for the next write; returns false after the time limit.
  func waitForRoom(limit: Duration?) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let timeout = limit.map { Int32(clamping: Int64($0 / .milliseconds(1))) } ?? -1
    while true {
      let count = poll(&entry, 1, timeout)
      if count >= 0 || errno != EINTR { return count != 0 }
    }
  }
}

package enum StandardStream: Sendable {
  case input
  case output
  case errors

  package var descriptor: Int32 {
    switch self {
    case .input: STDIN_FILENO
    case .output: STDOUT_FILENO
    case .errors: STDERR_FILENO
    }
  }
}
