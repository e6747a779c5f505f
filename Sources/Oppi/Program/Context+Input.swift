// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Reads the input to send; `--timeout` limits the wait for a slow pipe.
extension Context {
  /// Reads standard input to its end; on a terminal, only until `isComplete` returns true.
  ///
  /// - Throws: `OppiError` if `--timeout` elapses, and `EventLoop.WaitError.timedOut` if `duration`
  ///   does, which replaces it; what `Input` throws.
  func standardInput(
    limit: Int,
    within duration: Duration? = nil,
    isComplete: ([UInt8]) -> Bool = { _ in false }
  ) async throws -> [UInt8] {
    let isPerson = console.policy.destination.isInputTerminal
    return try await inTime("standard input", within: duration) { deadline in
      try await Input.standardInput(on: intents.loop, limit: limit, until: deadline) { bytes in
        isPerson && isComplete(bytes)
      }
    }
  }

  /// Reads a file, a pipe or a device; `nil` if it does not exist.
  ///
  /// - Throws: `OppiError` for a folder, or if `--timeout` elapses; what `Input` throws.
  func contents(of file: String, limit: Int) async throws -> [UInt8]? {
    do {
      return try await inTime(file) {
        try await Input.file(file, on: intents.loop, limit: limit, until: $0)
      }
    } catch FileError.cannotRead(_, let cause) where cause.isFolder {
      throw OppiError(.noInput, "\(file.safeLine()) is a directory")
    }
  }

  private func inTime<Value>(
    _ source: String,
    within duration: Duration? = nil,
    _ read: (EventLoop.Instant?) async throws -> Value
  ) async throws -> Value {
    do {
      return try await read((duration ?? options.timeout).map { intents.loop.now + $0 })
    } catch EventLoop.WaitError.timedOut where duration == nil {
      throw OppiError.inputTimedOut(source)
    }
  }
}
