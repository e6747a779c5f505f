// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import Synchronization

/// A descriptor that is written to without ever holding up the loop: whoever reads nothing makes
/// only the writer wait.
///
/// Each write is whole: others wait until it is done.
package final class OutputStream: Sendable {
  /// Why not everything was written.
  package enum Failure: Error, Equatable {
    /// Nobody is left to read it.
    case readerGone
    case failed(SystemError)
    /// There was no room for it within the time.
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

  /// Writes to a descriptor, whose flags are left alone: other programs have the same open file.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes to a standard stream.
  package convenience init(_ stream: StandardStream) {
    self.init(descriptor: stream.descriptor)
  }

  deinit {
    state.withLock { $0.outlet?.close() }
  }

  /// Writes all bytes, and suspends while there is no room for them.
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
    // A file or a quick reader always has room.
    await loop.breathe()
  }

  /// Writes all bytes where no loop runs, and blocks while there is no room for them.
  ///
  /// - Parameters:
  ///   - bytes: What to write.
  ///   - limit: The longest time without any progress; `nil` waits for ever.
  /// - Throws: `Failure` where not everything was written.
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

  /// The outlet is looked for only when there is something to write.
  private func outlet() -> Outlet {
    state.withLock { state in
      let outlet = state.outlet ?? Outlet(descriptor)
      state.outlet = outlet
      return outlet
    }
  }

  // MARK: - One after the other

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
