// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiTurns
import OppiWire

/// The steps for requests that stay pending.
extension WatchService {
  /// Begins the jobs that are due; one for each step at a time, so that each sees the latest answers
  /// of the servers.
  mutating func beginEscalation(at now: Timestamp, isQuiet: Bool) {
    guard rules.escalates, !escalation.isPausing(at: loop.now) else { return }
    if !escalation.isNoting { noteRequests(at: now) }
    let due = escalation.due(by: rules, at: now, isQuiet: isQuiet)
    let again = (due[.again] ?? []).filter { reminder(of: $0) != nil }
    if !again.isEmpty {
      take(.again, again) { own in
        { service in
          let alerts = own.filter(service.escalation.isPending).compactMap(service.reminder)
          try service.perform(service.alerts.remind(alerts), at: service.context.now())
        }
      }
    }
    if let pending = due[.escalate]?.first, let command = rules.escalationCommand {
      let begin = escalation.ledger[pending.key]?.since ?? now
      let document = rules.document(of: pending.row, pendingSince: begin, at: now)
      take(.escalate, [pending]) { [context] _ in
        let failure = await context.escalate(document, to: command)
        return { service in
          if let failure { await context.reporter.warn("notify.escalate failed: \(failure)") }
          let isSent = failure == nil
          let now = context.now()
          service.lines.send(service.rules.line(onPassing: pending.row, isSent: isSent, at: now))
        }
      }
    }
    if let pending = due[.deny]?.first {
      take(.deny, [pending]) { [context] _ in
        // Only if it is still pending and unchanged.
        let (id, request) = (pending.row.id, pending.row.request)
        let reply = RequestReply.decision(.deny)
        let result = await context.reply(reply, to: request, of: id.serverID, isAutomatic: true)
        return { service in
          service.report(result, of: reply, to: request, at: id.session, isAutomatic: true)
        }
      }
    }
  }

  /// The alert that a request is still pending; `nil` if its session is unknown.
  private func reminder(of pending: WatchEscalation.Pending) -> Alert? {
    let row = pending.row
    let server = fleet.servers.first { $0.id == row.id.serverID }
    guard let place = row.id.session,
      let session = server?.sessions.first(where: { $0.id == place.sessionID })
    else { return nil }
    return Alert(
      place: place,
      kind: .again(row.approval, of: session.approvals.count),
      server: row.server,
      session: session
    )
  }

  /// Records new requests, and finds the rules of their workspaces, if there are any.
  private mutating func noteRequests(at now: Timestamp) {
    let (ledger, denyRules) = (escalation.ledger, escalation.denyRules)
    let all = escalation.listings.values.flatMap(\.requests)
    // A clock that was set back must not stop the steps.
    let isNew = ledger.lacks(all.map(\.key)) || ledger.entries.values.contains { $0.since > now }
    let workspaces = Set(all.map(\.row.workspaceReference)).filter { workspace in
      guard rules.denyAfter != nil else { return false }
      guard let rule = denyRules[workspace] else { return true }
      let pause = WatchEscalation.pause
      return rule.failedAt.map { now < $0 || now >= $0.moved(by: pause) } ?? false
    }
    guard isNew || !workspaces.isEmpty else { return }
    escalation.isNoting = true
    let failing = Set(denyRules.filter { $0.value.failedAt != nil }.keys)
    let generation = escalation.generation
    jobs.append { [rules, context, keys = all.map(\.key)] in
      var found: [WorkspaceReference?: WatchEscalation.DenyRule] = [:]
      for workspace in workspaces {
        do {
          found[workspace] = .init(after: try await rules.denyAfter?(workspace))
        } catch {
          if !failing.contains(workspace) {
            await context.reporter.warn("notify.deny-after is not applied", because: error)
          }
          found[workspace] = .init(failedAt: context.now())
        }
      }
      let result: Result<EscalationLedger, FileError>
      do throws(FileError) {
        result = .success(try await context.escalationFile.note(keys, at: context.now()))
      } catch {
        result = .failure(error)
      }
      return { [found] service in
        let now = service.loop.now
        await service.warn(of: service.escalation.noted(result, found, of: generation, at: now))
      }
    }
  }

  /// Records a step for requests, and then takes it for those that are this watch's own, unless such
  /// a job is in progress.
  private mutating func take(
    _ step: EscalationStep,
    _ all: [WatchEscalation.Pending],
    _ act: @escaping @Sendable ([WatchEscalation.Pending]) async -> Update
  ) {
    guard escalation.busy.insert(step).inserted else { return }
    jobs.append { [context] in
      let own: [WatchEscalation.Pending]
      do throws(FileError) {
        let keys = try await context.escalationFile.claim(step, of: all.map(\.key))
        own = all.filter { keys.contains($0.key) }
      } catch {
        return { service in
          let now = service.loop.now
          await service.warn(of: service.escalation.failed(step, because: error, at: now))
        }
      }
      let update = own.isEmpty ? nil : await act(own)
      return { service in
        service.escalation.settle(step, all)
        try await update?(&service)
      }
    }
  }

  private func warn(of error: FileError?) async {
    if let error { await context.reporter.warn(context.reporter.reason(of: error).message) }
  }
}

extension EscalationLedger {
  /// Whether it would add one of the pending requests; requests that are gone make room for them.
  func lacks(_ pending: [EscalationKey]) -> Bool {
    let known = pending.count { self[$0] != nil }
    return known < pending.count && known < Self.limit
  }
}

extension Services {
  var escalationFile: RecordFile<EscalationLedger> { RecordFile(paths.escalationsFile, in: files) }
}
