// SPDX-License-Identifier: MIT

/// A question or a dialog of the agent as the server wrote it, cut at a limit.
package struct UserQuestion: Sendable, Equatable {
  private static let bodyLimit = 1 << 20
  private static let prefillLimit = 64 * 1024

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
  package private(set) var risk = Risk.high

  package init(id: String, method: String, body: JSONValue) {
    self.id = id
    self.method = method
    sessionID = body["sessionId"].wireID
    workspaceID = body["workspaceId"].wireID
    self.body = body.bounded(bytes: Self.bodyLimit)
    let options = Option.all(in: self.body["options"])
    let parts = Part.all(in: self.body["questions"])
    self.options = options ?? []
    self.parts = parts ?? []
    // A choice that cannot be read is left out.
    isWhole =
      self.body == body && options != nil && parts != nil
      && (body["prefill"].text(.content)?.utf8.count ?? 0) <= Self.prefillLimit
    risk = estimatedRisk()
  }

  /// Reads a dialog of a session as listed over REST; `nil` without a valid id.
  package init?(json: JSONValue, sessionID: String) {
    guard let id = json["id"].wireID else { return nil }
    self.init(id: id, method: json["method"].text(.name) ?? "", body: json)
    self.sessionID = sessionID
  }

  package var title: String? { body["title"].text(.content) }

  package var message: String? { body["message"].text(.content) }

  package var placeholder: String? { body["placeholder"].text(.sentence)?.head(bytes: 4096) }

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
  package var patience: Duration? {
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

    /// Reads texts, or objects with a value and a label; `nil` if one of them is neither.
    static func all(in json: JSONValue) -> [Option]? {
      guard json != .null else { return [] }
      guard let elements = json.array else { return nil }
      let options = elements.compactMap(Option.init(json:))
      return options.count == elements.count ? options : nil
    }

    private init?(json: JSONValue) {
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

    /// Reads the parts; `nil` if one of them cannot be read or answered.
    static func all(in json: JSONValue) -> [Part]? {
      guard json != .null else { return [] }
      guard let elements = json.array else { return nil }
      let parts = elements.compactMap(Part.init(json:))
      // Answers are told apart by the ids.
      return parts.count == elements.count && Set(parts.map(\.id)).count == parts.count
        ? parts : nil
    }

    private init?(json: JSONValue) {
      guard let id = json["id"].text(.content), let options = Option.all(in: json["options"]) else {
        return nil
      }
      self.id = id
      text = json["question"].text(.content) ?? ""
      self.options = options
      takesSeveral = json["multiSelect"].bool ?? false
    }
  }
}
