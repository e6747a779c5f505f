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
      let request = request(of: alert)
      let text = text(of: alert, request, at: now)
      try await print(alert, text, at: now)
      order(.show(desktop.notification(of: alert, text, request)))
    case .raiseGroup(let all):
      for alert in all {
        try Task.checkCancellation()
        let request = request(of: alert)
        let text = text(of: alert, request, at: now)
        try await print(alert, text, at: now)
      }
      let text = AlertText(all, isPrivate: rules.isPrivate)
      order(.show(desktop.notification(ofGroup: all, text)))
    case .withdraw(let place): order(.withdraw(WatchDesktop.tag(of: place)))
    case .withdrawGroup: order(.withdraw(WatchDesktop.groupTag))
    }
  }

  private func text(
    of alert: Alert,
    _ request: PermissionRequest?,
    at now: Timestamp
  ) -> AlertText {
    AlertText(alert, request: request, isPrivate: rules.isPrivate) { moment in
      LocalTime.text(of: moment, seenAt: now)
    }
  }

  /// The request that an alert is about; `nil` where that is not beyond doubt.
  private func request(of alert: Alert) -> PermissionRequest? {
    guard let approval = alert.approval else { return nil }
    let known = requests[alert.place.serverID]?[approval.id] ?? []
    guard known.count == 1, known[0].sessionID == alert.place.sessionID,
      known[0].contentHash == approval.contentHash
    else { return nil }
    return known[0]
  }

  /// Prints an alert once, however often a desktop has to be shown it.
  private mutating func print(_ alert: Alert, _ text: AlertText, at now: Timestamp) async throws {
    let subject: String? =
      switch alert.kind {
      case .approval(let approval, _), .expiring(let approval, _):
        "\(alert.kind.word) \(approval.id) \(approval.contentHash)"
      case .question(let question): "\(alert.kind.word) \(question.text)"
      case .finished, .failed, .runningLong: nil
      }
    if let subject {
      guard lastPrinted.updateValue(subject, forKey: alert.place) != subject else { return }
    }
    let line = AlertLine(alert: alert, text: text, at: now)
    try await context.console.print([line.document], or: [line.line])
  }

  // MARK: - What is pressed

  mutating func take(_ event: DesktopEvent) async throws -> [Job] {
    switch event {
    case .action(let tag, let key):
      switch desktop.wish(tag, key) {
      case .decide(let decision, let offer)?: return [decide(decision, offer)]
      case .outdated(let place)?: try await refuse(place)
      case .open(let place)?: await open(place)
      case nil: break
      }
    case .closed, .daemonGone: break
    case .daemonBack: alerts.forgetShown()
    }
    return []
  }

  /// Brings a decision to the request's server.
  private func decide(_ decision: PermissionDecision, _ offer: WatchDesktop.Offer) -> Job {
    { [context] in
      let flow = DecideNamed(decision, in: context.intents)
      let result = await flow.decide(asShown: offer.request, of: offer.place.serverID)
      return .decided(offer, decision, result)
    }
  }

  /// Says that a press had no effect, and shows again what waits in its session.
  private mutating func refuse(_ place: SessionPlace) async throws {
    let words = DecisionOutcome.title(because: "the notification was out of date")
    try await context.console.print(.step(status: StyledText(words, .warning)))
    order(.show(desktop.notification(noting: words, "", at: place, isSettled: false)))
    alerts.forgetShown(of: place)
  }

  /// Says what came of a decision, where it was pressed.
  mutating func tell(
    _ result: Result<DecisionOutcome, any Error>,
    of offer: WatchDesktop.Offer,
    _ decision: PermissionDecision
  ) async throws {
    let (id, place) = (offer.request.id, offer.place)
    let body = rules.isPrivate ? "" : offer.request.line.safeLine(limit: 200)
    let outcome = try? result.get()
    let (words, state) =
      switch result {
      case .success(let outcome): (outcome.title(of: decision), outcome.watchState(of: decision))
      case .failure(let error):
        (DecisionOutcome.title(because: OppiError(error).message), DecisionOutcome.failedState)
      }
    let line = JSONValue.object([
      "type": "decision", "at": .string(context.now().iso8601), "requestId": .string(id),
      "state": .string(state), "text": .string(words),
    ])
    try await context.console.print([line], or: [StyledText("\(words): \(body)")])
    order(
      .show(
        desktop.notification(noting: words, body, at: place, isSettled: outcome?.isSettled ?? false)
      )
    )
    switch outcome {
    case .decided?, .tooLate?: alerts.replaced(place)
    case .changed?, nil: alerts.forgetShown(of: place)
    case .unconfirmed?, .unknown?:
      alerts.replaced(place)
      unsettled.insert(place)
    }
  }

  /// Goes on in a session, in a terminal window.
  private func open(_ place: SessionPlace) async {
    guard let server = fleet.servers.first(where: { $0.id == place.serverID }) else { return }
    let words = [context.programPath(), "chat", "-s", "\(server.name)/\(place.sessionID)"]
    do {
      let window = TerminalWindow(in: context)
      guard let command = try window.command(running: words) else {
        return await context.console.warn("no terminal to open a session in; set $TERMINAL")
      }
      try context.programs.startDetached(command)
    } catch {
      await context.console.warn("cannot open a terminal: \(OppiError(error).message)")
    }
  }
}
