// SPDX-License-Identifier: MIT

import OppiHost

/// The starts of agents, sequential in each workspace, and their faults.
struct Starts: Sendable {
  struct Start: Sendable {
    let previous: Promise<Bool>?
    let delay: Duration
    let end = Promise<Bool>()
  }

  private let usualDelay: Duration
  /// By workspace ID, like all dictionaries here.
  private var delays: [String: Duration]
  private var failures: [String: String]
  /// The latest start of each workspace, which the next one waits for.
  private var latest: [String: Promise<Bool>] = [:]

  init(_ configuration: FakeServer.Configuration) {
    usualDelay = configuration.agentStartDelay
    delays = configuration.agentStartDelays
    failures = configuration.startFailures
  }

  /// Begins a start; `nil` if it takes no time.
  mutating func begin(in workspaceID: String) -> Start? {
    let delay = delays[workspaceID] ?? usualDelay
    let start = Start(previous: latest[workspaceID], delay: delay)
    guard delay > .zero || start.previous != nil else { return nil }
    latest[workspaceID] = start.end
    return start
  }

  mutating func end(_ start: Start, in workspaceID: String) {
    if latest[workspaceID] === start.end { latest[workspaceID] = nil }
    start.end.keep(true)
  }

  /// The reason why agents cannot start in a workspace; `nil` if they can.
  func failure(in workspaceID: String) -> String? { failures[workspaceID] }

  mutating func setFailure(_ text: String?, in workspaceID: String) {
    failures[workspaceID] = text
  }

  mutating func setDelay(_ delay: Duration?, in workspaceID: String) {
    delays[workspaceID] = delay
  }
}
