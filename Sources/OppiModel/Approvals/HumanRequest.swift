// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A request of an agent that needs a human: a tool call to approve, or a question.
package enum HumanRequest: Sendable, Equatable {
  /// A tool call that the server's own gate holds.
  case permission(PermissionRequest)
  /// A question of the agent, or a dialog of an extension.
  case question(UserQuestion)

  package var kind: RequestKind {
    switch self {
    case .permission: .permission
    case .question(let question): question.kind
    }
  }

  private var content: any HumanRequestContent {
    switch self {
    case .permission(let request): request
    case .question(let question): question
    }
  }

  package var id: String { content.id }
  package var sessionID: String? { content.sessionID }
  package var workspaceID: String? { content.workspaceID }

  /// When the server settles it without an answer, on the server's clock; `nil` if never.
  package var timeoutAt: Timestamp? { content.timeoutAt }

  /// Whether nothing is left out; if not, it can only be denied or cancelled.
  package var isWhole: Bool { content.isWhole }

  /// The estimated risk; `nil` if it is unknown, because the text of a dialog quotes no command.
  package var risk: Risk? {
    switch self {
    case .permission(let request): request.risk
    case .question(let question): question.risk
    }
  }

  /// The worst risk that any part of the text may have; only for refusing a hasty reply.
  package var suspectedRisk: Risk {
    switch self {
    case .permission(let request): request.risk
    case .question(let question): question.suspectedRisk
    }
  }

  /// The call or the text on one line, safe to show; a long one is cut, with the number of missing
  /// characters.
  package var line: String { content.line }

  /// The call, or the text without its empty lines, in lines of any length, safe to show.
  package var lines: [String] {
    switch self {
    case .permission(let request): request.lines
    case .question(let question): question.lines.filter { !$0.trimmed.isEmpty }
    }
  }

  /// The number of invisible characters, which are shown as escapes.
  package var hiddenCount: Int { content.hiddenCount }

  package var permission: PermissionRequest? {
    if case .permission(let request) = self { request } else { nil }
  }

  package var question: UserQuestion? {
    if case .question(let question) = self { question } else { nil }
  }

  /// The SHA-256 of all that a reply is about, in hexadecimal digits.
  package var digest: String { SHA256.hex(of: content.subject.bytes()) }

  /// Whether both have the same content, so that a reply to one applies to the other.
  package func isAbout(sameAs other: HumanRequest) -> Bool {
    content.subject.bytes() == other.content.subject.bytes()
  }

  /// Whether it replaced another one under its id, so that no reply to that one applies to it.
  package func isChange(of other: HumanRequest) -> Bool {
    id == other.id && !isAbout(sameAs: other)
  }
}

/// What a tool call to approve and a question have in common.
package protocol HumanRequestContent {
  var id: String { get }
  var sessionID: String? { get }
  var workspaceID: String? { get }
  var timeoutAt: Timestamp? { get }
  var isWhole: Bool { get }
  var line: String { get }
  /// All that a reply is about.
  var subject: JSONValue { get }
  var hiddenCount: Int { get }
}

extension HumanRequestContent {
  /// Whether both have the same content, so that a reply to one applies to the other.
  ///
  /// Bytes are compared, because texts may look the same and differ for a shell.
  package func isAbout(sameAs other: Self) -> Bool { subject.bytes() == other.subject.bytes() }
}

extension PermissionRequest: HumanRequestContent {}

extension UserQuestion: HumanRequestContent {}

/// What a user replies to a request.
package enum RequestReply: Sendable, Hashable {
  /// Approval or denial.
  case decision(PermissionDecision)
  case answer(QuestionAnswer)

  /// A reply of the same kind without the text of an answer.
  package var withoutText: RequestReply {
    switch self {
    case .decision, .answer(.cancelled): self
    case .answer: .answer(.choices([:]))
    }
  }

  /// Whether the agent may not do what it asked for.
  package var isRefusal: Bool {
    switch self {
    case .decision(let decision): decision == .deny
    case .answer(let answer): answer.isRefusal
    }
  }

  package enum Effect: String, Sendable {
    case allow
    case deny
    case answer
  }

  /// What the reply does to a request.
  package func effect(on request: HumanRequest) -> Effect {
    switch self {
    case .decision(.deny): return .deny
    case .decision, .answer(.confirmed(true)): return .allow
    case .answer(let answer):
      if request.question?.isRefused(by: answer) ?? answer.isRefusal { return .deny }
      return answer == request.question?.consent?.yes.answer ? .allow : .answer
    }
  }
}
