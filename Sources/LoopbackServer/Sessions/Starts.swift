// SPDX-License-Identifier: MIT

import OppiModel

/// The starts of agents, which follow one another in each workspace, and their faults.
struct Starts {
  /// A start that takes its time.
  struct Start {
    /// The start that goes first.
    let previous: Promise<Bool>?
    let delay: Duration
    /// Kept when it is over.
    let end = Promise<Bool>()
  }

  private let usualDelay: Duration
  /// By the workspace's id, as everything here.
  private var delays: [String: Duration]
  private var failures: [String: String]
  /// The starts under way that others have to wait for.
  private var latest: [String: Promise<Bool>] = [:]

  init(_ configuration: LoopbackServer.Configuration) {
    usualDelay = configuration.agentStartDelay
    delays = configuration.agentStartDelays
    failures = configuration.startFailures
  }

  /// Begins a start; `nil` where it is over at once.
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

  /// Why no agent can be started in a workspace; `nil` where one can.
  func failure(in workspaceID: String) -> String? { failures[workspaceID] }

  mutating func setFailure(_ text: String?, in workspaceID: String) {
    failures[workspaceID] = text
  }

  mutating func setDelay(_ delay: Duration?, in workspaceID: String) {
    delays[workspaceID] = delay
  }
}
