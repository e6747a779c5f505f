// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

extension Shortcut {
  /// The members of a shortcut's file, with their meanings.
  static let shape = JSONShape(members.map(\.written))

  private static let members: [ShortcutMember] = [
    .text("workspace", \.workspace, "Its workspace; default: as with 'oppi ask' without -w"),
    .prompt("prompt", \.prompt, "The prompt; {{name}} is a placeholder"),
    .texts("variables", \.variables, "Default values of placeholders"),
    .flag("input", \.readsInput, "Whether {{input}} is replaced by standard input"),
    .word(
      "session",
      \.conversation,
      usually: .new,
      "The session of a run: new, or same (as in the previous run)"
    ),
    .word(
      "after",
      \.ending,
      usually: .keep,
      "What happens to the session after the turn: keep or stop"
    ),
    .text("model", \.model, "The model of its new sessions"),
    .word("thinking", \.thinking, "The thinking level"),
    .text("title", \.title, "The title of its sessions; default: its name"),
    .flag("wait", \.isWaiting, "Whether a run waits for the turn to end and prints the answer"),
    .word("on-ask", \.onAsk, "With wait: what a run does when input is required"),
    .flag("queue", \.isQueueing, "Whether the prompt is queued if it cannot be delivered"),
    .word("expires", \.expiry, "With queue: when the prompt expires"),
    .word("timeout", \.timeLimit, "The time limit of a run, including waiting"),
  ]

  private var timeLimit: TimeLimit? {
    get { timeout.map(TimeLimit.init) }
    set { timeout = newValue?.duration }
  }

  /// The name of the member that stands for a prompt in a file of its own.
  static let promptFileMember = "promptFile"

  /// Reads a shortcut's object, in which each member must be of use.
  ///
  /// - Parameters:
  ///   - json: The object.
  ///   - promptFile: What stands in the prompt's own file; `nil` without one.
  /// - Throws: `ArgumentValueError`, which says what is wrong.
  init(json: JSONValue, promptFile: String?) throws(ArgumentValueError) {
    self.init()
    guard let members = json.object else { throw ArgumentValueError("is not a JSON object") }
    for (name, value) in members where value != .null {
      do {
        try read(value, of: name, promptFile)
      } catch {
        throw ArgumentValueError("has a member '\(name.safeLine(limit: 60))' that \(error.message)")
      }
    }
    if let defect { throw ArgumentValueError(defect.words) }
  }

  private mutating func read(
    _ value: JSONValue,
    of name: String,
    _ promptFile: String?
  ) throws(ArgumentValueError) {
    if let member = Self.members.first(where: { $0.written.name == name }) {
      try member.read(value, &self)
    } else if name == Self.promptFileMember {
      guard let promptFile else { throw ArgumentValueError("names a file that does not exist") }
      prompt = promptFile
    } else {
      let known = Self.shape.rows.map(\.term) + [Self.promptFileMember]
      throw ArgumentValueError("is unknown; known members: \(known.joined(separator: ", "))")
    }
  }
}
