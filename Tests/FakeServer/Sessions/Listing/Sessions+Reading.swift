// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
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
