// SPDX-License-Identifier: MIT

package import OppiModel

/// The console's lists as sentences for a listener: the state first, times last, no symbols.
package enum SpokenRows {
  package static func line(of request: BoardRequest, at now: Timestamp) -> String {
    let state =
      request.isOpen(at: now)
      ? RequestRows.mark(of: request.approval).word : RequestRows.state(of: request, at: now).word
    let facts = [
      "\(state): \(request.approval.tool): \(request.approval.summary)", request.approval.reason,
      request.isScheduled ? "from a schedule" : nil, "in \(request.place.text)",
      RequestRows.time(of: request, at: now),
    ]
    return facts.compactMap(\.self).joined(separator: "; ")
  }

  package static func line(of session: BoardSession, at now: Timestamp) -> String {
    let status = session.status
    let facts = [
      "\(WorkRows.mark(of: session).word): \(status.goal ?? "no message yet")", status.note,
      changes(of: status), status.costText.isEmpty ? "" : "cost \(status.costText)",
      "in \(WorkRows.place(of: session))",
      "\(RelativeTime.age(seconds: status.lastActivity.age(at: now))) ago",
    ]
    return facts.filter { !$0.isEmpty }.joined(separator: "; ")
  }

  private static func changes(of status: SessionStatus) -> String {
    status.changes.map { changes in
      "\(changes.files.counted("file")) changed, \(changes.addedLines.counted("line")) added, "
        + "\(changes.removedLines.counted("line")) removed"
    } ?? ""
  }

  /// A server that does not answer; `nil` if it answers.
  package static func line(of server: ConsoleBoard.Server, at now: Timestamp) -> String? {
    guard let failure = server.failure else { return nil }
    let state = failure.isRefusal ? "access refused" : "unreachable"
    let age = server.contactAt.map {
      "last answer \(RelativeTime.age(seconds: $0.age(at: now))) ago"
    }
    let facts = ["\(server.name): \(state): \(failure.message)", failure.remedy, age]
    return facts.compactMap(\.self).joined(separator: "; ")
  }

  /// A request that needs a reply, as news.
  package static func news(of request: BoardRequest) -> String {
    let need = request.approval.kind.isDecision ? "needs approval" : "needs an answer"
    return "\(need): \(request.approval.tool): \(request.approval.summary); "
      + "in \(request.place.text)"
  }
}
