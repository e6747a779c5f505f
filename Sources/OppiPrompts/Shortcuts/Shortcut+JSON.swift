// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
package import OppiModel
import OppiText

extension Shortcut {
  private static let record = RecordShape(
    Shortcut(),
    [
      .strict("workspace", { $1(&$0.workspace) }, .nonEmpty)
        .means("Its workspace; default: as with 'oppi ask' without -w"),
      .checked("prompt", { $1(&$0.prompt) }, .nonEmpty)
        .means("The prompt; {{name}} is a placeholder"),
      .checked("variables", { $1(&$0.variables) }, .variables.omitting([:]))
        .means("Default values of placeholders"),
      .checked("input", { $1(&$0.readsInput) }, .truth)
        .means("Whether {{input}} is replaced by standard input"),
      .checked("session", { $1(&$0.conversation) }, .argument.omitting(.new))
        .means("The session of a run: new, or same (as in the previous run)"),
      .checked("after", { $1(&$0.ending) }, .argument.omitting(.keep))
        .means("What happens to the session after the turn: keep or stop"),
      .strict("model", { $1(&$0.model) }, .nonEmpty).means("The model of its new sessions"),
      .strict("thinking", { $1(&$0.thinking) }, .argument).means("The thinking level"),
      .strict("title", { $1(&$0.title) }, .nonEmpty)
        .means("The title of its sessions; default: its name"),
      .checked("wait", { $1(&$0.isWaiting) }, .truth)
        .means("Whether a run waits for the turn to end and prints the answer"),
      .strict("on-ask", { $1(&$0.onAsk) }, .argument)
        .means("With wait: what a run does when the agent waits for you"),
      .checked("on-limit", { $1(&$0.onLimit) }, .argument.omitting(.fail))
        .means("With wait: what a run does when a usage limit is reached"),
      .strict("max-cost", { $1(&$0.maxCost) }, .limit)
        .means("With wait: the most that a turn may cost, in dollars"),
      .strict("schema", { $1(&$0.checks.schema) }, .schema)
        .means("With wait: the JSON Schema that the answer must match"),
      .strict("verify", { $1(&$0.checks.command) }, .nonEmpty)
        .means("With wait: a command that must succeed after the turn"),
      .checked("verify-retries", { $1(&$0.checks.commandRetries) }, .retries.omitting(0))
        .means("How often the output of a failed 'verify' is sent to the agent"),
      .checked("when", { $1(&$0.readCondition.command) }, .nonEmpty.omitting(""))
        .means("A command that decides whether a run sends the prompt"),
      .checked("when-is", { $1(&$0.readCondition.rule) }, .argument.omitting(.succeeds))
        .means("When 'when' allows the run: succeeds, nonempty or changed"),
      .strict("then", { $1(&$0.then) }, .argument)
        .means("With wait: the shortcut that runs after a successful turn"),
      .checked("queue", { $1(&$0.isQueueing) }, .truth)
        .means("Whether the prompt is queued if it cannot be delivered"),
      .strict("expires", { $1(&$0.expiry) }, .argument)
        .means("With queue: when the prompt expires"),
      .strict("timeout", { $1(&$0.timeLimit) }, .argument)
        .means("The time limit of a run, including waiting"),
    ]
  )

  /// The members of a shortcut's file, with their meanings.
  package static let shape = JSONShape(record)

  /// The name of the member that refers to the prompt's own file.
  package static let promptFileMember = "promptFile"

  /// The condition, whose members may be in any order; without one, an empty command.
  private var readCondition: RunCondition {
    get { condition ?? RunCondition(command: "") }
    set { condition = newValue == RunCondition(command: "") ? nil : newValue }
  }

  private var timeLimit: TimeLimit? {
    get { timeout.map(TimeLimit.init) }
    set { timeout = newValue?.duration }
  }

  /// Parses a shortcut's object; every member must be valid.
  ///
  /// - Parameters:
  ///   - json: The object.
  ///   - promptFile: The text of the prompt's own file; `nil` without one.
  /// - Throws: `ArgumentValueError` with the defect.
  init(json: JSONValue, promptFile: String?) throws(ArgumentValueError) {
    self.init()
    guard let members = json.object else { throw ArgumentValueError("is not a JSON object") }
    for (name, value) in members where value != .null {
      if let defect = read(value, of: name, in: json, promptFile) {
        throw ArgumentValueError("has a member '\(name.safeLine(limit: 60))' that \(defect)")
      }
    }
    if json["when-is"] != .null, readCondition.command.isEmpty {
      throw ArgumentValueError("cannot have \"when-is\" without \"when\"")
    }
    if checks.commandRetries > 0, checks.command == nil {
      throw ArgumentValueError("cannot have \"verify-retries\" without \"verify\"")
    }
    if let defect { throw ArgumentValueError(defect) }
  }

  /// Reads a member; returns what is wrong with it, if anything.
  private mutating func read(
    _ value: JSONValue,
    of name: String,
    in json: JSONValue,
    _ promptFile: String?
  ) -> String? {
    if let member = Self.record.members.first(where: { $0.name == name }) {
      return member.read(value, json, &self) ? nil : member.defect(value)
    }
    guard name == Self.promptFileMember else {
      let known = Self.record.members.map(\.name) + [Self.promptFileMember]
      return "is unknown; known members: \(known.joined(separator: ", "))"
    }
    guard let promptFile else { return "names a file that does not exist" }
    prompt = promptFile
    return nil
  }
}

// MARK: - Values

extension JSONField {
  /// A value whose initialiser throws what is wrong.
  fileprivate static func read<Failure: Error>(
    _ read: @escaping @Sendable (JSONValue) throws(Failure) -> Value,
    orElse words: @escaping @Sendable (Failure) -> String,
    write: @escaping @Sendable (Value) -> JSONValue?
  ) -> JSONField {
    JSONField(encode: write, decode: { try? read($0) }).explaining { json in
      do throws(Failure) {
        _ = try read(json)
        return ""
      } catch {
        return words(error)
      }
    }
  }
}

extension JSONField where Value: ArgumentValue {
  /// The text as on the command line; a number counts as its text.
  fileprivate static var argument: JSONField {
    read { (json) throws(ArgumentValueError) in
      try Value(argument: json.int.map { String($0) } ?? json.string ?? "")
    } orElse: {
      $0.message
    } write: {
      $0.argumentText.map(JSONValue.string)
    }
  }
}

extension JSONField<String> {
  fileprivate static var nonEmpty: JSONField {
    text.accepting { !$0.isEmpty }.explaining { _ in "expects a string" }
  }
}

extension JSONField<Bool> {
  fileprivate static var truth: JSONField {
    bool.explaining { _ in "expects true or false" }.omitting(false)
  }
}

extension JSONField<[String: String]> {
  fileprivate static var variables: JSONField {
    let name = JSONField<String>.text.accepting { PromptTemplate.isName($0) }
    return dictionary(by: name, of: .text, isWhole: true).explaining { json in
      json.object == nil
        ? "expects an object with strings" : "expects strings named like placeholders"
    }
  }
}

extension JSONField<Dollars> {
  fileprivate static var limit: JSONField {
    dollars.accepting { $0 > .zero }.explaining { _ in "expects a number of dollars" }
  }
}

extension JSONField<AnswerSchema> {
  fileprivate static var schema: JSONField {
    read(AnswerSchema.init, orElse: { $0.words }, write: { $0.json })
  }
}

extension JSONField<Int> {
  fileprivate static var retries: JSONField {
    let range = 0...AnswerChecks.retryLimit
    return integer.accepting(range.contains).explaining { _ in
      "expects a number from 0 to \(AnswerChecks.retryLimit)"
    }
  }
}
