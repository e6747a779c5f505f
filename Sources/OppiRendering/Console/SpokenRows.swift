// SPDX-License-Identifier: MIT

package import OppiModel

/// The console's lists as sentences for a listener: the state first, times last, no symbols.
package enum SpokenRows {
  /// The most characters of a call or question in a list.
  private static let subjectLimit = 100

  package static func line(of request: BoardRequest, at now: Timestamp) -> String {
    let state =
      request.isOpen(at: now)
      ? request.approval.mark.word : RequestRows.state(of: request, at: now).word
    let facts = [
      "\(state): \(subject(of: request))", request.approval.reason,
      request.isScheduled ? "from a schedule" : nil, "in \(request.place.text)",
      RequestRows.time(of: request, at: now),
    ]
    return facts.compactMap(\.self).sentence()
  }

  /// A request that needs a reply, as news.
  package static func news(of request: BoardRequest) -> String {
    let need = request.approval.kind.isDecision ? "needs approval" : "needs an answer"
    return "\(need): \(subject(of: request))".joined(by: "; ", to: "in \(request.place.text)")
  }

  /// The tool and the beginning of the call, or of the question; not enough to decide.
  private static func subject(of request: BoardRequest) -> String {
    let lines: [String] =
      switch request.request {
      case .permission(let call): call.lines
      case .question(let question) where question.parts.isEmpty: RevealedText(question.text).plain
      case .question: [request.approval.summary]
      }
    let texts = lines.map(\.trimmed).filter { !$0.isEmpty }
    let all = texts.joined(separator: ", ")
    let start = all.count > subjectLimit ? "\(all.prefix(subjectLimit))…" : all
    let count = lines.count > 1 ? ", \(lines.count) lines" : ""
    // The kind of a dialog says nothing that its text does not.
    let tool = request.approval.kind == .permission ? "\(request.approval.tool): " : ""
    return "\(tool)\(start)\(count)"
  }

  package static func line(of session: BoardSession, at now: Timestamp) -> String {
    let status = session.status
    let facts = [
      news(of: session, beside: status.note), changes(of: status),
      status.costText.isEmpty ? "" : "cost \(status.costText)",
      "\(RelativeTime.age(seconds: status.lastActivity.age(at: now))) ago",
    ]
    return facts.filter { !$0.isEmpty }.sentence()
  }

  /// A session whose state has changed, as news.
  package static func news(of session: BoardSession, beside note: String = "") -> String {
    let workspace = session.status.workspaceName.map { "/\($0)" } ?? ""
    let isDone = [.idle, .done].contains(session.phase) && session.status.outcome == .finished
    let state = session.phase.word + (isDone ? ", finished" : "")
    let facts = [
      "\(state): \(session.status.goal ?? "no message yet")", note,
      "in \(session.server)\(workspace)",
    ]
    return facts.filter { !$0.isEmpty }.sentence()
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
    let age = server.contactAt.map {
      "last answer \(RelativeTime.age(seconds: $0.age(at: now))) ago"
    }
    let facts = ["\(server.name) \(failure.kind.words): \(failure.message)", failure.remedy, age]
    return facts.compactMap(\.self).sentence()
  }
}
