// SPDX-License-Identifier: MIT

package import OppiWire

/// A named prompt with its workspace and options.
package struct Shortcut: Sendable, Equatable {
  /// The session that receives the prompt.
  package enum Conversation: String, Sendable, CaseIterable {
    /// A new session for each run.
    case new
    /// The session of the previous run; a new one if that no longer exists.
    case same
  }

  /// What happens to the session after the turn.
  package enum Ending: String, Sendable, CaseIterable {
    case keep
    /// The session is ended, so that the server can unload it.
    case stop
  }

  /// The workspace as the user named it; `nil` for the default that `oppi ask` uses.
  package var workspace: String?
  package var prompt = ""
  /// Default values of the prompt's placeholders.
  package var variables: [String: String] = [:]
  /// Whether a run reads standard input, for `{{input}}`.
  package var readsInput = false
  package var conversation = Conversation.new
  package var ending = Ending.keep
  package var model: String?
  package var thinking: ThinkingLevel?
  /// The title of its sessions; `nil` for the shortcut's name.
  package var title: String?
  package var isWaiting = false
  package var onAsk: OnAsk?
  package var onLimit = OnLimit.fail
  /// The most that a turn may cost; `nil` for no limit.
  package var maxCost: Dollars?
  package var condition: RunCondition?
  package var checks = AnswerChecks()
  /// The shortcut that runs after a successful turn.
  package var then: ShortcutName?
  package var isQueueing = false
  package var expiry: Duration?
  package var timeout: Duration?

  package init() {}

  package var template: PromptTemplate { PromptTemplate(prompt) }

  /// Why the shortcut cannot be run, as a predicate that follows its name; `nil` if it can.
  package var defect: String? {
    let names = template.names
    let unused = variables.keys.filter { !names.contains($0) }.sorted()
    if prompt.allSatisfy(\.isWhitespace) { return "has no prompt" }
    if prompt.utf8.contains(0) { return "has a NUL character in its prompt" }
    if names.contains(PromptTemplate.input) != readsInput {
      return readsInput
        ? "reads standard input (\"input\": true), but its prompt has no {{input}}"
        : "has {{input}} in its prompt, but does not read standard input (\"input\": true)"
    }
    if variables[PromptTemplate.input] != nil {
      return "has a variable 'input', which is reserved for standard input"
    }
    if let name = unused.first {
      return "has a variable '\(name)', but its prompt has no {{\(name)}}"
    }
    if isWaiting, isQueueing { return "cannot have both \"wait\" and \"queue\"" }
    if expiry != nil, !isQueueing { return "cannot have \"expires\" without \"queue\": true" }
    func unlessWaiting(_ member: String, _ isUsed: Bool) -> String? {
      isUsed && !isWaiting ? "cannot have \(member) without \"wait\": true" : nil
    }
    let early =
      unlessWaiting("\"on-ask\"", onAsk ?? .wait != .wait)
      ?? unlessWaiting("\"on-limit\"", onLimit != .fail)
      ?? unlessWaiting("\"max-cost\"", maxCost != nil)
    if let early { return early }
    if names.contains(RunCondition.placeholder), condition == nil {
      return "has {{when}} in its prompt, but no condition (\"when\")"
    }
    if variables[RunCondition.placeholder] != nil {
      return "has a variable 'when', which is reserved for the output of its condition"
    }
    return unlessWaiting("\"schema\" or \"verify\"", !checks.isEmpty)
      ?? unlessWaiting("\"then\"", then != nil)
  }
}

/// The name of a shortcut, also used as a file name and in triggers.
package struct ShortcutName: Sendable, Hashable, Comparable {
  /// The maximum number of characters.
  package static let lengthLimit = 64

  package let text: String

  /// Accepts up to 64 letters, digits and `_-.`, beginning with a letter or a digit, else `nil`.
  package init?(_ text: String) {
    guard (1...Self.lengthLimit).contains(text.utf8.count), OutboxKey(text) != nil,
      !text.contains(where: { ":@+".contains($0) })
    else { return nil }
    self.text = text
  }

  package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

package struct NamedShortcut: Sendable, Equatable {
  package let name: ShortcutName
  package let shortcut: Shortcut

  package init(name: ShortcutName, shortcut: Shortcut) {
    (self.name, self.shortcut) = (name, shortcut)
  }

  /// The placeholders that a run has to set.
  package var needed: [String] {
    shortcut.template.names.filter { name in
      shortcut.variables[name] == nil && name != PromptTemplate.input
        && name != RunCondition.placeholder
    }
  }
}

/// A command that decides whether a shortcut runs.
package struct RunCondition: Sendable, Hashable {
  package enum Rule: String, Sendable, CaseIterable {
    /// Its exit status is 0.
    case succeeds
    /// It has output.
    case nonempty
    /// Its output differs from that of the last run that was not skipped.
    case changed
  }

  /// The placeholder for its output.
  package static let placeholder = "when"

  /// A command line for the shell.
  package var command: String
  package var rule: Rule

  package init(command: String, rule: Rule = .succeeds) {
    (self.command, self.rule) = (command, rule)
  }
}
