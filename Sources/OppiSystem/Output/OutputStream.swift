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
    case readerGone
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
    await loop.breathe()
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
