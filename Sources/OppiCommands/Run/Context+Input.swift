// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiSystem

/// What a command is given to send, from where the command line says: a pipe whose writer takes its
/// time is read for no longer than `--timeout`.
extension Context {
  /// Returns all that comes over standard input; from a person, what comes until it is complete.
  ///
  /// - Throws: `OppiError` where `--timeout` passes first; what `Input` throws.
  func standardInput(
    limit: Int,
    isComplete: ([UInt8]) -> Bool = { _ in false }
  ) async throws -> [UInt8] {
    let isPerson = console.policy.destination.isInputTerminal
    return try await inTime("standard input") { deadline in
      try await Input.standardInput(on: intents.loop, limit: limit, until: deadline) { bytes in
        isPerson && isComplete(bytes)
      }
    }
  }

  /// Returns what a file, which may be a pipe or a device, holds; `nil` where there is none.
  ///
  /// - Throws: `OppiError` where `--timeout` passes first; what `Input` throws.
  func contents(of file: String, limit: Int) async throws -> [UInt8]? {
    try await inTime(file) { try await Input.file(file, on: intents.loop, limit: limit, until: $0) }
  }

  private func inTime<Value>(
    _ source: String,
    _ read: (EventLoop.Instant?) async throws -> Value
  ) async throws -> Value {
    do {
      return try await read(options.timeout.map { intents.loop.now + $0 })
    } catch EventLoop.WaitError.timedOut {
      throw OppiError.inputTimedOut(source)
    }
  }
}
