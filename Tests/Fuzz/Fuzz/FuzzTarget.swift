// SPDX-License-Identifier: MIT

/// A function that reads arbitrary bytes and traps if the product violates an invariant.
package struct FuzzTarget: Sendable, CustomStringConvertible {
  /// The name of the target and of its corpus folder.
  package let name: String
  package let run: @Sendable ([UInt8]) -> Void

  package var description: String { name }

  /// All targets; a new target is a function and a row here.
  package static let all = [
    FuzzTarget(name: "json", run: fuzzJSON),
    FuzzTarget(name: "invite", run: fuzzInvite),
    FuzzTarget(name: "websocket", run: fuzzWebSocket),
    FuzzTarget(name: "http", run: fuzzHTTP),
    FuzzTarget(name: "messages", run: fuzzMessages),
    FuzzTarget(name: "turns", run: fuzzTurns),
    FuzzTarget(name: "text", run: fuzzText),
    FuzzTarget(name: "markdown", run: fuzzMarkdown),
    FuzzTarget(name: "keys", run: fuzzKeys),
    FuzzTarget(name: "names", run: fuzzNames),
    FuzzTarget(name: "records", run: fuzzRecords),
    FuzzTarget(name: "config", run: fuzzConfig),
    FuzzTarget(name: "durations", run: fuzzDurations),
    FuzzTarget(name: "words", run: fuzzWords),
    FuzzTarget(name: "timestamps", run: fuzzTimestamps),
    FuzzTarget(name: "status", run: fuzzStatus),
    FuzzTarget(name: "access", run: fuzzAccess),
    FuzzTarget(name: "events", run: fuzzEvents),
    FuzzTarget(name: "dialogs", run: fuzzDialogs),
    FuzzTarget(name: "launches", run: fuzzLaunches),
    FuzzTarget(name: "dates", run: fuzzDates),
  ]
}
