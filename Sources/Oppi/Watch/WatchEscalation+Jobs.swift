// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The jobs for the steps that are due.
extension WatchEscalation {
  typealias Job = @Sendable () async -> News

  /// The job that records new requests, and finds the rules of their workspaces; `nil` if there are
  /// none.
  mutating func noting(by rules: WatchRules, in context: IntentContext) -> Job? {
    guard rules.escalates, !isNoting, !isPausing(at: context.loop.now) else { return nil }
    let now = context.now()
    let all = listings.values.flatMap(\.requests)
    // A clock that was set back must not stop the steps.
    let isNew = ledger.lacks(all.map(\.key)) || ledger.entries.values.contains { $0.since > now }
    let workspaces = Set(all.map(\.row.workspaceReference)).filter { workspace in
      guard rules.denyAfter != nil else { return false }
      guard let rule = denyRules[workspace] else { return true }
      return rule.failedAt.map { now < $0 || now >= $0.moved(by: Self.pause) } ?? false
    }
    guard isNew || !workspaces.isEmpty else { return nil }
    isNoting = true
    let failing = Set(denyRules.filter { $0.value.failedAt != nil }.keys)
    return { [keys = all.map(\.key)] in
      var found: [WorkspaceReference?: DenyRule] = [:]
      for workspace in workspaces {
        do {
          found[workspace] = DenyRule(after: try await rules.denyAfter?(workspace))
        } catch {
          if !failing.contains(workspace) {
            await context.reporter.warn("notify.deny-after is not applied", because: error)
          }
          found[workspace] = DenyRule(failedAt: context.now())
        }
      }
      do throws(FileError) {
        return .noted(
          .success(try await context.escalationFile.note(keys, at: context.now())),
          found
        )
      } catch {
        return .noted(.failure(error), found)
      }
    }
  }

  /// The requests for which a step is due, the most urgent first.
  func due(
    by rules: EscalationRules,
    at now: Timestamp,
    isQuiet: Bool
  ) -> [EscalationStep: [Pending]] {
    var due: [EscalationStep: [Pending]] = [:]
    for listing in listings.values {
      for pending in listing.requests where !pending.row.approval.hasExpired(at: now) {
        guard let entry = ledger[pending.key] else { continue }
        let steps = rules.due(
          entry,
          denyAfter: denyRules[pending.row.workspaceReference]?.after,
          contactAt: listing.at,
          now: now,
          isQuiet: isQuiet
        )
        for step in steps { due[step, default: []].append(pending) }
      }
    }
    return due.mapValues { $0.sorted { $0.row.approval < $1.row.approval } }
  }

  /// The jobs for the steps that are due; one for each step at a time, so that each sees the latest
  /// answers of the servers.
  ///
  /// `canRemind` is whether a request can be notified.
  mutating func jobs(
    by rules: WatchRules,
    at now: Timestamp,
    isQuiet: Bool,
    canRemind: (Pending) -> Bool,
    reportingTo output: any WatchOutput,
    in context: IntentContext
  ) -> [Job] {
    guard rules.escalates, !isPausing(at: context.loop.now) else { return [] }
    var jobs: [Job] = []
    let due = due(by: rules.escalation, at: now, isQuiet: isQuiet)
    let again = (due[.again] ?? []).filter(canRemind)
    if !again.isEmpty, busy.insert(.again).inserted {
      jobs.append(Self.claiming(.again, again, in: context) { _ in nil })
    }
    if let pending = due[.escalate]?.first, let command = rules.escalationCommand,
      busy.insert(.escalate).inserted
    {
      let begin = ledger[pending.key]?.since ?? now
      let document = output.document(of: pending.row, pendingSince: begin, at: now)
      jobs.append(
        Self.claiming(.escalate, [pending], in: context) { pending in
          .passed(pending, failure: await EscalationCommand(command, in: context).run(document))
        }
      )
    }
    if let pending = due[.deny]?.first, busy.insert(.deny).inserted {
      jobs.append(
        Self.claiming(.deny, [pending], in: context) { pending in
          // Only if it is still pending and unchanged.
          let (id, request) = (pending.row.id.serverID, pending.row.request)
          let deny = RequestReply.decision(.deny)
          return .denied(pending, await context.reply(deny, to: request, of: id, isAutomatic: true))
        }
      )
    }
    return jobs
  }

  /// Records a step, and then takes it for the first request that is this watch's own; without an
  /// action, the news names them all.
  private static func claiming(
    _ step: EscalationStep,
    _ all: [Pending],
    in context: IntentContext,
    _ act: @escaping @Sendable (Pending) async -> News?
  ) -> Job {
    {
      let own: [Pending]
      do throws(FileError) {
        let keys = try await context.escalationFile.claim(step, of: all.map(\.key))
        own = all.filter { keys.contains($0.key) }
      } catch {
        return .unclaimed(step, error)
      }
      if let first = own.first, let news = await act(first) { return news }
      return .claimed(step, all, own: own)
    }
  }
}

extension EscalationLedger {
  /// Whether it would add one of the pending requests; requests that are gone make room for them.
  func lacks(_ pending: [EscalationKey]) -> Bool {
    let known = pending.count { self[$0] != nil }
    return known < pending.count && known < Self.limit
  }
}

extension ListedRequest {
  /// The workspace of the request's session; `nil` if it is unknown.
  fileprivate var workspaceReference: WorkspaceReference? {
    workspaceID.flatMap { WorkspaceReference(serverID: id.serverID, workspaceID: $0) }
  }
}
