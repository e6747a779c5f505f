// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel

/// A named ask: what is asked where, and how.
struct Shortcut: Sendable, Equatable {
  /// In which session it goes on.
  enum Conversation: String, Sendable, CaseIterable, ArgumentValue {
    /// A new one each time.
    case new
    /// Its own of last time, made anew when that is gone.
    case same
  }

  /// What becomes of the session when the turn is over.
  enum Ending: String, Sendable, CaseIterable, ArgumentValue {
    case keep
    /// It is ended, which frees its place on the server.
    case stop
  }

  /// As the user named it; without one the ask finds it as ever.
  var workspace: String?
  var prompt = ""
  /// Values of the prompt's names where a run gives none.
  var variables: [String: String] = [:]
  /// Whether a run reads standard input, for `{{input}}`.
  var readsInput = false
  var conversation = Conversation.new
  var ending = Ending.keep
  var model: String?
  var thinking: ThinkingLevel?
  /// The title of its sessions; its name where `nil`.
  var title: String?
  var isWaiting = false
  var onAsk: OnAsk?
  var isQueueing = false
  var expiry: Duration?
  var timeout: Duration?

  var template: PromptTemplate { PromptTemplate(prompt) }

  /// Why it cannot be run as it is; `nil` where it can.
  var defect: String? {
    let names = template.names
    let unused = variables.keys.filter { !names.contains($0) }.sorted()
    if prompt.allSatisfy(\.isWhitespace) { return "has no prompt" }
    if prompt.utf8.contains(0) { return "has a NUL character in its prompt" }
    if names.contains(PromptTemplate.input) != readsInput {
      return readsInput
        ? "reads standard input (\"input\": true), but has no {{input}} in its prompt"
        : "has {{input}} in its prompt, but does not read standard input (\"input\": true)"
    }
    if variables[PromptTemplate.input] != nil { return "has a variable 'input', which is its own" }
    if let name = unused.first { return "has a variable '\(name)' that its prompt does not have" }
    if isWaiting, isQueueing { return "cannot wait for a turn and be queued (\"wait\", \"queue\")" }
    if expiry != nil, !isQueueing { return "cannot expire without \"queue\": true" }
    if onAsk ?? .wait != .wait, !isWaiting {
      return "cannot have \"on-ask\" without \"wait\": true"
    }
    return nil
  }
}

// MARK: - As JSON

extension Shortcut {
  /// The members of a shortcut's file, with their meanings.
  static let shape: JSONShape<Shortcut> = [
    .member("workspace", "Where it asks; as 'ask' without -w where it is not there") {
      $0.workspace.map(JSONValue.string)
    },
    .member("prompt", "What it asks, with {{name}} for what a run fills in") {
      .string($0.prompt)
    },
    .member("variables", "Values of such names where a run gives none") { shortcut in
      shortcut.variables.isEmpty
        ? nil
        : .object(
          JSONObject(
            shortcut.variables.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }
          )
        )
    },
    .member("input", "Whether it reads standard input, for {{input}}") {
      $0.readsInput ? true : nil
    },
    .member("session", "new each time, or same: its own of last time") {
      $0.conversation == .new ? nil : .string($0.conversation.rawValue)
    },
    .member("after", "keep the session after the turn, or stop it, which frees its place") {
      $0.ending == .keep ? nil : .string($0.ending.rawValue)
    },
    .member("model", "The model of its new sessions") { $0.model.map(JSONValue.string) },
    .member("thinking", "How hard the model thinks") { $0.thinking.map { .string($0.rawValue) } },
    .member("title", "The title of its sessions; its name otherwise") {
      $0.title.map(JSONValue.string)
    },
    .member("wait", "Whether a run waits for the turn and prints the answer") {
      $0.isWaiting ? true : nil
    },
    .member("on-ask", "With wait: what it does when a human is asked") {
      $0.onAsk.map { .string($0.rawValue) }
    },
    .member("queue", "Whether it is kept in the outbox where it cannot be delivered") {
      $0.isQueueing ? true : nil
    },
    .member("expires", "With queue: after how long it is too late for it") {
      $0.expiry?.argumentText.map(JSONValue.string)
    },
    .member("timeout", "How long a run may take, waiting included") {
      $0.timeout?.argumentText.map(JSONValue.string)
    },
  ]

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
      guard let promptFile else { throw ArgumentValueError("names a file that is not there") }
      prompt = promptFile
    case "variables": variables = try value.texts()
    case "input": readsInput = try value.truth()
    case "session": conversation = try value.word()
    case "after": ending = try value.word()
    case "model": model = try value.text()
    case "thinking": thinking = try value.word()
    case "title": title = try value.text()
    case "wait": isWaiting = try value.truth()
    case "on-ask": onAsk = try value.word()
    case "queue": isQueueing = try value.truth()
    case "expires": expiry = try value.word()
    case "timeout":
      let limit: TimeLimit = try value.word()
      timeout = limit.duration
    default:
      let known = Self.shape.rows.map(\.term) + [Self.promptFileMember]
      throw ArgumentValueError("no shortcut has; there are \(known.joined(separator: ", "))")
    }
  }
}

extension JSONValue {
  fileprivate func text() throws(ArgumentValueError) -> String {
    guard let string, !string.isEmpty else { throw ArgumentValueError("expects a text") }
    return string
  }

  fileprivate func truth() throws(ArgumentValueError) -> Bool {
    guard let bool else { throw ArgumentValueError("expects true or false") }
    return bool
  }

  fileprivate func word<Value: ArgumentValue>() throws(ArgumentValueError) -> Value {
    // A bare number is as good as its text.
    let word = int.map { String($0) } ?? string
    return try Value(argument: word ?? "")
  }

  fileprivate func texts() throws(ArgumentValueError) -> [String: String] {
    guard let object else { throw ArgumentValueError("expects an object of texts") }
    var texts: [String: String] = [:]
    for (name, value) in object {
      guard PromptTemplate.isName(name), let text = value.string else {
        throw ArgumentValueError("expects texts by the names of the prompt")
      }
      texts[name] = text
    }
    return texts
  }
}
