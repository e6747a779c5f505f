// SPDX-License-Identifier: MIT

package import OppiText

/// A question or a dialog of the agent as the server wrote it, cut at a limit.
package struct UserQuestion: Sendable, Equatable, Identifiable {
  private static let bodyLimit = 1 << 20
  private static let prefillLimit = 64 * 1024
  private static let placeholderLimit = 4096
  /// The members that are shown besides the choices.
  private static let texts = ["title", "message", "placeholder", "prefill"]

  package var id: String
  /// `ask`, `select`, `confirm`, `input`, `editor`, or a newer value.
  package var method: String
  package var sessionID: String?
  package var workspaceID: String?
  package let body: JSONValue
  /// Whether nothing of the question is left out; if not, it can only be cancelled.
  package let isWhole: Bool
  /// The choices of a `select`.
  package let options: [Option]
  /// The questions of an `ask`.
  package let parts: [Part]
  /// The risk of the commands that the text quotes; `nil` if it is unknown.
  package private(set) var risk: Risk?
  /// The worst risk of any end of a line of the text.
  package private(set) var suspectedRisk = Risk.high

  package init(id: String, method: String, body: JSONValue) {
    self.id = id
    self.method = method
    sessionID = body["sessionId"].wireID
    workspaceID = body["workspaceId"].wireID
    self.body = body.bounded(bytes: Self.bodyLimit)
    let options = self.body["options"].whole(Option.init(json:))
    // Answers are told apart by the ids of the parts.
    let parts = self.body["questions"].whole(Part.init(json:))
      .flatMap { Set($0.map(\.id)).count == $0.count ? $0 : nil }
    self.options = options ?? []
    self.parts = parts ?? []
    // A choice or a text that cannot be read is left out.
    let isReadable = Self.texts.allSatisfy { body[$0] == .null || body[$0].text(.content) != nil }
    isWhole =
      self.body == body && options != nil && parts != nil && isReadable
      && (body["prefill"].text(.content)?.utf8.count ?? 0) <= Self.prefillLimit
      && (body["placeholder"].text(.sentence)?.utf8.count ?? 0) <= Self.placeholderLimit
    (risk, suspectedRisk) = (QuotedCommand.risk(in: self), worstRisk())
  }

  /// Reads a dialog of a session as listed over REST; `nil` without a valid id.
  package init?(json: JSONValue, sessionID: String) {
    guard let id = json["id"].wireID else { return nil }
    self.init(id: id, method: json["method"].text(.name) ?? "", body: json)
    self.sessionID = sessionID
  }

  package var title: String? { body["title"].text(.content) }

  package var message: String? { body["message"].text(.content) }

  package var placeholder: String? {
    body["placeholder"].text(.sentence)?.head(bytes: Self.placeholderLimit)
  }

  package var prefill: String? { body["prefill"].text(.content)?.head(bytes: Self.prefillLimit) }

  /// Whether the parts of an `ask` accept a text besides their choices.
  package var takesOwnText: Bool { body["allowCustom"].bool ?? true }

  /// The extension that asks, on one line and safe to show.
  package var extensionName: String? {
    [body["extensionDisplayName"], body["extensionScopeId"]].lazy.compactMap { $0.line(80) }
      .first { !$0.isEmpty }
  }

  /// When the server closes the dialog, on the server's clock; `nil` if never.
  package var timeoutAt: Timestamp? {
    body["timeoutAt"].int.map(Timestamp.init(milliseconds:))
  }

  /// The time between the question and its expiry; `nil` if unknown.
  package var timeToDecide: Duration? {
    body["timeout"].int.map { .milliseconds(max(0, $0)) }
  }
}

// MARK: - Choices

extension UserQuestion {
  package struct Option: Sendable, Hashable {
    /// What the server gets if it is chosen.
    package var value: String
    package var label: String
    package var note: String?

    package init(value: String, label: String, note: String? = nil) {
      self.value = value
      self.label = label
      self.note = note
    }

    /// Reads a text, or an object with a value and a label; `nil` if it is neither.
    fileprivate init?(json: JSONValue) {
      if let text = json.text(.content) {
        self.init(value: text, label: text)
        return
      }
      let value = json["value"].text(.content)
      guard let label = json["label"].text(.content) ?? value else { return nil }
      self.init(value: value ?? label, label: label, note: json["description"].text(.content))
    }
  }

  /// One question of an `ask`.
  package struct Part: Sendable, Hashable {
    package var id: String
    package var text: String
    package var options: [Option]
    package var takesSeveral: Bool

    /// Reads a part; `nil` if it cannot be answered.
    fileprivate init?(json: JSONValue) {
      guard let id = json["id"].text(.content),
        let options = json["options"].whole(Option.init(json:))
      else { return nil }
      self.id = id
      text = json["question"].text(.content) ?? ""
      self.options = options
      takesSeveral = json["multiSelect"].bool ?? false
    }
  }
}

extension JSONValue {
  /// Reads a list whose elements are all usable; empty for `null`, and `nil` for anything else.
  fileprivate func whole<Element>(_ read: (JSONValue) -> Element?) -> [Element]? {
    guard self != .null else { return [] }
    guard let elements = array else { return nil }
    let usable = elements.compactMap(read)
    return usable.count == elements.count ? usable : nil
  }
}

package enum QuestionAnswer: Sendable, Hashable {
  /// A choice, or typed text.
  case value(String)
  case confirmed(Bool)
  /// Values of choices and texts by question id; only texts for servers that look them up among the
  /// choices.
  case choices([String: PartAnswer])
  case cancelled

  package var members: JSONObject {
    switch self {
    case .value(let text): ["value": .string(text)]
    case .confirmed(let yes): ["confirmed": .bool(yes)]
    // The server expects the text of a JSON object.
    case .choices(let answers):
      ["value": .string(JSONValue.object(JSONObject(answers.mapValues(\.json))).text())]
    case .cancelled: ["cancelled": true]
    }
  }

  /// Whether the agent gets no choice, no text and no consent.
  package var isRefusal: Bool { self == .cancelled || self == .confirmed(false) }
}

/// The answer to one question of an `ask`.
package enum PartAnswer: Sendable, Hashable {
  case text(String)
  /// For a question that allows several choices.
  case list([String])

  var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .list(let values): .array(values.map(JSONValue.string))
    }
  }
}

/// The text of a question, in full and on one line.
extension UserQuestion {
  package var kind: RequestKind {
    let kind = RequestKind(method)
    return kind == .permission ? .other("unknown") : kind
  }

  /// The title and the message, as the server wrote them; without empty ones.
  package var headings: [String] { [title, message].compactMap(\.self).filter { !$0.isEmpty } }

  /// The title and the message with their own line breaks, as the server wrote them; of an `ask`,
  /// also the texts of its parts.
  package var text: String {
    let texts = headings + (kind == .ask ? parts.map(\.text).filter { !$0.isEmpty } : [])
    let isOfLines = kind == .ask || texts.contains { $0.utf8.contains(UInt8(ascii: "\n")) }
    return isOfLines ? texts.joined(separator: "\n") : texts.sentence(by: ": ")
  }

  /// The text in lines of any length, safe to show; at least one line.
  package var lines: [String] {
    let text = text
    return RevealedText(text.isEmpty ? method.safeLine(limit: 40) : text).plain
  }

  private static let lineLimit = 2000

  /// The text on one line for a list, safe to show; at most ``lineLimit`` characters.
  ///
  /// Line breaks and repeated spaces are one space, so that the command in a text is not far
  /// behind. Nothing is decided by this text alone.
  package var line: String {
    let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
    return words.filter { !$0.isEmpty }.sentence(by: kind == .ask ? "; " : " ")
      .safeLine(limit: Self.lineLimit)
  }

  /// All texts that an answer is about.
  package var shownTexts: [String] {
    let options = self.options + parts.flatMap(\.options)
    return [text] + options.map(\.label) + options.compactMap(\.note)
  }

  /// The number of invisible characters, which are shown as escapes.
  package var hiddenCount: Int {
    (shownTexts + [placeholder, prefill].compactMap(\.self))
      .reduce(0) { $0 + RevealedText($1).escapeCount }
  }
}

// MARK: - Comparing

extension UserQuestion {
  /// All that an answer is about.
  package var subject: JSONValue {
    let texts = [extensionName, title, message, placeholder, prefill]
    return [
      .string(method), .array(texts.map { $0.map(JSONValue.string) ?? .null }),
      .array(options.map(\.subject)), .array(parts.map(\.subject)), .bool(takesOwnText),
      .bool(isWhole),
    ]
  }
}

extension UserQuestion.Option {
  fileprivate var subject: JSONValue {
    [.string(value), .string(label), note.map(JSONValue.string) ?? .null]
  }
}

extension UserQuestion.Part {
  fileprivate var subject: JSONValue {
    [.string(id), .string(text), .array(options.map(\.subject)), .bool(takesSeveral)]
  }
}

// MARK: - Risk

extension UserQuestion {
  /// The worst risk of a command that may be anywhere in the text.
  ///
  /// Prose also has the names of programs, so it is no estimate for a reader.
  private func worstRisk() -> Risk {
    let text = text
    guard isWhole, RevealedText(text).escapeCount == 0 else { return .high }
    let start = text.head(bytes: Self.searchedLimit)
    return Self.ends(of: start).prefix(Self.searchedCount).map(ShellRisk.of)
      .reduce(ShellRisk.of(text), max)
  }

  /// The limits of the search for commands within a line, in bytes and in words.
  private static let searchedLimit = 1024
  private static let searchedCount = 64

  /// The ends of each line, from its second word on.
  private static func ends(of text: String) -> [String] {
    text.split(separator: "\n").flatMap { line -> [String] in
      let words = line.split(separator: " ")
      // The word 'at' is also a program of high risk.
      return words.dropFirst().filter { $0 != "at" }.map { String(line[$0.startIndex...]) }
    }
  }
}

extension UserQuestion {
  /// Reads the pending dialogs of a session as listed over REST, in the order of their arrival and
  /// without those that cannot be named; `nil` if there is no list.
  ///
  /// Dialogs of kind `editor` and those without anything to choose are never listed.
  package static func listed(in json: JSONValue, of sessionID: String) -> [UserQuestion]? {
    json["dialogs"].array?.compactMap { UserQuestion(json: $0, sessionID: sessionID) }
  }
}

extension UserQuestion {
  /// Whether it is listed over REST while it is pending.
  package var isListed: Bool {
    switch kind {
    case .ask: body["questions"].array?.isEmpty == false
    case .select: body["options"].array?.isEmpty == false
    case .confirm, .input: true
    case .permission, .editor, .other: false
    }
  }
}

/// A server's response to the answer to a dialog that was sent over REST.
package enum DialogReply: Sendable, Equatable {
  /// The server reports no error; the dialog's absence from the list confirms the answer.
  case accepted
  /// The dialog is not pending, or no longer pending.
  case gone
  case refused(reason: String)

  /// Reads the messages of a response; `nil` if it has no list of messages.
  package init?(json: JSONValue, dialogID: String, requestID: String) {
    guard let list = json["messages"].array else { return nil }
    let replies = list.map { Self(message: $0, dialogID, requestID) }
    self =
      replies.contains(.gone) ? .gone : replies.first { $0 != .accepted } ?? .accepted
  }

  private init(message json: JSONValue, _ dialogID: String, _ requestID: String) {
    self = .accepted
    switch ServerMessage(json: json)?.kind {
    case .error(let text, _, _): self = .init(failure: text, dialogID)
    case .commandResult(let result) where result.requestID == requestID || result.requestID == nil:
      if let failure = result.failure { self = .init(failure: failure, dialogID) }
    default: break
    }
  }

  /// Reads the server's error text.
  package init(failure text: String, _ dialogID: String) {
    let isGone = text == Self.unknownDialog + dialogID || text.hasPrefix(Self.unloaded)
    self = isGone ? .gone : .refused(reason: text.safeLine())
  }

  /// The start of the error for a dialog that is not pending; its id follows.
  package static let unknownDialog = "UI request not found: "
  /// The start of the error for a session without an agent, whose dialogs are gone with it.
  private static let unloaded = "Session not active"
}
