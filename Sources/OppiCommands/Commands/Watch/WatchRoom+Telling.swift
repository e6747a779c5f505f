// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// What is told, and what is pressed.
extension WatchRoom {
  // MARK: - Telling

  mutating func perform(_ effect: AlertDesk.Effect, at now: Timestamp) async throws {
    switch effect {
    case .raise(let alert):
      let request = alert.approval.flatMap { requests[$0.id]?.request }
      let text = AlertText(alert, request: request, at: now, isPrivate: rules.isPrivate)
      try await print(alert, text, at: now)
      order(.show(desktop.notification(of: alert, text)))
    case .raiseGroup(let all):
      for alert in all {
        let request = alert.approval.flatMap { requests[$0.id]?.request }
        let text = AlertText(alert, request: request, at: now, isPrivate: rules.isPrivate)
        try await print(alert, text, at: now)
      }
      let text = AlertText(all, isPrivate: rules.isPrivate)
      order(.show(desktop.notification(ofGroup: all, text)))
    case .withdraw(let place): order(.withdraw(WatchDesktop.tag(of: place)))
    case .withdrawGroup: order(.withdraw(WatchDesktop.groupTag))
    }
  }

  /// Prints an alert once, however often a desktop has to be shown it.
  private mutating func print(_ alert: Alert, _ text: AlertText, at now: Timestamp) async throws {
    switch alert.kind {
    case .approval, .expiring, .question:
      guard lastPrinted.updateValue(alert.kind, forKey: alert.place) != alert.kind else { return }
    case .finished, .failed, .runningLong: break
    }
    let line = AlertLine(alert: alert, text: text, at: now)
    try await context.console.print([line.document], or: [line.line])
  }

  // MARK: - What is pressed

  mutating func take(_ event: DesktopEvent) async throws -> [Job] {
    switch event {
    case .action(let tag, let key):
      switch desktop.wish(tag, key) {
      case .decide(let decision, let id, let place)?: return [decide(decision, id, at: place)]
      case .open(let place)?: await open(place)
      case nil: break
      }
    case .closed, .daemonGone: break
    case .daemonBack: alerts.forgetShown()
    }
    return []
  }

  /// Brings a decision to the request's server; a request that waits no more is decided.
  private func decide(_ decision: PermissionDecision, _ id: String, at place: SessionPlace) -> Job {
    let known = requests[id]
    return { [context] in
      let result = await WatchDecision.bring(decision, known, in: context)
      return .decided(place, requestID: id, decision, result)
    }
  }

  /// Says what came of a decision, where it was pressed.
  mutating func tell(
    _ result: WatchDecision.Result,
    of id: String,
    _ decision: PermissionDecision,
    at place: SessionPlace
  ) async throws {
    let summary = requests[id]?.request.summary ?? id
    let body = rules.isPrivate ? "" : RevealedText(summary).line.safeLine(limit: 200)
    let words = result.words(for: decision)
    let line = JSONValue.object([
      "type": "decision", "at": .string(context.now().iso8601), "requestId": .string(id),
      "state": .string(result.state(for: decision)), "text": .string(words),
    ])
    try await context.console.print([line], or: [StyledText("\(words): \(body)")])
    // What still waits is to be pressed again.
    if case .failed = result { alerts.forgetShown() } else { alerts.replaced(place) }
    order(.show(desktop.notification(noting: words, body, at: place)))
  }

  /// Goes on in a session, in a terminal window.
  private func open(_ place: SessionPlace) async {
    guard let server = fleet.servers.first(where: { $0.id == place.serverID }) else { return }
    let words = [Program.ownPath(), "chat", "-s", "\(server.name)/\(place.sessionID)"]
    do {
      let window = TerminalWindow(environment: context.environment)
      guard let command = try window.command(running: words) else {
        return await context.console.warn("no terminal to open a session in; set $TERMINAL")
      }
      try Program.startDetached(command)
    } catch {
      await context.console.warn("cannot open a terminal: \(OppiError(error).message)")
    }
  }
}

/// A decision that was pressed.
enum WatchDecision {
  /// What came of it.
  enum Result: Sendable {
    case decided
    case tooLate
    case unknown
    case failed(String)

    func state(for decision: PermissionDecision) -> String {
      switch self {
      case .decided: decision == .deny ? "denied" : "approved"
      case .tooLate: "too-late"
      case .unknown: "unknown"
      case .failed: "failed"
      }
    }

    func words(for decision: PermissionDecision) -> String {
      switch self {
      case .decided: decision == .deny ? "Denied" : "Approved"
      case .tooLate: "Already decided, expired or gone"
      case .unknown: "Whether it was decided is not known"
      case .failed(let reason): "Not decided: \(reason)"
      }
    }
  }

  /// Brings a decision to the server of a request.
  static func bring(
    _ decision: PermissionDecision,
    _ known: (server: PairedServer, request: PermissionRequest)?,
    in context: Context
  ) async -> Result {
    guard let (server, request) = known else { return .tooLate }
    do throws(IntentError) {
      let api = try await context.connections.client(for: server)
      switch try await DecideRequest(server: server, api: api).decide(decision, request) {
      case .decided: return .decided
      case .tooLate: return .tooLate
      case .unknown: return .unknown
      }
    } catch {
      return .failed(OppiError(error).message)
    }
  }
}
