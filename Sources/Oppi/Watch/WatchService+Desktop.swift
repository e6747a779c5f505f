// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The notifications of a watch and their buttons.
extension WatchService {
  // MARK: - Notifications

  mutating func perform(_ effect: AlertTracker.Effect, at now: Timestamp) throws {
    switch effect {
    case .raise(let alert):
      let request = request(of: alert)
      let text = print(alert, request, at: now)
      order(.show(desktop.notification(of: alert, text, request, at: elapsed)))
    case .raiseGroup(let all):
      for alert in all {
        try Task.checkCancellation()
        _ = print(alert, request(of: alert), at: now)
      }
      order(.show(desktop.notification(ofGroup: all, output.text(of: all))))
    case .withdraw(let place): order(.withdraw(WatchDesktop.tag(of: place)))
    case .withdrawGroup: order(.withdraw(WatchDesktop.groupTag))
    }
  }

  /// The request of an alert; `nil` if it cannot be identified for certain.
  private func request(of alert: Alert) -> HumanRequest? {
    guard let approval = alert.approval else { return nil }
    let known = requests[alert.place.serverID]?[approval.id] ?? []
    guard known.count == 1, known[0].sessionID == alert.place.sessionID,
      known[0].contentHash == approval.contentHash
    else { return nil }
    return known[0]
  }

  /// Prints an alert once, even if it is shown on the desktop several times; returns its text.
  private mutating func print(
    _ alert: Alert,
    _ request: HumanRequest?,
    at now: Timestamp
  ) -> AlertText {
    let text = output.text(of: alert, request, at: now)
    let subject: String? =
      switch alert.kind {
      case .approval(let approval, _), .expiring(let approval, _):
        "\(alert.kind.word) \(approval.id) \(approval.contentHash)"
      case .question(let question): "\(alert.kind.word) \(question.text)"
      case .again, .finished, .failed, .runningLong: nil
      }
    if let subject {
      guard lastPrinted.updateValue(subject, forKey: alert.place) != subject else { return text }
    }
    printer.report(.alert(alert, text, at: now))
    return text
  }

  // MARK: - Buttons

  mutating func take(_ event: DesktopEvent) async -> [Job] {
    switch event {
    case .action(let tag, let key):
      switch desktop.action(tag, key, at: elapsed) {
      case .decide(let reply, let offer)?: return decide(reply, offer)
      case .outdated(let place)?: refuse(.outdated, at: place)
      case .hasty(let place)?: refuse(.hasty, at: place)
      case .open(let place)?: await open(place)
      case nil: break
      }
    case .closed, .daemonGone: break
    case .daemonBack: alerts.forgetShown()
    }
    return []
  }

  /// Sends a reply to the request's server, unless the reply of an earlier press is under way.
  private mutating func decide(_ reply: RequestReply, _ offer: WatchDesktop.Offer) -> [Job] {
    guard !pressed.contains(offer) else { return [] }
    pressed.append(offer)
    return [
      { [context] in
        let result = await context.reply(reply, to: offer.request, of: offer.place.serverID)
        return .decided(offer, reply, result)
      }
    ]
  }

  /// Reports that a press had no effect, and shows the session's current request again.
  private mutating func refuse(_ press: WatchPress, at place: SessionPlace) {
    show(press, at: place, isSettled: false)
    alerts.forgetShown(of: place)
  }

  /// Reports the result of a reply, and updates the notifications of its session.
  mutating func tell(
    _ result: Result<DecisionOutcome, any Error>,
    of offer: WatchDesktop.Offer,
    _ reply: RequestReply
  ) {
    pressed.removeAll { $0 == offer }
    let place = offer.place
    let outcome = try? result.get()
    show(
      .decided(reply, offer.request, result),
      at: place,
      isSettled: outcome?.isSettled ?? false
    )
    settle(outcome, at: place)
  }

  /// Updates the notifications of a session after a reply; `nil` if it did not reach the server.
  mutating func settle(_ outcome: DecisionOutcome?, at place: SessionPlace) {
    switch outcome {
    case .decided?, .tooLate?: alerts.replaced(place)
    case .changed?, nil: alerts.forgetShown(of: place)
    case .unconfirmed?, .unknown?:
      alerts.replaced(place)
      unsettled.insert(place)
    }
  }

  /// Prints the result of a press, and shows it as a notification.
  private func show(_ press: WatchPress, at place: SessionPlace, isSettled: Bool) {
    printer.report(.press(press))
    let (title, body) = output.note(on: press)
    order(.show(desktop.notification(noting: title, body, at: place, isSettled: isSettled)))
  }

  private func open(_ place: SessionPlace) async {
    guard let server = fleet.servers.first(where: { $0.id == place.serverID }) else { return }
    let words = [context.programPath(), "chat", "-s", "\(server.name)/\(place.sessionID)"]
    do {
      guard let command = try context.terminalWindow.command(running: words) else {
        return await context.reporter.warn(
          "no terminal found to open the session in; set $TERMINAL"
        )
      }
      try context.programs.startDetached(command)
    } catch {
      await context.reporter.warn("cannot open a terminal", because: error)
    }
  }

  // MARK: - The desktop

  /// Shows or withdraws a notification if there is a desktop.
  func order(_ order: DesktopLine.Order) { line?.order(order) }

  /// Searches for a desktop if none was found, without blocking the watch.
  mutating func seekDesktop() -> Job? {
    guard !rules.isSilent, line == nil, !isSeeking,
      soughtAt.map({ loop.now >= $0 + Self.desktopPause }) ?? true
    else { return nil }
    (soughtAt, isSeeking) = (loop.now, true)
    return { [context, rules] in
      do throws(DesktopError) {
        let notifier = try await context.desktop.notifier(command: rules.command, on: context.loop)
        return .desktopFound(notifier)
      } catch {
        return .desktopLost(error)
      }
    }
  }

  /// Withdraws all notifications, because their buttons no longer work.
  func leave() async {
    manager.stopping()
    guard let notifier = line?.notifier else { return }
    // A new task, because the current one is already cancelled.
    await Task(executorPreference: loop) { [tags = desktop.tags] in
      for tag in tags { try? await notifier.withdraw(tag) }
    }
    .value
  }
}
