// SPDX-License-Identifier: MIT

package import OppiText
import OppiWire

extension Sessions {
  /// The sessions of a workspace, or all, that were active since a time; most recent activity first.
  package func sessions(
    in workspaceID: String? = nil,
    since: Timestamp? = nil
  ) -> [LiveSession] {
    all.values
      .filter { session in
        workspaceID.map { session.workspace.id == $0 } ?? true
          && since.map { session.lastActivity >= $0 } ?? true
      }
      .sorted { ($0.lastActivity, $0.id) > ($1.lastActivity, $1.id) }
  }

  package func events(of session: LiveSession, _ call: Call) throws(Refusal) -> JSONValue {
    guard let agent = session.agent else { throw Refusal(404, "Session not active") }
    let since = try call.number("since", or: "since must be a non-negative integer") ?? 0
    let events = agent.log.events(after: since)
    return .object([
      "events": .array(events ?? []),
      "currentSeq": .number(agent.log.sequence),
      "runtimeEpoch": agent.epoch.map(JSONValue.string),
      "session": json(session),
      "catchUpComplete": .bool(events != nil),
    ])
  }

  /// The sessions whose name or messages contain all words of a query, as search results.
  package func search(_ query: [String: String]) -> JSONValue {
    let words = (query["q"] ?? "").lowercased().split(separator: " ").map(String.init)
    let limit = query["limit"].flatMap { Int($0) } ?? 20
    let found = sessions(in: query["workspaceId"]).compactMap { session -> JSONValue? in
      let texts = [session.name ?? ""] + session.trace.compactMap(\.["text"].string)
      let whole = texts.joined(separator: " ")
      let folded = whole.lowercased()
      guard let word = words.first, words.allSatisfy({ folded.contains($0) }) else { return nil }
      let place = texts.first { $0.lowercased().contains(word) } ?? ""
      return [
        "sessionId": .string(session.id),
        "workspaceId": .string(session.workspace.id),
        "title": .string(String(whole.prefix(80))),
        "snippet": .string(place.markingFirst(word)),
        "rank": .double(-1),
        "session": json(session),
      ]
    }
    return ["results": .array(Array(found.prefix(max(0, limit))))]
  }
}

extension LiveSession {
  /// The output of a call in the conversation; the whole output only while the agent is loaded.
  func output(ofCall callID: String, isWhole: Bool) throws(Refusal) -> JSONValue {
    let result = record.trace.last { $0["toolCallId"].string == callID }
    guard let result, !isWhole || agent != nil else { throw Refusal(404, "Tool output not found") }
    return [
      "toolCallId": .string(callID), "output": result["output"], "isError": result["isError"],
    ]
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
