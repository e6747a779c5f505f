// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

extension Shortcut {
  /// The members of a shortcut's file, with their meanings.
  static let shape: JSONShape<Shortcut> = [
    .optionalText("workspace", "Its workspace; default: as with 'oppi ask' without -w") {
      $0.workspace
    },
    .text("prompt", "The prompt; {{name}} is a placeholder") { $0.prompt },
    .member("variables", "Default values of placeholders") { shortcut in
      shortcut.variables.isEmpty
        ? nil
        : .object(
          JSONObject(
            shortcut.variables.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }
          )
        )
    },
    .member("input", "Whether {{input}} is replaced by standard input") {
      $0.readsInput ? true : nil
    },
    .member("session", "The session of a run: new, or same (as in the previous run)") {
      $0.conversation == .new ? nil : .string($0.conversation.rawValue)
    },
    .member("after", "What happens to the session after the turn: keep or stop") {
      $0.ending == .keep ? nil : .string($0.ending.rawValue)
    },
    .optionalText("model", "The model of its new sessions") { $0.model },
    .member("thinking", "The thinking level") { $0.thinking.map { .string($0.rawValue) } },
    .optionalText("title", "The title of its sessions; default: its name") { $0.title },
    .member("wait", "Whether a run waits for the turn to end and prints the answer") {
      $0.isWaiting ? true : nil
    },
    .member("on-ask", "With wait: what a run does when input is required") {
      $0.onAsk.map { .string($0.rawValue) }
    },
    .member("on-limit", "With wait: what a run does when a usage limit is reached") {
      $0.onLimit == .fail ? nil : .string($0.onLimit.rawValue)
    },
    .member("max-cost", "With wait: the most that a turn may cost, in dollars") {
      $0.maxCost.map { .double($0.number) }
    },
    .member("schema", "With wait: the JSON Schema that the answer must match") {
      $0.checks.schema?.json
    },
    .optionalText("verify", "With wait: a command that must succeed after the turn") {
      $0.checks.command
    },
    .member("verify-retries", "How often the output of a failed 'verify' is sent to the agent") {
      $0.checks.commandRetries > 0 ? .integer(Int64($0.checks.commandRetries)) : nil
    },
    .member("when", "A command that decides whether a run sends the prompt") {
      $0.condition.map { .string($0.command) }
    },
    .member("when-is", "When 'when' allows the run: succeeds, nonempty or changed") {
      $0.condition.flatMap { $0.rule == .succeeds ? nil : .string($0.rule.rawValue) }
    },
    .member("then", "With wait: the shortcut that runs after a successful turn") {
      $0.then.map { .string($0.text) }
    },
    .member("queue", "Whether the prompt is queued if it cannot be delivered") {
      $0.isQueueing ? true : nil
    },
    .optionalText("expires", "With queue: when the prompt expires") { $0.expiry?.argumentText },
    .optionalText("timeout", "The time limit of a run, including waiting") {
      $0.timeout?.argumentText
    },
  ]

  /// The name of the member that refers to the prompt's own file.
  static let promptFileMember = "promptFile"

  /// Parses a shortcut's object; every member must be valid.
  ///
  /// - Parameters:
  ///   - json: The object.
  ///   - promptFile: The text of the prompt's own file; `nil` without one.
  /// - Throws: `ArgumentValueError` with the defect.
  init(json: JSONValue, promptFile: String?) throws(ArgumentValueError) {
    self.init()
    guard let members = json.object else { throw ArgumentValueError("is not a JSON object") }
    var rule = RunCondition.Rule.succeeds
    for (name, value) in members where value != .null {
      do {
        if name == "when-is" { rule = try value.word() }
        try read(value, of: name, promptFile)
      } catch {
        throw ArgumentValueError("has a member '\(name.safeLine(limit: 60))' that \(error.message)")
      }
    }
    if json["when-is"] != .null, condition == nil {
      throw ArgumentValueError("cannot have \"when-is\" without \"when\"")
    }
    if checks.commandRetries > 0, checks.command == nil {
      throw ArgumentValueError("cannot have \"verify-retries\" without \"verify\"")
    }
    condition?.rule = rule
    if let defect { throw ArgumentValueError(defect) }
  }

  private mutating func read(
    _ value: JSONValue,
    of name: String,
    _ promptFile: String?
  ) throws(ArgumentValueError) {
    switch name {
    case "workspace": workspace = try value.text()
    case "prompt": prompt = try value.text()
    case Self.promptFileMember:
      guard let promptFile else { throw ArgumentValueError("names a file that does not exist") }
      prompt = promptFile
    case "variables": variables = try value.texts()
    case "input": readsInput = try value.boolean()
    case "session": conversation = try value.word()
    case "after": ending = try value.word()
    case "model": model = try value.text()
    case "thinking": thinking = try value.word()
    case "title": title = try value.text()
    case "wait": isWaiting = try value.boolean()
    case "on-ask": onAsk = try value.word()
    case "on-limit": onLimit = try value.word()
    case "schema":
      do {
        checks.schema = try AnswerSchema(value)
      } catch {
        throw ArgumentValueError(error.words)
      }
    case "verify": checks.command = try value.text()
    case "verify-retries":
      guard let count = value.int, (0...AnswerChecks.retryLimit).contains(count) else {
        throw ArgumentValueError("expects a number from 0 to \(AnswerChecks.retryLimit)")
      }
      checks.commandRetries = count
    case "when": condition = RunCondition(command: try value.text())
    case "when-is": break
    case "then": then = try value.word()
    case "max-cost":
      guard let limit = value.double.flatMap({ Dollars($0) }), limit > .zero else {
        throw ArgumentValueError("expects a number of dollars")
      }
      maxCost = limit
    case "queue": isQueueing = try value.boolean()
    case "expires": expiry = try value.word()
    case "timeout":
      let limit: TimeLimit = try value.word()
      timeout = limit.duration
    default:
      let known = Self.shape.rows.map(\.term) + [Self.promptFileMember]
      throw ArgumentValueError("is unknown; known members: \(known.joined(separator: ", "))")
    }
  }
}

extension JSONValue {
  fileprivate func text() throws(ArgumentValueError) -> String {
    guard let string, !string.isEmpty else { throw ArgumentValueError("expects a string") }
    return string
  }

  fileprivate func boolean() throws(ArgumentValueError) -> Bool {
    guard let bool else { throw ArgumentValueError("expects true or false") }
    return bool
  }

  fileprivate func word<Value: ArgumentValue>() throws(ArgumentValueError) -> Value {
    // Accepts a bare number as its text.
    let word = int.map { String($0) } ?? string
    return try Value(argument: word ?? "")
  }

  fileprivate func texts() throws(ArgumentValueError) -> [String: String] {
    guard let object else { throw ArgumentValueError("expects an object with strings") }
    var texts: [String: String] = [:]
    for (name, value) in object {
      guard PromptTemplate.isName(name), let text = value.string else {
        throw ArgumentValueError("expects strings named like placeholders")
      }
      texts[name] = text
    }
    return texts
  }
}
