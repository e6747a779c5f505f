// SPDX-License-Identifier: MIT

import EventLoop
import Synchronization

/// The files that could not be used and that the program did without, each kept once until it is
/// reported.
package final class FileFaults: Sendable {
  package struct Fault: Sendable, Equatable {
    package let error: FileError
    /// Whether the next write replaces the file.
    package let isReplaced: Bool
  }

  /// The most files to remember; bounds the memory of a long-running process.
  private static let limit = 200

  private struct State {
    var known: Set<String> = []
    var unreported: [Fault] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Notes a file, unless it was noted before; neither a lock that another process holds nor a
  /// cancelled task is a fault of the file.
  package func note(_ error: FileError, isReplaced: Bool = false) {
    if case .lockHeld = error { return }
    guard !Task.isCancelled else { return }
    state.withLock { state in
      guard state.known.count < Self.limit, state.known.insert(error.subject).inserted else {
        return
      }
      state.unreported.append(Fault(error: error, isReplaced: isReplaced))
    }
  }

  /// Returns what was noted since the last call.
  package func take() -> [Fault] {
    state.withLock { state in
      defer { state.unreported = [] }
      return state.unreported
    }
  }
}

extension FileStore {
  /// Uses a file that the program can do without: after an error, which is noted in ``faults``,
  /// returns `nil`.
  @discardableResult
  package func attempt<Result>(_ body: () throws(FileError) -> Result) -> Result? {
    do throws(FileError) {
      return try body()
    } catch {
      faults.note(error)
      return nil
    }
  }

  /// Like ``attempt(_:)``, for a body that waits.
  @discardableResult
  package func attemptWaiting<Result>(
    _ body: () async throws(FileError) -> Result
  ) async -> Result? {
    do throws(FileError) {
      return try await body()
    } catch {
      faults.note(error)
      return nil
    }
  }
}

extension FileError {
  /// What is reported once: the file, or the folder if its files cannot be written for one reason.
  fileprivate var subject: String {
    switch self {
    case .cannotWrite(let path, let cause), .cannotCreate(let path, let cause):
      "\(FileStore.parent(of: path)) \(cause.code)"
    case .cannotRead(let path, _), .unsafeMode(let path, _, _), .foreign(let path),
      .unsafeFolder(let path, _), .corrupt(let path, _), .unusable(let path, _),
      .newerVersion(let path, _), .wrongType(let path, _, _, _, _),
      .unusableSetting(let path, _, _), .lockHeld(let path), .tooLarge(let path, _):
      path
    }
  }
}
