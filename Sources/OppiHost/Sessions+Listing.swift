// SPDX-License-Identifier: MIT

package import OppiModel

/// Which sessions a list has.
package struct SessionFilter: Sendable {
  package var workspaceID: String?
  /// The statuses, or `active` for all but `stopped`; any status if empty.
  var statuses: Set<String> = []
  /// The range of the latest activity, in milliseconds since the Unix epoch.
  var since: Int?
  var until: Int?
  var idPrefix: String?
  var limit: Int?

  package init(workspaceID: String? = nil) { self.workspaceID = workspaceID }

  func includes(_ session: LiveSession) -> Bool {
    let activity = session.history.lastActivity.milliseconds
    let isActive = session.status != .stopped
    return workspaceID.map { session.workspace.id == $0 } ?? true
      && (statuses.isEmpty || statuses.contains(session.status.rawValue)
        || isActive && statuses.contains("active"))
      && since.map { activity >= $0 } ?? true
      && until.map { activity <= $0 } ?? true
      && idPrefix.map { session.id.hasPrefix($0) } ?? true
  }
}

extension Sessions {
  /// The sessions that a filter includes, most recent activity first.
  package func sessions(_ filter: SessionFilter) -> [LiveSession] {
    let sorted = all.values.filter(filter.includes)
      .sorted { ($0.history.lastActivity, $0.id) > ($1.history.lastActivity, $1.id) }
    return filter.limit.map { Array(sorted.prefix($0)) } ?? sorted
  }

  func list(_ filter: SessionFilter) -> [JSONValue] { sessions(filter).map(json) }

  func summaries(_ filter: SessionFilter) -> [JSONValue] { sessions(filter).map(summary) }

  /// The number of sessions with an agent, and of all.
  var counts: (loaded: Int, all: Int) { (all.values.count { $0.agent != nil }, all.count) }

  /// The counts of a workspace's sessions in the list of workspaces.
  func counts(ofWorkspace id: String) -> JSONValue {
    let sessions = sessions(SessionFilter(workspaceID: id))
    let active = sessions.filter { $0.status != .stopped }
    return .object([
      "workspaceId": .string(id),
      "activeCount": .number(active.count),
      "stoppedCount": .number(sessions.count - active.count),
      "hasAttention": .bool(active.contains { $0.agent?.questions.isEmpty == false }),
      "latestActivity": sessions.first.map(\.history.lastActivity.json),
    ])
  }
}

// MARK: - Reading one session

extension Sessions {
  package func detail(of id: String) throws(Refusal) -> JSONValue {
    let session = try session(id)
    return ["session": json(session), "trace": .array(session.trace.entries)]
  }

  package func events(of id: String, since text: String?) throws(Refusal) -> JSONValue {
    let session = try session(id)
    guard let agent = session.agent else { throw Refusal(404, "Session not active") }
    guard let since = Int(text ?? "0"), since >= 0 else {
      throw Refusal(400, "since must be a non-negative integer")
    }
    let events = agent.log.events(after: since)
    return .object([
      "events": .array(events ?? []),
      "currentSeq": .number(agent.log.sequence),
      "runtimeEpoch": agent.epoch.map(JSONValue.string),
      "session": json(session),
      "catchUpComplete": .bool(events != nil),
    ])
  }

  /// The types of trace entries by the names of their filters.
  private static let filters: [String: Set<String>?] = [
    "all": nil,
    "messages": ["user", "assistant"],
    "summary": ["compaction"],
    "system": ["system"],
    "thinking": ["thinking"],
    "tools": ["toolCall", "toolResult"],
  ]

  /// A session and its conversation, of some kinds of entries and the last of them only.
  func read(
    _ id: String,
    include: String?,
    tail: String?
  ) throws(Refusal) -> JSONValue {
    let session = try session(id)
    var types: Set<String>? = []
    for name in (include ?? "all").split(separator: ",") {
      guard let more = Self.filters[String(name)] else {
        throw Refusal(400, "Invalid include: \(name)")
      }
      types = more.flatMap { more in types.map { $0.union(more) } }
    }
    let entries = session.trace.entries.filter { entry in
      types.map { $0.contains(entry["type"].string ?? "") } ?? true
    }
    var count = entries.count
    if let tail {
      guard let number = Int(tail), number >= 0 else {
        throw Refusal(400, "tail must be a non-negative integer")
      }
      count = number
    }
    return ["session": json(session), "trace": .array(entries.suffix(count))]
  }

  /// The output of a call in the conversation; the whole output only while the agent is loaded.
  func output(ofCall callID: String, in id: String, isWhole: Bool) throws(Refusal) -> JSONValue {
    let session = try session(id)
    let result = session.trace.entries.last { $0["toolCallId"].string == callID }
    guard let result, !isWhole || session.agent != nil else {
      throw Refusal(404, "Tool output not found")
    }
    return [
      "toolCallId": .string(callID), "output": result["output"], "isError": result["isError"],
    ]
  }
}

// MARK: - Searching

extension Sessions {
  /// The sessions whose name or messages contain all words of a text, as search results.
  ///
  /// Without words, all sessions or none.
  func search(_ text: String, _ filter: SessionFilter, listsAll: Bool = false) -> [JSONValue] {
    let words = text.lowercased().split(separator: " ")
    guard !words.isEmpty || listsAll else { return [] }
    return all.values
      .filter(filter.includes)
      .sorted { $0.history.lastActivity > $1.history.lastActivity }
      .compactMap { session in
        let texts = [session.name ?? ""] + session.trace.entries.compactMap(\.["text"].string)
        let whole = texts.joined(separator: " ")
        let folded = whole.lowercased()
        guard words.allSatisfy({ folded.contains($0) }) else { return nil }
        let word = String(words.first ?? "")
        let place = texts.first { $0.lowercased().contains(word) } ?? ""
        return [
          "sessionId": .string(session.id),
          "workspaceId": .string(session.workspace.id),
          "title": .string(String(whole.prefix(80))),
          "snippet": .string(word.isEmpty ? place : place.markingFirst(word)),
          "rank": .double(-1),
          "session": json(session),
        ]
      }
  }
}

extension String {
  /// The text with the first occurrence of a word, ignoring case, in `<b>` tags.
  fileprivate func markingFirst(_ word: String) -> String {
    let folded = lowercased()
    guard let range = folded.firstRange(of: word), folded.count == count else { return self }
    let start = index(
      startIndex,
      offsetBy: folded.distance(from: folded.startIndex, to: range.lowerBound)
    )
    let end = index(start, offsetBy: word.count)
    return "\(self[..<start])<b>\(self[start..<end])</b>\(self[end...])"
  }
}
