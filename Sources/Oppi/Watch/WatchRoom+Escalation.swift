// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The steps for requests that stay pending.
extension WatchRoom {
  /// The jobs that are due.
  mutating func escalationJobs(at now: Timestamp, isQuiet: Bool) -> [Job] {
    let noting = escalation.noting(by: rules, in: context)
    let fleet = fleet
    let jobs = escalation.jobs(
      by: rules,
      at: now,
      isQuiet: isQuiet,
      canRemind: { fleet.session(at: $0.row.sessionPlace) != nil },
      telling: teller,
      in: context
    )
    return ([noting].compactMap(\.self) + jobs).map { job in { .escalation(await job()) } }
  }

  /// Takes the result of such a job, and reports it.
  mutating func take(
    _ news: WatchEscalation.News,
    at now: Timestamp,
    isQuiet: Bool
  ) async throws {
    if let error = escalation.take(news, at: loop.now) {
      await context.reporter.warn(context.reporter.reason(of: error).message)
    }
    switch news {
    case .claimed(.again, _, let own):
      for effect in alerts.remind(own.filter(escalation.isPending).compactMap(reminder)) {
        try perform(effect, at: now)
      }
    case .passed(let pending, let failure):
      if let failure { await context.reporter.warn("notify.escalate failed: \(failure)") }
      printer.tell(.passed(pending.row, isSent: failure == nil, at: now))
    case .denied(let pending, let result):
      printer.tell(.denied(pending.row, result, at: now))
      let outcome = try? result.get()
      guard let place = pending.row.sessionPlace else { break }
      if !isQuiet {
        let (title, body) = teller.note(onDenialOf: pending.row, result)
        let isSettled = outcome?.isSettled ?? false
        order(.show(desktop.notification(noting: title, body, at: place, isSettled: isSettled)))
      }
      settle(outcome, at: place)
    case .noted, .claimed, .unclaimed: break
    }
  }

  private func reminder(of pending: WatchEscalation.Pending) -> Alert? {
    let row = pending.row
    guard let place = row.sessionPlace, let session = fleet.session(at: place) else { return nil }
    return Alert(
      place: place,
      kind: .again(row.approval, of: session.approvals.count),
      server: row.server.name,
      session: session
    )
  }
}

extension ListedRequest {
  fileprivate var sessionPlace: SessionPlace? {
    request.sessionID.map { SessionPlace(serverID: server.id, sessionID: $0) }
  }
}

extension FleetStatus {
  fileprivate func session(at place: SessionPlace?) -> SessionStatus? {
    guard let place else { return nil }
    return servers.first { $0.id == place.serverID }?.sessions.first { $0.id == place.sessionID }
  }
}
