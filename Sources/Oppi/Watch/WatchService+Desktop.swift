// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiSystem
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The notifications of a watch and their buttons.
extension WatchService {
  // MARK: - Notifications

  mutating func perform(_ effects: [AlertTracker.Effect], at now: Timestamp) throws {
    remember(effects)
    for effect in effects {
      try Task.checkCancellation()
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
        let text = AlertText(all, isPrivate: rules.isPrivate)
        order(.show(desktop.notification(ofGroup: all, text)))
      case .withdraw(let place): order(.withdraw(WatchDesktop.tag(of: place)))
      case .withdrawGroup: order(.withdraw(WatchDesktop.groupTag))
      }
    }
  }

  /// Records that the requests of alerts were shown, unless texts are left out.
  private mutating func remember(_ effects: [AlertTracker.Effect]) {
    let alerts = effects.flatMap { effect -> [Alert] in
      switch effect {
      case .raise(let alert): [alert]
      case .raiseGroup(let all): all
      case .withdraw, .withdrawGroup: []
      }
    }
    let shown = alerts.compactMap { alert in
      alert.approval.map {
        ShownRequests.Entry($0, of: alert.place.serverID, in: alert.place.sessionID)
      }
    }
    guard !shown.isEmpty, !rules.isPrivate else { return }
    jobs.append { [context] in
      await context.remember(listed: shown)
      return { _ in }
    }
  }

  /// The request of an alert; `nil` if it cannot be identified for certain.
  private func request(of alert: Alert) -> HumanRequest? {
    guard let approval = alert.approval else { return nil }
    let known = requests[alert.place.serverID]?[approval.id] ?? []
    guard known.count == 1, known[0].sessionID == alert.place.sessionID,
      known[0].digest == approval.digest
    else { return nil }
    return known[0]
  }

  /// Prints an alert once, even if it is shown on the desktop several times; returns its text.
  private func print(_ alert: Alert, _ request: HumanRequest?, at now: Timestamp) -> AlertText {
    let text = rules.text(of: alert, request, at: now)
    if !alert.isRepeated { lines.send(AlertLine(alert: alert, text: text, at: now).report) }
    return text
  }

  // MARK: - Decisions

  private mutating func take(_ event: DesktopEvent) async {
    switch event {
    case .action(let tag, let key):
      switch desktop.action(tag, key, at: elapsed) {
      case .decide(let reply, let offer)?: decide(reply, offer)
      case .refuse(let place, let reason)?: refuse(at: place, because: reason)
      case .open(let place)?: await open(place)
      case nil: break
      }
    case .daemonBack: alerts.forgetShown()
    }
  }

  /// Sends a reply to the request's server, unless the reply of an earlier press is under way.
  ///
  /// A button that lets the agent continue is only below the whole request, and works only after it
  /// could be read: its press shows that the user has read this one, whatever was shown before.
  private mutating func decide(_ reply: RequestReply, _ offer: WatchDesktop.Offer) {
    guard !pressed.contains(offer) else { return }
    pressed.append(offer)
    jobs.append { [context] in
      let result = await context.reply(
        reply,
        to: offer.request,
        of: offer.place.serverID,
        isRead: true
      )
      return { service in
        service.pressed.removeAll { $0 == offer }
        service.report(result, of: reply, to: offer.request, at: offer.place)
      }
    }
  }

  /// Reports that a press had no effect, and shows the session's current request again.
  private mutating func refuse(at place: SessionID, because reason: String) {
    let title = DecisionOutcome.title(because: reason)
    lines.send(.step(status: StyledText(title, .warning)))
    order(.show(desktop.notification(noting: title, "", at: place, isSettled: false)))
    alerts.forgetShown(of: place)
  }

  /// Reports the result of a reply by a button, or by a rule if `isAutomatic`, and updates the
  /// notifications of the session.
  ///
  /// In quiet hours, the result of a rule is only printed.
  mutating func report(
    _ result: Result<DecisionOutcome, any Error>,
    of reply: RequestReply,
    to request: HumanRequest,
    at place: SessionID?,
    isAutomatic: Bool = false
  ) {
    let now = context.now()
    let (title, body, line) = rules.result(
      of: reply,
      to: request,
      result,
      isAutomatic: isAutomatic,
      at: now
    )
    lines.send(line)
    guard let place else { return }
    let outcome = try? result.get()
    let isShown = alerts.displays(request.id, content: request.digest, at: place)
    let isSettled = isShown && outcome?.isSettled == true
    if !isAutomatic || !isQuiet(at: now) {
      order(.show(desktop.notification(noting: title, body, at: place, isSettled: isSettled)))
      if isSettled { alerts.replaced(place) }
    }
    switch outcome {
    case .decided?, .tooLate?:
      // The press has closed the notification, which already was that of another request.
      if !isShown, !isAutomatic { alerts.forgetShown(of: place) }
    // It did not reach the server, or was about another call.
    case .changed?, nil: alerts.forgetShown(of: place)
    case .unconfirmed?, .unknown?: unsettled.insert(place)
    }
  }

  private func open(_ place: SessionID) async {
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
  func order(_ order: DesktopLine.Order) { line?.orders.yield(order) }

  /// Searches for a desktop if none was found, without blocking the watch.
  mutating func seekDesktop() {
    guard !rules.isSilent, line?.notifier.isLastResort ?? true, !isSeeking,
      soughtAt.map({ loop.now >= $0 + Self.desktopPause }) ?? true
    else { return }
    (soughtAt, isSeeking) = (loop.now, true)
    jobs.append { [context, command = rules.command] in
      do throws(DesktopError) {
        let notifier = try await context.desktop.notifier(command: command, on: context.loop)
        return { service in
          guard service.rules.command == command else { return service.seekAgain() }
          service.use(notifier)
        }
      } catch {
        return { service in
          guard service.rules.command == command else { return service.seekAgain() }
          await service.lose(because: error)
        }
      }
    }
  }

  /// Stops to use the user's command, which has changed, and searches for a desktop or the new one.
  mutating func leaveCommand() {
    if line?.notifier.isLastResort == true {
      line?.orders.finish()
      line = nil
    }
    lostBecause = nil
    soughtAt = nil
  }

  /// Searches again after the command changed during a search.
  private mutating func seekAgain() { (isSeeking, soughtAt) = (false, nil) }

  /// Starts to send notifications to a desktop, in order, and to receive its events.
  private mutating func use(_ notifier: any DesktopNotifier) {
    isSeeking = false
    // No desktop has started.
    if line != nil, notifier.isLastResort { return }
    line?.orders.finish()
    let (stream, orders) = AsyncStream.makeStream(of: DesktopLine.Order.self)
    line = DesktopLine(notifier: notifier, orders: orders)
    lostBecause = nil
    alerts.forgetShown()
    jobs.append { [reporter = context.reporter] in
      for await order in stream {
        do throws(DesktopError) {
          switch order {
          case .show(let notification): try await notifier.show(notification)
          case .withdraw(let tag): try await notifier.withdraw(tag)
          }
        } catch .cancelled {
          continue
        } catch {
          await reporter.warn("could not show a notification: \(error)")
        }
      }
      return { _ in }
    }
    // The user's command has no events.
    if notifier.isLastResort { return }
    jobs.append { [post] in
      do throws(DesktopError) {
        while true {
          let event = try await notifier.next()
          post.yield { await $0.take(event) }
        }
      } catch {
        orders.finish()
        return { await $0.lose(because: error) }
      }
    }
  }

  private mutating func lose(because error: DesktopError) async {
    (line, isSeeking) = (nil, false)
    guard error != .cancelled, error != lostBecause else { return }
    lostBecause = error
    await context.reporter.warn("notifications are off: \(error)")
  }
}

/// A desktop that shows notifications; a slow one delays nothing else.
struct DesktopLine {
  enum Order: Sendable {
    case show(DesktopNotification)
    case withdraw(String)
  }

  let notifier: any DesktopNotifier
  let orders: AsyncStream<Order>.Continuation
}
